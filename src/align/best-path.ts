import type { AlignmentInput, WorkBudget } from "./alignment.ts";
import type { TailCosts } from "./distance.ts";
import { CAN_DELETE, CAN_INSERT, CAN_MATCH, CAN_SUBSTITUTE, KeptPlaces } from "./kept-places.ts";
import { Neighbours } from "./neighbours.ts";
import type { Sliced } from "./sliced.ts";
import { compareWindows } from "./window-order.ts";
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
 * Complexity: O(kept places), each times its windows. Memory: three numbers per kept place.
 */
export class BestPath {
  readonly #near: Neighbours;
  readonly #kept: KeptPlaces;
  readonly #budget: WorkBudget;
  readonly #firstElement: number;

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
    this.#budget.warmUp();
    if (!(yield* this.#kept.collect(this.#firstElement, firstActual, cost))) return undefined;
    this.#budget.warmUp();
    return this.#moves(yield* this.#evaluate());
  }

  /** Best move and following place of every kept place, from the end. */
  *#evaluate(): Sliced<Choices> {
    const total = this.#kept.places.length;
    const choices: Choices = {
      values: new Float64Array(total),
      moves: new Int32Array(total),
      targets: new Int32Array(total),
    };
    // Index of the kept place at each actual index of the row below; stale entries are never asked for.
    const below = new Int32Array(this.#near.input.actual.length + 1);
    for (let row = this.#kept.rows.length - 2; row >= 0; row -= 1) {
      const start = this.#kept.rows[row] as number;
      const end = this.#kept.rows[row + 1] as number;
      const element = this.#firstElement + row;
      const size = this.#kept.forced[row] as number;
      if (size >= 0) {
        const group = this.#near.input.grouped[element] === 1;
        const target = below[(this.#kept.places[start] as number) + size] as number;
        // Every alignment passes a lone place: what it gains there makes none of them better than another.
        choices.values[start] = choices.values[target] as number;
        choices.moves[start] = group ? WINDOW + size : DIAGONAL;
        choices.targets[start] = target;
      } else {
        for (let index = end - 1; index >= start; index -= 1) {
          this.#choose(element, index, below, choices);
          if (index > start) this.#budget.spend(1);
          if (this.#budget.pauses()) yield;
        }
      }
      this.#budget.passTime(1);
      if (this.#budget.pauses()) yield;
      for (let index = start; index < end; index += 1) below[this.#kept.places[index] as number] = index;
    }
    return choices;
  }

  /** Match before substitute before delete before insert: a later move must be better to be chosen. */
  #choose(element: number, index: number, below: Int32Array, choices: Choices): void {
    const { values, moves, targets } = choices;
    const place = this.#kept.places[index] as number;
    const options = this.#kept.options[index] as number;
    moves[index] = END;
    let best = Number.NEGATIVE_INFINITY;
    if (element < this.#near.input.grouped.length && this.#near.input.grouped[element] === 1) {
      this.#chooseWindow(element, index, below, choices);
      if (moves[index] !== END) best = values[index] as number;
    } else if ((options & (CAN_MATCH | CAN_SUBSTITUTE)) !== 0) {
      const target = below[place + 1] as number;
      // One match outweighs all window lengths together, which never add up to more than the actual items.
      best = (values[target] as number) + (options === CAN_MATCH ? this.#near.input.actual.length + 1 : 0);
      moves[index] = DIAGONAL;
      targets[index] = target;
    }
    if ((options & CAN_DELETE) !== 0 && (values[below[place] as number] as number) > best) {
      best = values[below[place] as number] as number;
      moves[index] = DELETE;
      targets[index] = below[place] as number;
    }
    // The place after an insertion is the next one kept in this row.
    if ((options & CAN_INSERT) !== 0 && (values[index + 1] as number) > best) {
      best = values[index + 1] as number;
      moves[index] = INSERT;
      targets[index] = index + 1;
    }
    values[index] = moves[index] === END ? 0 : best;
  }

  #chooseWindow(element: number, index: number, below: Int32Array, choices: Choices): void {
    const place = this.#kept.places[index] as number;
    const tail = this.#kept.tails[index] as number;
    const perMatch = this.#near.input.actual.length + 1;
    this.#near.collect(element, place, tail);
    const { lengths, matched } = this.#near.windows;
    let chosen = -1;
    let best = 0;
    for (let candidate = 0; candidate < lengths.length; candidate += 1) {
      const length = lengths[candidate] as number;
      const found = matched[candidate] as number;
      if (!this.#near.leads(element + 1, place + length, tail - this.#near.price(element, length, found))) continue;
      const target = below[place + length] as number;
      const value = found * perMatch - length + (choices.values[target] as number);
      if (chosen >= 0 && value < best) continue;
      if (chosen >= 0 && value === best && this.#comesLater(element, place, length, lengths[chosen] as number))
        continue;
      chosen = candidate;
      best = value;
      choices.targets[index] = target;
    }
    if (chosen < 0) return;
    choices.values[index] = best;
    choices.moves[index] = WINDOW + (lengths[chosen] as number);
  }

  /** Whether the first of two windows that are otherwise equally good shows its entries in the later order. */
  #comesLater(element: number, place: number, length: number, other: number): boolean {
    const size = this.#near.price(element, 0, 0);
    const first = this.#near.windows.assign(element, place, length);
    return compareWindows(size, first, this.#near.windows.assign(element, place, other)) > 0;
  }

  #moves(choices: Choices): number[] {
    const moves: number[] = [];
    for (let index = 0; choices.moves[index] !== END; index = choices.targets[index] as number) {
      moves.push(choices.moves[index] as number);
    }
    return moves;
  }
}

interface Choices {
  readonly values: Float64Array;
  readonly moves: Int32Array;
  readonly targets: Int32Array;
}
