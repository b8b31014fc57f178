import type { WorkBudget } from "./alignment.ts";
import type { Neighbours } from "./neighbours.ts";
import { Numbers } from "./numbers.ts";
import type { Sliced } from "./sliced.ts";
import { takeFirst } from "./take-first.ts";

/** Moves of a place, as bits. A match is the one best move where it is possible. */
export const CAN_MATCH = 1;
export const CAN_SUBSTITUTE = 2;
export const CAN_DELETE = 4;
export const CAN_INSERT = 8;

const OPTION_BITS = 4;
const OPTIONS = 15;

/** A place takes the time of so many cells more than the one that it counts for. */
const PLACE = 1;

/** A row takes the time of so many cells, however few places it has. */
const ROW = 40;

/**
 * The places that lie on some alignment of least cost, row by row; a row is an element, and one more for the end.
 *
 * Where a single item equals the actual item, matching them is the one best move: any alignment that does something
 * else there can be changed to match them without being worse by the tie rule, and it comes first from the left. So
 * runs of equal items keep one place per row.
 *
 * Complexity: O(kept places), each times its windows. Memory: two numbers per kept place, two per row.
 */
export class KeptPlaces {
  /** Actual index of every kept place, row by row, ascending within a row. */
  readonly places: Numbers = new Numbers();
  /** Its tail cost, above its single moves as bits; of a group's place only whether it has an insertion. */
  readonly #marks = new Numbers();
  /** Where each row begins in {@link places}, and where the last one ends. */
  readonly rows: number[] = [];
  /** By row: how many items the one best move of its lone place takes; -1 for a row with a choice. */
  readonly forced: number[] = [];
  readonly #near: Neighbours;
  readonly #budget: WorkBudget;

  constructor(near: Neighbours, budget: WorkBudget) {
    this.#near = near;
    this.#budget = budget;
  }

  /** What single moves a kept place has, as bits. */
  optionsOf(index: number): number {
    return this.#marks.at(index) & OPTIONS;
  }

  tailOf(index: number): number {
    return this.#marks.at(index) >>> OPTION_BITS;
  }

  /** Index of the kept place at an actual index of a row. O(log of its places). */
  indexOf(row: number, place: number): number {
    let low = this.rows[row] as number;
    let high = (this.rows[row + 1] as number) - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.places.at(middle) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Keeps every place that the one given leads to; false when the budget ran out. */
  *collect(firstElement: number, firstActual: number, cost: number): Sliced<boolean> {
    const last = this.#near.input.grouped.length;
    let row: Row = { places: [firstActual], tails: [cost] };
    for (let element = firstElement; element <= last; element += 1) {
      if (row.places.length === 1) {
        const place = this.#run(element, row.places[0] as number, row.tails[0] as number);
        row = { places: [place], tails: row.tails };
        element = firstElement + this.rows.length;
      }
      row = yield* this.#expandRow(element, row);
      this.#budget.passTime(ROW);
      if (this.#budget.pauses()) yield;
      if (this.#budget.exhausted) return false;
    }
    this.rows.push(this.places.length);
    return true;
  }

  /** Keeps one place per row while there is but one best move from a lone place on; gives the place behind them. */
  #run(element: number, place: number, tail: number): number {
    const { grouped } = this.#near.input;
    let at = place;
    for (let next = element; next < grouped.length; next += 1) {
      const size = this.#forcedSize(next, at, tail);
      if (size < 0) return at;
      this.rows.push(this.places.length);
      this.#keep(at, tail, 0);
      this.forced.push(size);
      at += size;
    }
    return at;
  }

  /** How many items the only best move from a place takes for free; -1 when there is a choice, or none that is free. */
  #forcedSize(element: number, place: number, tail: number): number {
    const { input } = this.#near;
    if (input.grouped[element] === 0) return this.#near.matches(element, place) ? 1 : -1;
    if (!takeFirst(input, element, place)) return -1;
    const size = this.#near.size(element);
    // A shorter window costs at least what it lacks, and leaves items to others. A longer one, or an insertion before one,
    // ends where this one does with insertions behind it: no better in cost and matches, and no shorter.
    for (let length = 0; length < size; length += 1) {
      if (this.#near.leads(element + 1, place + length, tail - (size - length))) return -1;
    }
    return size;
  }

  /** Keeps the places of one row, insertions within the row included, and gives those of the next. */
  *#expandRow(element: number, incoming: Row): Sliced<Row> {
    const next = new NextRow();
    const arrivals = incoming.places.length;
    const first = this.places.length;
    this.rows.push(first);
    this.forced.push(-1);
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
      // A row's first place is free: where there is no choice, there is no work.
      if (this.places.length > first) this.#budget.spend(1);
      let options = this.#leave(element, place, tail, next);
      if (options !== CAN_MATCH && this.#near.canInsert(element, place, tail)) options |= CAN_INSERT;
      this.#keep(place, tail, options);
      this.#budget.passTime(PLACE);
      inserted = (options & CAN_INSERT) === 0 ? -1 : place + 1;
      insertedTail = tail - 1;
      if (this.#budget.pauses()) yield;
    }
    return next.sorted();
  }

  #keep(place: number, tail: number, options: number): void {
    this.places.push(place);
    this.#marks.push((tail << OPTION_BITS) | options);
  }

  /** Collects where a place leads in the next row, and says by which moves; matching, where possible, is alone. */
  #leave(element: number, place: number, tail: number, next: NextRow): number {
    const { grouped } = this.#near.input;
    if (element === grouped.length) return 0;
    if (grouped[element] === 1) {
      this.#leaveGroup(element, place, tail, next);
      return 0;
    }
    if (this.#near.matches(element, place)) {
      next.add(place + 1, tail);
      return CAN_MATCH;
    }
    let options = 0;
    if (this.#near.leads(element + 1, place, tail - 1)) {
      next.add(place, tail - 1);
      options |= CAN_DELETE;
    }
    if (this.#near.leads(element + 1, place + 1, tail - 1)) {
      next.add(place + 1, tail - 1);
      options |= CAN_SUBSTITUTE;
    }
    return options;
  }

  #leaveGroup(element: number, place: number, tail: number, next: NextRow): void {
    this.#near.collect(element, place, tail);
    const { lengths, matched } = this.#near.windows;
    for (let index = 0; index < lengths.length; index += 1) {
      const length = lengths[index] as number;
      const left = tail - this.#near.price(element, length, matched[index] as number);
      if (this.#near.leads(element + 1, place + length, left)) next.add(place + length, left);
    }
  }
}

interface Row {
  readonly places: readonly number[];
  readonly tails: readonly number[];
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
