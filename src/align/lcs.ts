import { type ClassEquality, sameClass, WorkBudget, type WorkLimits } from "./alignment.ts";
import type { Sliced } from "./sliced.ts";

/** Two sequences of integer classes; only `equal` compares across the sides, and it need not be transitive. */
export interface SequencePair extends WorkLimits {
  readonly expected: Int32Array;
  readonly actual: Int32Array;
  readonly equal: ClassEquality;
}

/** Matched pairs from the left, or that the work limit was reached. */
export type CommonSubsequence =
  | { readonly ok: true; readonly expected: readonly number[]; readonly actual: readonly number[] }
  | { readonly ok: false; readonly reason: "over_limit" };

/**
 * Longest common subsequence.
 *
 * Tie rule: among all of the greatest length, the one with the smallest expected indexes, then with the smallest actual
 * indexes, both compared from the left.
 *
 * Source: bit-parallel lengths after H. Hyyro, "Bit-parallel LCS-length computation revisited" (2004), run from the
 * end, every row kept, so that the subsequence can be walked from the front. A common beginning is matched outright:
 * the tie rule always does. Common ends are not cut off: the tie rule may match their items elsewhere.
 *
 * Complexity: O(n + n' * m' / 32) in time and memory for lists of n items whose parts behind the common beginning have
 * n' and m'; classes that are compared with each other are compared once, and not at all where both sides have the same. A
 * word of 32 places, and a comparison, counts as a cell.
 */
export function* longestCommonSubsequence(input: SequencePair): Sliced<CommonSubsequence> {
  const { expected, actual, equal } = input;
  const found = { expected: [] as number[], actual: [] as number[] };
  let start = 0;
  while (
    start < expected.length &&
    start < actual.length &&
    equal(expected[start] as number, actual[start] as number)
  ) {
    found.expected.push(start);
    found.actual.push(start);
    start += 1;
  }
  const rows = expected.length - start;
  const columns = actual.length - start;
  if (rows === 0 || columns === 0) return { ok: true, ...found };
  const budget = new WorkBudget(input);
  const words = Math.ceil(columns / 32);
  if (!budget.affords(rows * words)) return { ok: false, reason: "over_limit" };
  const masks = yield* masksOf(input, start, words, budget);
  if (masks === undefined) return { ok: false, reason: "over_limit" };
  const table = yield* fill(expected, masks, start, rows, words, budget);
  yield* walk(expected, masks, table, start, columns, words, budget, found);
  return { ok: true, ...found };
}

/** By expected class: which actual items equal it. Bit p stands for the p-th item from the end. */
function* masksOf(
  { expected, actual, equal }: SequencePair,
  start: number,
  words: number,
  budget: WorkBudget,
): Sliced<ReadonlyMap<number, Uint32Array> | undefined> {
  const positions = new Map<number, number[]>();
  for (let index = start; index < actual.length; index += 1) {
    const item = actual[index] as number;
    const known = positions.get(item);
    if (known === undefined) positions.set(item, [index]);
    else known.push(index);
  }
  const masks = new Map<number, Uint32Array>();
  for (let row = start; row < expected.length; row += 1) {
    const item = expected[row] as number;
    if (masks.has(item)) continue;
    if (!budget.spend(words + (equal === sameClass ? 1 : positions.size))) return undefined;
    const mask = new Uint32Array(words);
    const mark = (places: readonly number[] = []): void => {
      for (const place of places) {
        const bit = actual.length - 1 - place;
        mask[bit >>> 5] = (mask[bit >>> 5] as number) | (1 << (bit & 31));
      }
    };
    if (equal === sameClass) mark(positions.get(item));
    else for (const [other, places] of positions) if (equal(item, other)) mark(places);
    masks.set(item, mask);
    if (budget.pauses()) yield;
  }
  return masks;
}

/**
 * Row r of the result speaks of the expected items from `start + r` on: the number of zeros among its lowest b bits is
 * the length that they have in common with the last b actual items.
 */
function* fill(
  expected: Int32Array,
  masks: ReadonlyMap<number, Uint32Array>,
  start: number,
  rows: number,
  words: number,
  budget: WorkBudget,
): Sliced<Uint32Array> {
  const table = new Uint32Array((rows + 1) * words);
  table.fill(0xffffffff, rows * words);
  for (let row = rows - 1; row >= 0; row -= 1) {
    const mask = masks.get(expected[start + row] as number) as Uint32Array;
    const from = (row + 1) * words;
    const to = row * words;
    let carry = 0;
    for (let word = 0; word < words; word += 1) {
      const value = table[from + word] as number;
      const bits = mask[word] as number;
      const sum = value + ((value & bits) >>> 0) + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      table[to + word] = (sum >>> 0) | (value & ~bits);
    }
    budget.spend(words);
    if (budget.pauses()) yield;
  }
  return table;
}

/** Takes each expected item that a longest subsequence can still begin with, at the first actual item that it equals. */
function* walk(
  expected: Int32Array,
  masks: ReadonlyMap<number, Uint32Array>,
  table: Uint32Array,
  start: number,
  columns: number,
  words: number,
  budget: WorkBudget,
  found: { readonly expected: number[]; readonly actual: number[] },
): Sliced<void> {
  let below = columns;
  let left = zerosBelow(table, 0, columns);
  for (let row = start; row < expected.length && left > 0; row += 1) {
    budget.spend(words);
    if (budget.pauses()) yield;
    const bit = highestBelow(masks.get(expected[row] as number) as Uint32Array, below);
    if (bit < 0) continue;
    if (zerosBelow(table, (row - start + 1) * words, bit) < left - 1) continue;
    found.expected.push(row);
    found.actual.push(start + columns - 1 - bit);
    below = bit;
    left -= 1;
  }
}

/** Highest set bit under `below`, or -1. */
function highestBelow(mask: Uint32Array, below: number): number {
  if (below === 0) return -1;
  let word = (below - 1) >>> 5;
  const rest = below & 31;
  let bits = (mask[word] as number) & (rest === 0 ? 0xffffffff : (1 << rest) - 1);
  while (bits === 0 && word > 0) {
    word -= 1;
    bits = mask[word] as number;
  }
  return bits === 0 ? -1 : word * 32 + 31 - Math.clz32(bits);
}

/** How many of the lowest `bits` bits are zero. */
function zerosBelow(table: Uint32Array, from: number, bits: number): number {
  let ones = 0;
  const whole = bits >>> 5;
  for (let word = 0; word < whole; word += 1) ones += onesIn(table[from + word] as number);
  if ((bits & 31) !== 0) ones += onesIn((table[from + whole] as number) & ((1 << (bits & 31)) - 1));
  return bits - ones;
}

function onesIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return (((bits + (bits >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
