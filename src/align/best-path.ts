import type { AlignmentInput, WorkBudget } from "./alignment.ts";
import type { TailCosts } from "./distance.ts";
import { CAN_DELETE, CAN_INSERT, CAN_MATCH, CAN_SUBSTITUTE, KeptPlaces } from "./kept-places.ts";
import { Neighbours } from "./neighbours.ts";
import { Numbers } from "./numbers.ts";
import type { Sliced } from "./sliced.ts";
import type { GroupWindows } from "./windows.ts";

/** Moves along a path; a group's window of length w is `WINDOW + w`. */
export const DIAGONAL = 0;
export const DELETE = 1;
export const INSERT = 2;
export const WINDOW = 3;
const END = -1;

/**
 * Picks, among all alignments of least cost, the one that the tie rule names: from the end, each kept place gets its
 * best value and the move that leads to it.
 *
 * Tie rule: most matches, then least total window length, then from the left match before substitute before delete
 * before insert. Places of one row and column have one future, so the first best move from the left is found by
 * preferring, at each place, the move whose entries come first.
 *
 * Complexity: O(kept places), each times its windows. Memory: one number per kept place.
 */
export class BestPath {
  readonly #near: Neighbours;
  readonly #kept: KeptPlaces;
  readonly #budget: WorkBudget;
  readonly #firstElement: number;
  #windowValue = 0;

  constructor(
    input: AlignmentInput,
    costs: TailCosts,
    windows: GroupWindows,
    budget: WorkBudget,
    firstElement: number,
  ) {
    this.#near = new Neighbours(input, costs, windows);
    this.#kept = new KeptPlaces(this.#near, budget);
    this.#budget = budget;
    this.#firstElement = firstElement;
  }

  /** The moves from (firstElement, firstActual) to the end; undefined when the budget ran out. */
  *solve(firstActual: number, cost: number): Sliced<number[] | undefined> {
    // Other code begins, three times, which may not have been compiled yet.
    if (this.#budget.has_paused) yield;
    if (!(yield* this.#kept.collect(this.#firstElement, firstActual, cost))) return undefined;
    if (this.#budget.has_paused) yield;
    const moves = yield* this.#evaluate();
    if (this.#budget.has_paused) yield;
    return this.#follow(moves);
  }

  /** Best move of every kept place, the last place first. */
  *#evaluate(): Sliced<Numbers> {
    const { places, rows, forced } = this.#kept;
    const { actual, grouped } = this.#near.input;
    const moves = new Numbers();
    // Of two rows, in turn: the values of their kept places. A row has at most one for each actual index.
    let here = new Float64Array(actual.length + 1);
    let below: Below = { values: new Float64Array(actual.length + 1), at: new Int32Array(actual.length + 1) };
    for (let row = rows.length - 2; row >= 0; row -= 1) {
      const start = rows[row] as number;
      const end = rows[row + 1] as number;
      const element = this.#firstElement + row;
      const size = forced[row] as number;
      const isGroup = element < grouped.length && grouped[element] === 1;
      if (size >= 0) {
        // Every alignment passes a lone place: what it gains there makes none of them better than another.
        here[0] = valueAt(below, places.at(start) + size);
        moves.push(isGroup ? WINDOW + size : DIAGONAL);
      } else {
        for (let index = end - 1; index >= start; index -= 1) {
          const window = isGroup ? yield* this.#chooseWindow(element, index, below) : -1;
          moves.push(this.#choose(index, here, index - start, below, window));
          if (index > start) this.#budget.spend(1);
          if (this.#budget.pauses()) yield;
        }
      }
      this.#budget.passTime(1);
      if (this.#budget.pauses()) yield;
      const { at } = below;
      for (let index = start; index < end; index += 1) at[places.at(index)] = index - start;
      const free = below.values;
      below = { values: here, at };
      here = free;
    }
    return moves;
  }

  /** Match before substitute before delete before insert: a later move must be better to be chosen. */
  #choose(index: number, here: Float64Array, offset: number, below: Below, window: number): number {
    const { actual } = this.#near.input;
    const place = this.#kept.places.at(index);
    const options = this.#kept.optionsOf(index);
    let move = END;
    let best = Number.NEGATIVE_INFINITY;
    if (window >= 0) {
      best = this.#windowValue;
      move = WINDOW + window;
    } else if ((options & (CAN_MATCH | CAN_SUBSTITUTE)) !== 0) {
      // One match outweighs all window lengths together, which never add up to more than the actual items.
      best = valueAt(below, place + 1) + (options === CAN_MATCH ? actual.length + 1 : 0);
      move = DIAGONAL;
    }
    if ((options & CAN_DELETE) !== 0 && valueAt(below, place) > best) {
      best = valueAt(below, place);
      move = DELETE;
    }
    // The place after an insertion is the next one kept in this row.
    if ((options & CAN_INSERT) !== 0 && (here[offset + 1] as number) > best) {
      best = here[offset + 1] as number;
      move = INSERT;
    }
    here[offset] = move === END ? 0 : best;
    return move;
  }

  /** Length of the best window of a group from a kept place, its value in `#windowValue`; -1: none leads on. */
  *#chooseWindow(element: number, index: number, below: Below): Sliced<number> {
    const perMatch = this.#near.input.actual.length + 1;
    const place = this.#kept.places.at(index);
    const tail = this.#kept.tailOf(index);
    this.#near.collect(element, place, tail);
    const { windows } = this.#near;
    const { lengths, matched } = windows;
    let chosen = -1;
    let best = 0;
    for (let candidate = 0; candidate < lengths.length; candidate += 1) {
      const length = lengths[candidate] as number;
      const found = matched[candidate] as number;
      if (!this.#near.leads(element + 1, place + length, tail - this.#near.price(element, length, found))) continue;
      const value = found * perMatch - length + valueAt(below, place + length);
      if (chosen >= 0 && value < best) continue;
      if (chosen >= 0 && value === best && !(yield* windows.comesFirst(element, place, candidate, chosen))) continue;
      chosen = candidate;
      best = value;
    }
    this.#windowValue = best;
    return chosen < 0 ? -1 : (lengths[chosen] as number);
  }

  /** The best moves from the first place on. */
  #follow(moves: Numbers): number[] {
    const { places } = this.#kept;
    const followed: number[] = [];
    let row = 0;
    let index = 0;
    for (;;) {
      const move = moves.at(places.length - 1 - index);
      if (move === END) return followed;
      followed.push(move);
      if (move === INSERT) index += 1;
      else {
        const taken = move >= WINDOW ? move - WINDOW : move === DIAGONAL ? 1 : 0;
        row += 1;
        index = this.#kept.indexOf(row, places.at(index) + taken);
      }
    }
  }
}

/** The row below one that is looked at. */
interface Below {
  /** By offset in the row. */
  readonly values: Float64Array<ArrayBuffer>;
  /** Offset of the kept place at each actual index; stale entries are never asked for. */
  readonly at: Int32Array;
}

function valueAt({ values, at }: Below, place: number): number {
  return values[at[place] as number] as number;
}
