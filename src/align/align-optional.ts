import { type AlignmentEntry, type AlignmentInput, type AlignmentResult, WorkBudget } from "./alignment.ts";
import type { Sliced } from "./sliced.ts";
import { spellWindow } from "./spell-window.ts";
import { GroupWindows } from "./windows.ts";

/** A cell holds six numbers' worth of memory, so it counts as that many cells of the limit. */
const CELL = 6;

/** Dearer than any alignment. */
const DEAREST = 0x7fffffff;

const END = 0;
const MATCH = 1;
const SUBSTITUTE = 2;
const DELETE = 3;
const INSERT = 4;
const SKIP = 5;
const WINDOW = 6;

/**
 * Aligns as `align` does, where some single items are optional: leaving one out costs nothing and gives no entry. An
 * optional item is either matched or left out: standing in for a wrong item it would cost as much as leaving it out
 * and inserting the wrong one.
 *
 * So the cost is the least over all lists that keep some optional items and drop the others; the alignment is, by the
 * same tie rule, the best among those of that cost: most matches, then least total window length, then from the left
 * match before substitute before delete before insert, an item that is left out coming after all of them.
 *
 * Complexity: O(n * m) in time and memory behind the common beginning, times the windows of groups; each cell counts
 * six times towards the limit. Lists with optional items are short; the others never come here.
 */
export function* alignOptional(input: AlignmentInput, optional: Uint8Array): Sliced<AlignmentResult> {
  const budget = new WorkBudget(input);
  const start = commonStart(input, optional);
  const table = new Table(input, optional, start, new GroupWindows(input, budget), budget);
  if (!(yield* table.fill())) return { ok: false, reason: "over_limit" };
  const entries: AlignmentEntry[] = [];
  for (let index = 0; index < start; index += 1) {
    entries.push({ op: "match", element: index, member: index, actual: index });
  }
  yield* table.spell(entries);
  if (budget.exhausted) return { ok: false, reason: "over_limit" };
  let matches = 0;
  for (const entry of entries) if (entry.op === "match") matches += 1;
  return { ok: true, cost: table.cost, matches, entries };
}

/** How many single items at the beginning, none of them optional, are equal one by one. */
function commonStart(input: AlignmentInput, optional: Uint8Array): number {
  const { expected, grouped, actual, equal } = input;
  const most = Math.min(grouped.length, actual.length);
  let start = 0;
  while (
    start < most &&
    grouped[start] === 0 &&
    optional[start] === 0 &&
    equal(expected[start] as number, actual[start] as number)
  ) {
    start += 1;
  }
  return start;
}

/** Least cost, best value and first move of every pair of tails. */
class Table {
  readonly #input: AlignmentInput;
  readonly #optional: Uint8Array;
  readonly #start: number;
  readonly #windows: GroupWindows;
  readonly #budget: WorkBudget;
  readonly #columns: number;
  readonly #costs: Int32Array;
  /** Matches times a weight that outweighs all window lengths, less the window lengths. */
  readonly #values: Float64Array;
  readonly #moves: Int32Array;

  constructor(input: AlignmentInput, optional: Uint8Array, start: number, windows: GroupWindows, budget: WorkBudget) {
    this.#input = input;
    this.#optional = optional;
    this.#start = start;
    this.#windows = windows;
    this.#budget = budget;
    this.#columns = input.actual.length - start + 1;
    const cells = (input.grouped.length - start + 1) * this.#columns;
    const fits = budget.affords(cells * CELL);
    this.#costs = new Int32Array(fits ? cells : 0);
    this.#values = new Float64Array(fits ? cells : 0);
    this.#moves = new Int32Array(fits ? cells : 0);
  }

  get cost(): number {
    return this.#costs[0] as number;
  }

  /** False when the budget ran out, or would. */
  *fill(): Sliced<boolean> {
    const { grouped, actual } = this.#input;
    if (this.#costs.length === 0) return false;
    for (let element = grouped.length; element >= this.#start; element -= 1) {
      for (let place = actual.length; place >= this.#start; place -= 1) {
        const cell = this.#at(element, place);
        if (element < grouped.length || place < actual.length) {
          this.#costs[cell] = DEAREST;
          if (grouped[element] === 1) yield* this.#decideWindow(element, place, cell);
          this.#decide(element, place, cell);
        }
        this.#budget.spend(CELL);
        if (this.#budget.pauses()) yield;
      }
      if (this.#budget.exhausted) return false;
    }
    return true;
  }

  #at(element: number, place: number): number {
    return (element - this.#start) * this.#columns + place - this.#start;
  }

  /** Moves are offered in the order of the tie rule: a later one must be better to be taken. */
  #decide(element: number, place: number, cell: number): void {
    const { expected, offsets, grouped, actual, equal } = this.#input;
    const weight = actual.length + 1;
    const items = grouped.length;
    if (element < items && grouped[element] === 0) {
      const same =
        place < actual.length && equal(expected[offsets[element] as number] as number, actual[place] as number);
      const optional = this.#optional[element] === 1;
      if (same) this.#offer(cell, this.#at(element + 1, place + 1), 0, weight, MATCH);
      else if (place < actual.length && !optional)
        this.#offer(cell, this.#at(element + 1, place + 1), 1, 0, SUBSTITUTE);
      if (!optional) this.#offer(cell, this.#at(element + 1, place), 1, 0, DELETE);
    }
    if (place < actual.length) this.#offer(cell, this.#at(element, place + 1), 1, 0, INSERT);
    if (element < items && this.#optional[element] === 1) this.#offer(cell, this.#at(element + 1, place), 0, 0, SKIP);
  }

  #offer(cell: number, target: number, price: number, gain: number, move: number): void {
    const cost = (this.#costs[target] as number) + price;
    const value = (this.#values[target] as number) + gain;
    const held = this.#costs[cell] as number;
    if (cost > held || (cost === held && value <= (this.#values[cell] as number))) return;
    this.#costs[cell] = cost;
    this.#values[cell] = value;
    this.#moves[cell] = move;
  }

  *#decideWindow(element: number, place: number, cell: number): Sliced<undefined> {
    const { offsets, actual } = this.#input;
    const size = (offsets[element + 1] as number) - (offsets[element] as number);
    const weight = actual.length + 1;
    this.#windows.collect(element, place, actual.length);
    const { lengths, matched } = this.#windows;
    let held = -1;
    for (let index = 0; index < lengths.length; index += 1) {
      const length = lengths[index] as number;
      const found = matched[index] as number;
      const target = this.#at(element + 1, place + length);
      const price = Math.max(size, length) - found;
      const gain = found * weight - length;
      const move = WINDOW + length;
      const equallyGood =
        (this.#costs[target] as number) + price === this.#costs[cell] &&
        (this.#values[target] as number) + gain === this.#values[cell];
      if (!equallyGood) this.#offer(cell, target, price, gain, move);
      else if (yield* this.#windows.comesFirst(element, place, index, held)) this.#moves[cell] = move;
      if (this.#moves[cell] === move) held = index;
    }
    return undefined;
  }

  /** Follows the moves from the front. */
  *spell(entries: AlignmentEntry[]): Sliced<undefined> {
    const { offsets } = this.#input;
    let element = this.#start;
    let place = this.#start;
    for (;;) {
      const move = this.#moves[this.#at(element, place)] as number;
      if (move === END) return undefined;
      const member = offsets[element] as number;
      if (move >= WINDOW) {
        yield* spellWindow(this.#input, this.#windows, element, place, move - WINDOW, entries);
        place += move - WINDOW;
      } else if (move === INSERT) entries.push({ op: "insert", element: -1, member: -1, actual: place });
      else if (move === DELETE) entries.push({ op: "delete", element, member, actual: -1 });
      else if (move !== SKIP) {
        entries.push({ op: move === MATCH ? "match" : "substitute", element, member, actual: place });
      }
      if (move === INSERT || move === MATCH || move === SUBSTITUTE) place += 1;
      if (move !== INSERT) element += 1;
    }
  }
}
