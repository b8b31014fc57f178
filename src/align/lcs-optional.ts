import { WorkBudget } from "./alignment.ts";
import type { CommonSubsequence, SequencePair } from "./lcs.ts";
import type { Sliced } from "./sliced.ts";

/** A cell is a double, and holds two numbers. */
const CELL = 2;

/**
 * Common subsequence where some expected items are optional: the one with the fewest missing items (expected ones that
 * are not optional and not matched) and extra items (actual ones not matched) together, then with the most matches.
 * Without optional items that is a longest one.
 *
 * Tie rule as in `longestCommonSubsequence`: smallest expected indexes, then smallest actual indexes.
 *
 * Complexity: O(n * m) in time and memory; each cell counts twice towards the limit.
 */
export function* commonSubsequenceWithOptional(input: SequencePair, optional: Uint8Array): Sliced<CommonSubsequence> {
  const { expected, actual, equal } = input;
  const rows = expected.length;
  const columns = actual.length;
  const width = columns + 1;
  const budget = new WorkBudget(input);
  if (!budget.affords((rows + 1) * width * CELL)) return { ok: false, reason: "over_limit" };
  // One missing or extra item outweighs all matches together.
  const weight = Math.min(rows, columns) + 1;
  const best = new Float64Array((rows + 1) * width);
  for (let row = rows; row >= 0; row -= 1) {
    for (let column = columns; column >= 0; column -= 1) {
      if (row === rows) {
        best[row * width + column] = (columns - column) * weight;
        continue;
      }
      let value = (best[(row + 1) * width + column] as number) + (optional[row] === 1 ? 0 : weight);
      if (column < columns) {
        value = Math.min(value, (best[row * width + column + 1] as number) + weight);
        if (equal(expected[row] as number, actual[column] as number)) {
          value = Math.min(value, (best[(row + 1) * width + column + 1] as number) - 1);
        }
      }
      best[row * width + column] = value;
    }
    budget.spend(width * CELL);
    if (budget.pauses()) yield;
  }
  return yield* walk(input, best, weight, budget);
}

function* walk(
  { expected, actual, equal }: SequencePair,
  best: Float64Array,
  weight: number,
  budget: WorkBudget,
): Sliced<CommonSubsequence> {
  const width = actual.length + 1;
  const found = { expected: [] as number[], actual: [] as number[] };
  let column = 0;
  for (let row = 0; row < expected.length; row += 1) {
    let place = column;
    while (place < actual.length && !equal(expected[row] as number, actual[place] as number)) place += 1;
    budget.spend(1 + place - column);
    if (budget.pauses()) yield;
    if (place === actual.length) continue;
    const taken = (place - column) * weight + (best[(row + 1) * width + place + 1] as number) - 1;
    if (taken !== best[row * width + column]) continue;
    found.expected.push(row);
    found.actual.push(place);
    column = place + 1;
  }
  return { ok: true, ...found };
}
