import type { AlignmentInput, WorkBudget } from "./alignment.ts";
import type { TailCosts } from "./distance.ts";
import { compareWindows } from "./window-order.ts";
import type { GroupWindows } from "./windows.ts";

/** Moves along a path; a group's window of length w is `WINDOW + w`. */
export const DIAGONAL = 0;
export const DELETE = 1;
export const INSERT = 2;
export const WINDOW = 3;
const END = -1;

/**
 * Picks, among all alignments of least cost, the one that the tie rule names.
 *
 * Only places that lie on some alignment of least cost are kept, row by row (a row is an element); then, from the end,
 * each place gets its best value and the move that leads to it.
 *
 * Tie rule: most matches, then least total window length, then from the left match before substitute before delete
 * before insert. Where a single item equals the actual item, matching them is always the one best move: any
 * alignment that does something else there can be changed to match them without being worse in any of these, and it
 * is better in the last. So runs of equal items keep one place per row.
 *
 * Complexity: O(places on alignments of least cost), each times its windows. Memory: four numbers per such place.
 */
export class BestPath {
  readonly #input: AlignmentInput;
  readonly #costs: TailCosts;
  readonly #windows: GroupWindows;
  readonly #budget: WorkBudget;
  readonly #firstElement: number;
  /** Actual index and tail cost of every kept place, row by row, ascending within a row. */
  readonly #places: number[] = [];
  readonly #tails: number[] = [];
  readonly #rows: number[] = [];

  constructor(
    input: AlignmentInput,
    costs: TailCosts,
    windows: GroupWindows,
    budget: WorkBudget,
    firstElement: number,
  ) {
    this.#input = input;
    this.#costs = costs;
    this.#windows = windows;
    this.#budget = budget;
    this.#firstElement = firstElement;
  }

  /** The moves from (firstElement, firstActual) to the end; undefined when the budget ran out. */
  solve(firstActual: number, cost: number): number[] | undefined {
    const last = this.#input.grouped.length;
    let row: Row = { places: [firstActual], tails: [cost] };
    for (let element = this.#firstElement; element <= last; element += 1) {
      if (row.places.length === 1) {
        const place = row.places[0] as number;
        const tail = row.tails[0] as number;
        const next = this.#run(element, place, tail);
        if (next > element) row = { places: [place + next - element], tails: [tail] };
        element = next;
        if (element > last) break;
      }
      row = this.#expandRow(element, row);
      if (this.#budget.exhausted) return undefined;
    }
    this.#rows.push(this.#places.length);
    return this.#moves(this.#evaluate());
  }

  /** Keeps one place per row while single items match from a lone place on; gives the row behind them. */
  #run(element: number, place: number, tail: number): number {
    const { grouped } = this.#input;
    let at = element;
    while (at < grouped.length && grouped[at] === 0 && this.#matches(at, place + at - element)) {
      this.#rows.push(this.#places.length);
      this.#places.push(place + at - element);
      this.#tails.push(tail);
      at += 1;
    }
    return at;
  }

  /** Keeps the places of one row, insertions within the row included, and gives those of the next. */
  #expandRow(element: number, incoming: Row): Row {
    const next = new NextRow();
    const arrivals = incoming.places.length;
    this.#rows.push(this.#places.length);
    let arrival = 0;
    let inserted = -1;
    let insertedTail = 0;
    while (arrival < arrivals || inserted >= 0) {
      let place = inserted;
      let tail = insertedTail;
      if (place < 0 || (arrival < arrivals && (incoming.places[arrival] as number) <= place)) {
        place = incoming.places[arrival] as number;
        tail = incoming.tails[arrival] as number;
        arrival += 1;
      }
      this.#places.push(place);
      this.#tails.push(tail);
      const forced = this.#leave(element, place, tail, next);
      inserted = !forced && this.#canInsert(element, place, tail) ? place + 1 : -1;
      insertedTail = tail - 1;
    }
    this.#budget.spend(this.#places.length - (this.#rows[this.#rows.length - 1] as number) - 1);
    return next.sorted();
  }

  /** Collects where a place leads in the next row; true when matching is the only best move. */
  #leave(element: number, place: number, tail: number, next: NextRow): boolean {
    const { grouped } = this.#input;
    if (element === grouped.length) return false;
    if (grouped[element] === 1) {
      this.#collectWindows(element, place, tail);
      const { lengths, matched } = this.#windows;
      for (let index = 0; index < lengths.length; index += 1) {
        const length = lengths[index] as number;
        const price = this.#price(element, length, matched[index] as number);
        if (this.#leads(element + 1, place + length, tail - price)) next.add(place + length, tail - price);
      }
      return false;
    }
    if (this.#matches(element, place)) {
      next.add(place + 1, tail);
      return true;
    }
    if (this.#leads(element + 1, place, tail - 1)) next.add(place, tail - 1);
    if (this.#leads(element + 1, place + 1, tail - 1)) next.add(place + 1, tail - 1);
    return false;
  }

  #matches(element: number, place: number): boolean {
    const { expected, offsets, actual, equal } = this.#input;
    if (place >= actual.length) return false;
    return equal(expected[offsets[element] as number] as number, actual[place] as number);
  }

  /** Whether a place exists and its tails cost no more than `tail`. */
  #leads(element: number, place: number, tail: number): boolean {
    if (tail < 0 || place > this.#input.actual.length) return false;
    return this.#costs.within(tail, place - (this.#input.offsets[element] as number), element);
  }

  #canInsert(element: number, place: number, tail: number): boolean {
    return this.#leads(element, place + 1, tail - 1);
  }

  #collectWindows(element: number, place: number, tail: number): void {
    const diagonal = place - (this.#input.offsets[element] as number);
    this.#windows.collect(element, place, this.#costs.excess(tail, diagonal));
  }

  #price(element: number, length: number, matched: number): number {
    const { offsets } = this.#input;
    const size = (offsets[element + 1] as number) - (offsets[element] as number);
    return Math.max(size, length) - matched;
  }

  /** Best move and following place of every kept place, from the end. */
  #evaluate(): Choices {
    const total = this.#places.length;
    const choices: Choices = {
      values: new Float64Array(total),
      moves: new Int32Array(total),
      targets: new Int32Array(total).fill(-1),
    };
    // Index of the kept place at each actual index of the row below; stale entries are never asked for.
    const below = new Int32Array(this.#input.actual.length + 1);
    for (let row = this.#rows.length - 2; row >= 0; row -= 1) {
      const start = this.#rows[row] as number;
      const end = this.#rows[row + 1] as number;
      const element = this.#firstElement + row;
      if (end - start === 1 && this.#isSingleMatch(element, start)) {
        // What follows a lone place of a run is the one place of the next row that continues it.
        const target = below[(this.#places[start] as number) + 1] as number;
        choices.values[start] = (choices.values[target] as number) + this.#input.actual.length + 1;
        choices.moves[start] = DIAGONAL;
        choices.targets[start] = target;
      } else {
        for (let index = end - 1; index >= start; index -= 1) this.#choose(element, index, below, choices);
      }
      for (let index = start; index < end; index += 1) below[this.#places[index] as number] = index;
    }
    return choices;
  }

  #isSingleMatch(element: number, index: number): boolean {
    const { grouped } = this.#input;
    return element < grouped.length && grouped[element] === 0 && this.#matches(element, this.#places[index] as number);
  }

  #choose(element: number, index: number, below: Int32Array, choices: Choices): void {
    const place = this.#places[index] as number;
    const tail = this.#tails[index] as number;
    const { grouped } = this.#input;
    choices.moves[index] = END;
    let best = Number.NEGATIVE_INFINITY;
    const offer = (move: number, target: number, gain: number): void => {
      const value = (choices.values[target] as number) + gain;
      if (value <= best) return;
      best = value;
      choices.values[index] = value;
      choices.moves[index] = move;
      choices.targets[index] = target;
    };
    // One match outweighs all window lengths together, which never add up to more than the actual items.
    const perMatch = this.#input.actual.length + 1;
    if (element < grouped.length && grouped[element] === 1) {
      this.#chooseWindow(element, index, below, choices);
      best = choices.moves[index] === END ? best : (choices.values[index] as number);
    } else if (element < grouped.length) {
      if (this.#matches(element, place)) {
        offer(DIAGONAL, below[place + 1] as number, perMatch);
        return;
      }
      if (this.#leads(element + 1, place + 1, tail - 1)) offer(DIAGONAL, below[place + 1] as number, 0);
      if (this.#leads(element + 1, place, tail - 1)) offer(DELETE, below[place] as number, 0);
    }
    // The place after an insertion is the next one kept in this row.
    if (this.#canInsert(element, place, tail)) offer(INSERT, index + 1, 0);
  }

  #chooseWindow(element: number, index: number, below: Int32Array, choices: Choices): void {
    const place = this.#places[index] as number;
    const tail = this.#tails[index] as number;
    const perMatch = this.#input.actual.length + 1;
    this.#collectWindows(element, place, tail);
    const { lengths, matched } = this.#windows;
    let chosen = -1;
    let best = 0;
    for (let candidate = 0; candidate < lengths.length; candidate += 1) {
      const length = lengths[candidate] as number;
      const found = matched[candidate] as number;
      if (!this.#leads(element + 1, place + length, tail - this.#price(element, length, found))) continue;
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
    const size = this.#price(element, 0, 0);
    const first = this.#windows.assign(element, place, length);
    return compareWindows(size, first, this.#windows.assign(element, place, other)) > 0;
  }

  #moves(choices: Choices): number[] {
    const moves: number[] = [];
    for (let index = 0; choices.moves[index] !== END; index = choices.targets[index] as number) {
      moves.push(choices.moves[index] as number);
    }
    return moves;
  }
}

interface Row {
  readonly places: readonly number[];
  readonly tails: readonly number[];
}

interface Choices {
  readonly values: Float64Array;
  readonly moves: Int32Array;
  readonly targets: Int32Array;
}

/** Gathers the places of the next row, each once. */
class NextRow {
  readonly #places: number[] = [];
  readonly #tails: number[] = [];
  #ascending = true;

  add(place: number, tail: number): void {
    const last = this.#places.length - 1;
    if (last >= 0) {
      const previous = this.#places[last] as number;
      if (previous === place) return;
      if (previous > place) this.#ascending = false;
    }
    this.#places.push(place);
    this.#tails.push(tail);
  }

  sorted(): Row {
    if (this.#ascending) return { places: this.#places, tails: this.#tails };
    // A place has one tail cost, however it was reached.
    const tails = new Map(this.#places.map((place, index) => [place, this.#tails[index] as number]));
    const places = [...tails.keys()].sort((left, right) => left - right);
    return { places, tails: places.map((place) => tails.get(place) as number) };
  }
}
