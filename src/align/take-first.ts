import type { AlignmentInput } from "./alignment.ts";

/** One bit of a 32-bit integer per member, and the sign left alone. */
const MOST = 30;

/**
 * Whether a window as long as its group can be matched completely by giving each item, from the left, the first free
 * member that it equals. When it can, that is the largest matching, and the one that the tie rule of matchings names:
 * no item could have taken an earlier member. When it cannot, nothing is known. Groups of more than 30 members are
 * left to the matching.
 *
 * `taken`, when given, receives the position of the member that each item takes.
 *
 * Complexity: O(size) when the items come as written, O(size^2) at worst; no memory. This is the common case of an
 * agent that did all of a group, so it must not cost a matching.
 */
export function takeFirst(input: AlignmentInput, element: number, place: number, taken?: Int32Array): boolean {
  const { expected, offsets, actual, equal } = input;
  const offset = offsets[element] as number;
  const size = (offsets[element + 1] as number) - offset;
  if (size > MOST || place + size > actual.length) return false;
  let used = 0;
  for (let index = 0; index < size; index += 1) {
    const item = actual[place + index] as number;
    let position = 0;
    while (position < size && ((used >> position) & 1 || !equal(expected[offset + position] as number, item)))
      position += 1;
    if (position === size) return false;
    used |= 1 << position;
    if (taken !== undefined) taken[index] = position;
  }
  return true;
}
