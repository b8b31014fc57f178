import type { AlignmentInput, WorkBudget } from "./alignment.ts";
import { lowerBound } from "./lower-bound.ts";
import type { Sliced } from "./sliced.ts";
import { takeFirst } from "./take-first.ts";
import type { GroupWindows } from "./windows.ts";

/** Indexes of elements; of usual lists in two bytes each: a quarter of a hundred megabytes for two lists of 5 000. */
type Wave = Uint16Array | Int32Array;

const NO_WAVE: Wave = new Uint16Array(0);

/** Stands for "no place on this diagonal": larger than any element index. */
const NOWHERE = 0x7fffffff;
const NOWHERE_SMALL = 0xffff;

/** Windows from the place where a diagonal waits at a group. */
interface Waiting {
  readonly element: number;
  readonly excess: number;
  readonly lengths: readonly number[];
  readonly matched: readonly number[];
}

/**
 * The cost of aligning any two tails, in compressed form.
 *
 * A place (i, j) means "elements from i on against actual items from j on". Its diagonal is j minus the number of
 * expected items before element i. Along a diagonal the cost never rises as i grows, so for each cost e and diagonal
 * only the smallest i that reaches it is kept: the wave of e.
 *
 * Source: E. Ukkonen, "Algorithms for approximate string matching" (1985), run from the end. Ours: elements can be
 * groups that take a window of any length; dropping as many expected as actual items from the front of an alignment
 * never makes it dearer, windows or not, so the waves stay monotone. A diagonal that would cost more than replacing
 * everything is left out.
 *
 * Complexity: O(n + d^2) expected for n items and distance d, O(n * m) at worst, times the windows of the groups that
 * a wave meets. Memory: O(d^2) integers of two bytes (four for 65 535 elements and more), none per pair of items.
 *
 * Tie rule: none here; only costs are found.
 */
export class TailCosts {
  readonly #input: AlignmentInput;
  readonly #windows: GroupWindows;
  readonly #budget: WorkBudget;
  readonly #waiting: Map<number, Waiting> = new Map();
  readonly #waves: Wave[] = [];
  readonly #nowhere: number;
  readonly #lowest: number[] = [];
  readonly #firstElement: number;
  readonly #firstActual: number;
  readonly #endDiagonal: number;
  readonly #bound: number;

  /** The pair of tails that begins at `firstElement` and `firstActual` must lie on diagonal 0. */
  constructor(
    input: AlignmentInput,
    windows: GroupWindows,
    budget: WorkBudget,
    firstElement: number,
    firstActual: number,
  ) {
    this.#input = input;
    this.#nowhere = input.grouped.length < NOWHERE_SMALL ? NOWHERE_SMALL : NOWHERE;
    this.#windows = windows;
    this.#budget = budget;
    this.#firstElement = firstElement;
    this.#firstActual = firstActual;
    this.#endDiagonal = input.actual.length - input.expected.length;
    this.#bound = Math.max(input.expected.length, input.actual.length) - firstActual;
  }

  /** Cost from the first pair on; undefined when the budget ran out. */
  *solve(): Sliced<number | undefined> {
    for (let cost = 0; cost <= this.#bound; cost += 1) {
      yield* this.#grow(cost);
      if (this.#budget.exhausted) return undefined;
      if (this.#reach(cost, 0) <= this.#firstElement) return cost;
    }
    return undefined;
  }

  /** Whether the tails at (element, diagonal) can be aligned for at most `cost`. */
  within(cost: number, diagonal: number, element: number): boolean {
    return this.#reach(cost, diagonal) <= element;
  }

  /** How much longer than its group a window from this diagonal can be when the tails cost at most `cost`. */
  excess(cost: number, diagonal: number): number {
    return Math.max(0, (cost + this.#endDiagonal - diagonal) >> 1);
  }

  #reach(cost: number, diagonal: number): number {
    if (cost < 0) return this.#nowhere;
    const wave = this.#waves[cost] as Wave;
    const index = diagonal - (this.#lowest[cost] as number);
    return index >= 0 && index < wave.length ? (wave[index] as number) : this.#nowhere;
  }

  *#grow(cost: number): Sliced<void> {
    const lowest = Math.max(this.#endDiagonal - cost, cost - this.#bound);
    const highest = Math.min(this.#endDiagonal + cost, this.#bound - cost);
    const width = Math.max(0, highest - lowest + 1);
    const wave = this.#nowhere === NOWHERE_SMALL ? new Uint16Array(width) : new Int32Array(width);
    wave.fill(this.#nowhere);
    const before = cost === 0 ? NO_WAVE : (this.#waves[cost - 1] as Wave);
    const shift = lowest - (cost === 0 ? 0 : (this.#lowest[cost - 1] as number));
    this.#waves.push(wave);
    this.#lowest.push(lowest);
    // Two per entry, for it and the comparison that stops it, but for the outermost: so two lists of one length with
    // nothing in common cost the product of their lengths, as a full matrix would; of two lengths, up to twice that.
    this.#budget.spend(2 * Math.max(0, wave.length - 1));
    for (let diagonal = lowest; diagonal <= highest; diagonal += 1) {
      const entry = cost === 0 ? this.#input.grouped.length : this.#enter(before, diagonal - lowest + shift, diagonal);
      wave[diagonal - lowest] =
        entry === this.#nowhere ? this.#straddle(diagonal, cost) : this.#slide(entry, diagonal, cost);
      if (this.#budget.exhausted) return;
      if (this.#budget.pauses()) yield;
    }
  }

  /** Smallest element reached on a diagonal, which is entry `at` of the wave before, by one more edit. */
  #enter(before: Wave, at: number, diagonal: number): number {
    const { offsets, grouped, actual } = this.#input;
    const first = this.#firstElement;
    const { length } = before;
    const same = at >= 0 && at < length ? (before[at] as number) : this.#nowhere;
    const afterDelete = at >= 1 && at <= length ? (before[at - 1] as number) : this.#nowhere;
    const afterInsert = at >= -1 && at < length - 1 ? (before[at + 1] as number) : this.#nowhere;
    let entry = Math.min(same, afterInsert);
    if (same !== this.#nowhere && same > first && grouped[same - 1] === 0) entry = Math.min(entry, same - 1);
    if (afterDelete !== this.#nowhere) {
      if (afterDelete > first && grouped[afterDelete - 1] === 0) entry = Math.min(entry, afterDelete - 1);
      else if ((offsets[afterDelete] as number) + diagonal <= actual.length) entry = Math.min(entry, afterDelete);
    }
    if (entry === this.#nowhere) return this.#nowhere;
    // The actual side has no item before its first: move along the diagonal to a place that exists.
    while (entry < grouped.length && (offsets[entry] as number) + diagonal < this.#firstActual) entry += 1;
    const place = (offsets[entry] as number) + diagonal;
    return place < this.#firstActual || place > actual.length ? this.#nowhere : entry;
  }

  /** Follows a diagonal towards the front while the cost stays within `cost`. */
  #slide(entry: number, diagonal: number, cost: number): number {
    const { expected, offsets, grouped, actual, equal } = this.#input;
    let element = entry;
    while (element > this.#firstElement) {
      const offset = offsets[element - 1] as number;
      const place = offset + diagonal;
      if (place < this.#firstActual) break;
      const passes =
        grouped[element - 1] === 0
          ? equal(expected[offset] as number, actual[place] as number)
          : this.#passesGroup(element - 1, place, diagonal, cost);
      if (!passes) break;
      element -= 1;
    }
    this.#budget.spend(entry - element);
    return element;
  }

  /** A diagonal can leave the actual side inside a group: then nothing behind that group leads to it but a window. */
  #straddle(diagonal: number, cost: number): number {
    if (diagonal <= this.#endDiagonal) return this.#nowhere;
    const { offsets, grouped, actual } = this.#input;
    const beyond = lowerBound(offsets, actual.length - diagonal + 1);
    if (beyond <= this.#firstElement || grouped[beyond - 1] === 0) return this.#nowhere;
    const element = this.#slide(beyond, diagonal, cost);
    return element === beyond ? this.#nowhere : element;
  }

  #passesGroup(element: number, place: number, diagonal: number, cost: number): boolean {
    const { offsets } = this.#input;
    const size = (offsets[element + 1] as number) - (offsets[element] as number);
    const waiting = this.#waiting.get(diagonal);
    const before = waiting?.element === element ? waiting : undefined;
    // A diagonal that waits has been refused this before.
    if (before === undefined && takeFirst(this.#input, element, place)) return true;
    const windows = this.#windowsAt(element, place, diagonal, cost, before);
    for (let index = windows.lengths.length - 1; index >= 0; index -= 1) {
      const length = windows.lengths[index] as number;
      const price = Math.max(size, length) - (windows.matched[index] as number);
      // A free window is as long as its group: it stays on this diagonal, where the place behind it has been reached.
      if (price === 0) return true;
      if (this.within(cost - price, diagonal + length - size, element + 1)) return true;
    }
    return false;
  }

  /** The windows to try; kept while a diagonal waits at a group, and extended when the cost allows longer ones. */
  #windowsAt(element: number, place: number, diagonal: number, cost: number, before: Waiting | undefined): Waiting {
    const needed = this.excess(cost, diagonal);
    if (before !== undefined && before.excess >= needed) {
      this.#budget.spend(before.lengths.length);
      return before;
    }
    const excess = before === undefined ? needed : 2 * needed + 8;
    this.#windows.collect(element, place, excess);
    const { lengths, matched } = this.#windows;
    const found: Waiting = { element, excess, lengths: lengths.slice(), matched: matched.slice() };
    this.#waiting.set(diagonal, found);
    return found;
  }
}
