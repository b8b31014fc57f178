const MATCH = 0;
const SUBSTITUTE = 1;
const DELETE = 2;
const INSERT = 3;
const NOTHING = 4;

/**
 * Orders two windows of one group of `size` members from one place by the entries they show from the left: match
 * before substitute before delete before insert. Negative when `left` comes first. A window is given as the member
 * position that each of its items takes, or -1.
 *
 * No window of a best alignment shows a mere beginning of another's. One shorter than the group deletes where the
 * longer one goes on. One longer than the group matches more (or it would rather be shorter), so it has fewer
 * substitutions to show. What follows the group therefore never decides.
 *
 * Complexity: O(longest window). Called on ties only.
 */
export function compareWindows(size: number, left: Int32Array, right: Int32Array): number {
  const first = spelled(size, left);
  const second = spelled(size, right);
  const longest = Math.max(first.length, second.length);
  for (let index = 0; index < longest; index += 1) {
    const difference = (first[index] ?? NOTHING) - (second[index] ?? NOTHING);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The same for two windows of one list, given by their places, of which no item equals members of several classes: then
 * the matched items of the shorter one are those at the beginning of the longer one, and counts tell what each shows.
 * `lengths` are ascending, and `matched` how many items of each window are; a window that is not among them ends with an
 * item that is not matched.
 *
 * They show the same until one runs out of members to substitute, which the longer one does first, as it matches more; or
 * until the shorter one ends. O(1).
 */
export function longerComesFirst(
  size: number,
  lengths: readonly number[],
  matched: readonly number[],
  longer: number,
  shorter: number,
): boolean {
  const length = lengths[shorter] as number;
  const found = matched[shorter] as number;
  const unmatched = length - found;
  const substitutes = size - (matched[longer] as number);
  if (size - found > substitutes && unmatched > substitutes) return false;
  if (length >= size) return true;
  // Where the shorter one begins to delete.
  const matches = lengths[shorter + 1] === length + 1 && (matched[shorter + 1] as number) > found;
  return matches || unmatched < substitutes;
}

function spelled(size: number, window: Int32Array): number[] {
  const entries: number[] = [];
  let substitutions = size;
  for (const position of window) if (position >= 0) substitutions -= 1;
  for (const position of window) {
    if (position >= 0) entries.push(MATCH);
    else if (substitutions > 0) {
      entries.push(SUBSTITUTE);
      substitutions -= 1;
    } else entries.push(INSERT);
  }
  while (entries.length < size) entries.push(DELETE);
  return entries;
}
