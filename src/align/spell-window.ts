import type { AlignmentEntry, AlignmentInput } from "./alignment.ts";
import type { Sliced } from "./sliced.ts";
import type { GroupWindows } from "./windows.ts";

/**
 * Window items in order, then the members left over; the k-th missing member pairs with the k-th unclaimed item.
 *
 * Complexity: O(group size + window length), and one matching where the window is not the group itself.
 */
export function* spellWindow(
  input: AlignmentInput,
  windows: GroupWindows,
  element: number,
  place: number,
  length: number,
  entries: AlignmentEntry[],
): Sliced<undefined> {
  const offset = input.offsets[element] as number;
  const size = (input.offsets[element + 1] as number) - offset;
  const taken = yield* windows.assign(element, place, length);
  const claimed = new Uint8Array(size);
  for (const position of taken) if (position >= 0) claimed[position] = 1;
  let missing = 0;
  const nextMissing = (): number => {
    while (missing < size && claimed[missing] === 1) missing += 1;
    missing += 1;
    return missing - 1;
  };
  for (let index = 0; index < length; index += 1) {
    const position = taken[index] as number;
    const actual = place + index;
    if (position >= 0) {
      entries.push({ op: "match", element, member: offset + position, actual });
      continue;
    }
    const member = nextMissing();
    if (member < size) entries.push({ op: "substitute", element, member: offset + member, actual });
    else entries.push({ op: "insert", element, member: -1, actual });
  }
  for (let member = nextMissing(); member < size; member = nextMissing()) {
    entries.push({ op: "delete", element, member: offset + member, actual: -1 });
  }
  return undefined;
}
