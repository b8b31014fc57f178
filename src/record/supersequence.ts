/** One place of a common list: which item stands there, and how many of the sequences use it. */
export interface Slot<T> {
  readonly item: T;
  uses: number;
}

/**
 * A list of which every sequence is a part, in order: sequences are merged one by one along a longest common
 * subsequence, among those along the slots that most sequences use already (then from the left). Short, not shortest.
 *
 * O(slots x items) for each sequence; undefined when that is more than `cells` in all.
 */
export function commonSupersequence<T>(sequences: readonly (readonly T[])[], cells: number): Slot<T>[] | undefined {
  let slots: Slot<T>[] = [];
  let left = cells;
  for (const sequence of sequences) {
    left -= (slots.length + 1) * (sequence.length + 1);
    if (left < 0) return undefined;
    slots = merged(slots, sequence);
  }
  return slots;
}

function merged<T>(slots: readonly Slot<T>[], sequence: readonly T[]): Slot<T>[] {
  const width = sequence.length + 1;
  // One common item weighs more than the uses of all slots together.
  const item = slots.reduce((sum, slot) => sum + slot.uses, 1);
  const best = new Float64Array((slots.length + 1) * width);
  for (let row = slots.length - 1; row >= 0; row -= 1) {
    for (let column = sequence.length - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      const skip = Math.max(best[at + width] as number, best[at + 1] as number);
      const slot = slots[row] as Slot<T>;
      const both = slot.item === sequence[column] ? (best[at + width + 1] as number) + item + slot.uses : -1;
      best[at] = Math.max(skip, both);
    }
  }
  return spelled(slots, sequence, best, item);
}

function spelled<T>(slots: readonly Slot<T>[], sequence: readonly T[], best: Float64Array, item: number): Slot<T>[] {
  const width = sequence.length + 1;
  const list: Slot<T>[] = [];
  let row = 0;
  let column = 0;
  while (row < slots.length && column < sequence.length) {
    const at = row * width + column;
    const slot = slots[row] as Slot<T>;
    const both = (best[at + width + 1] as number) + item + slot.uses;
    if (slot.item === sequence[column] && best[at] === both) {
      list.push({ item: slot.item, uses: slot.uses + 1 });
      row += 1;
      column += 1;
    } else if (best[at] === best[at + width]) {
      list.push(slot);
      row += 1;
    } else {
      list.push({ item: sequence[column] as T, uses: 1 });
      column += 1;
    }
  }
  for (const slot of slots.slice(row)) list.push(slot);
  for (const rest of sequence.slice(column)) list.push({ item: rest, uses: 1 });
  return list;
}
