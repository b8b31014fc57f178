import type { ClassEquality } from "./alignment.ts";
import { Seats } from "./seats.ts";

/** Groups with more distinct members than this remember which members an item equals. */
const SMALL = 16;

/**
 * Largest matching between the members of one group and a window of actual items that grows to the right.
 *
 * Source: augmenting paths (Berge; Kuhn's algorithm), here over classes with capacities instead of single vertices, so
 * that a thousand equal members are one vertex. An item that cannot be added to a window never can be once the window
 * has grown (the sets of items that can be matched together form a transversal matroid), hence the memory of refusals.
 *
 * Complexity: reset O(distinct members); adding an item O(distinct members) when one that it equals is free, else
 * O(edges between classes). Memory: O(members + distinct items seen), kept between windows.
 *
 * Tie rule: from the left, each item takes the first member as written that keeps the matching largest.
 */
export class GroupMatcher {
  readonly #equal: ClassEquality;
  readonly #seats: Seats;
  /** Slots that an item equals, remembered for groups with many slots. */
  #slots: Map<number, number[]> | undefined;
  #refused: Set<number> | undefined;
  readonly size: number;
  #matched = 0;

  constructor(members: Int32Array, equal: ClassEquality) {
    this.#equal = equal;
    this.size = members.length;
    this.#seats = new Seats(members);
  }

  /** Size of the largest matching of the window so far. */
  get matched(): number {
    return this.#matched;
  }

  /** Begins an empty window. */
  reset(): void {
    this.#seats.reset();
    this.#refused?.clear();
    this.#matched = 0;
  }

  /** Whether any member equals the item at all. */
  accepts(item: number): boolean {
    for (const member of this.#seats.classes) if (this.#equal(member, item)) return true;
    return false;
  }

  /** Extends the window by one item; true when the largest matching grew. */
  add(item: number): boolean {
    if (this.#matched === this.size) return false;
    if (this.#refused?.has(item)) return false;
    if (this.#augment(item)) {
      this.#matched += 1;
      return true;
    }
    return false;
  }

  /**
   * Position of the member that each item of the window takes, or -1: from the left, each item takes the first member
   * as written that keeps the matching largest.
   */
  assign(window: Int32Array): Int32Array {
    this.reset();
    // Items still to come that have no member in the matching at hand, by class.
    const unmatched = new Map<number, number>();
    for (const item of window) if (unmatched.has(item) || !this.#augment(item)) count(unmatched, item, 1);
    // Seats of each slot that have been given away: within a class the members are taken as written.
    const settled = new Int32Array(this.#seats.classes.length);
    return window.map((item) => {
      const slot = this.#settle(item, settled, unmatched);
      if (slot === undefined) return -1;
      const seat = (this.#seats.first[slot] as number) + (settled[slot] as number);
      settled[slot] = (settled[slot] as number) + 1;
      return this.#seats.positions[seat] as number;
    });
  }

  /** Fixes one item on the first member class, as written, that still leaves a largest matching; or on none. */
  #settle(item: number, settled: Int32Array, unmatched: Map<number, number>): number | undefined {
    const seatOf = (slot: number): number => (this.#seats.first[slot] as number) + (settled[slot] as number);
    const candidates = this.#slotsOf(item).filter((slot) => seatOf(slot) < (this.#seats.first[slot + 1] as number));
    if (candidates.length > 1) {
      const positions = this.#seats.positions;
      candidates.sort((left, right) => (positions[seatOf(left)] as number) - (positions[seatOf(right)] as number));
    }
    const home = candidates.find((slot) => this.#seats.leave(slot, item));
    if (home === undefined) count(unmatched, item, -1);
    return candidates.find((slot) => this.#fix(slot, home === undefined, unmatched));
  }

  /**
   * Takes one seat of a member class out of the matching, for good. Whoever sat there may lose its place when the item
   * had none before; else it, or another item still to come, must find one.
   */
  #fix(slot: number, replaces: boolean, unmatched: Map<number, number>): boolean {
    const seats = this.#seats.seats[slot] as number;
    if (seats === 0) return false;
    this.#seats.seats[slot] = seats - 1;
    if ((this.#seats.taken[slot] as number) < seats) return true;
    const other = this.#seats.seated[this.#seats.first[slot] as number] as number;
    this.#seats.leave(slot, other);
    if (replaces) {
      count(unmatched, other, 1);
      return true;
    }
    if (this.#augment(other)) return true;
    for (const waiting of unmatched.keys()) {
      if (!this.#augment(waiting)) continue;
      count(unmatched, waiting, -1);
      count(unmatched, other, 1);
      return true;
    }
    this.#seats.seats[slot] = seats;
    this.#seats.enter(slot, other);
    return false;
  }

  /** Slots whose class the item equals. */
  #slotsOf(item: number): number[] {
    const known = this.#slots?.get(item);
    if (known !== undefined) return known;
    const slots: number[] = [];
    for (let slot = 0; slot < this.#seats.classes.length; slot += 1) {
      if (this.#equal(this.#seats.classes[slot] as number, item)) slots.push(slot);
    }
    if (this.#seats.classes.length > SMALL) {
      this.#slots ??= new Map();
      this.#slots.set(item, slots);
    }
    return slots;
  }

  /** Finds the item a seat, moving others along a shortest augmenting path when it must. */
  #augment(item: number): boolean {
    if (this.#seats.classes.length > SMALL) {
      const slots = this.#slotsOf(item);
      for (const slot of slots) if (this.#seats.sit(slot, item)) return true;
      return slots.length > 0 && this.#search(item);
    }
    let equals = false;
    for (let slot = 0; slot < this.#seats.classes.length; slot += 1) {
      if (!this.#equal(this.#seats.classes[slot] as number, item)) continue;
      if (this.#seats.sit(slot, item)) return true;
      equals = true;
    }
    return equals && this.#search(item);
  }

  /** Breadth first over slots: `movers[slot]` is the item class that would move there, `origins[slot]` from where. */
  #search(item: number): boolean {
    const movers = new Map<number, number>();
    const origins = new Map<number, number>();
    const seen = new Set<number>([item]);
    const queue: number[] = [];
    const reach = (mover: number, origin: number): void => {
      for (const slot of this.#slotsOf(mover)) {
        if (movers.has(slot)) continue;
        movers.set(slot, mover);
        origins.set(slot, origin);
        queue.push(slot);
      }
    };
    reach(item, -1);
    for (let head = 0; head < queue.length; head += 1) {
      const slot = queue[head] as number;
      const first = this.#seats.first[slot] as number;
      const taken = this.#seats.taken[slot] as number;
      if (taken < (this.#seats.seats[slot] as number)) {
        this.#shift(slot, movers, origins);
        return true;
      }
      for (let seat = first; seat < first + taken; seat += 1) {
        const occupant = this.#seats.seated[seat] as number;
        if (seen.has(occupant)) continue;
        seen.add(occupant);
        reach(occupant, slot);
      }
    }
    this.#refused ??= new Set();
    this.#refused.add(item);
    return false;
  }

  #shift(end: number, movers: ReadonlyMap<number, number>, origins: ReadonlyMap<number, number>): void {
    for (let slot = end; slot !== -1; ) {
      const mover = movers.get(slot) as number;
      const origin = origins.get(slot) as number;
      if (origin !== -1) this.#seats.leave(origin, mover);
      this.#seats.enter(slot, mover);
      slot = origin;
    }
  }
}

function count(counts: Map<number, number>, key: number, change: number): void {
  const now = (counts.get(key) ?? 0) + change;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
