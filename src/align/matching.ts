import { type ClassEquality, WorkBudget, type WorkLimits } from "./alignment.ts";
import { Seats } from "./seats.ts";
import type { Sliced } from "./sliced.ts";

/** Groups with more distinct members than this remember which members an item equals. */
const SMALL = 16;

/**
 * For each item the position of the member that it takes in a largest matching, or -1, by the tie rule of
 * {@link GroupMatcher}; undefined beyond the work limit.
 *
 * Complexity: O(items + members) where each item equals one class, O(items * edges between classes) at worst.
 */
export function* largestMatching(
  members: Int32Array,
  items: Int32Array,
  equal: ClassEquality,
  limits?: WorkLimits,
): Sliced<Int32Array | undefined> {
  const budget = new WorkBudget(limits);
  const work = new GroupMatcher(members, equal, budget).assign(items);
  for (;;) {
    const slice = work.next();
    if (budget.exhausted) return undefined;
    if (slice.done === true) return slice.value;
    yield;
  }
}

/**
 * Largest matching between the members of one group and a window of actual items that grows to the right.
 *
 * Source: augmenting paths (Berge; Kuhn's algorithm), here over classes with capacities instead of single vertices, so
 * that a thousand equal members are one vertex. An item that cannot be added to a window never can be once the window
 * has grown (the sets of items that can be matched together form a transversal matroid), hence the memory of refusals.
 *
 * Complexity: reset O(distinct members); adding an item O(members that it equals) when one of them is free or none of
 * them could be, else O(edges between classes); an item is compared with all members the first time it is met, unless
 * the equality knows its partners. Memory: O(members + distinct items seen), kept between windows.
 *
 * Tie rule: from the left, each item takes the first member as written that keeps the matching largest.
 */
export class GroupMatcher {
  readonly #equal: ClassEquality;
  readonly #budget: WorkBudget;
  readonly #seats: Seats;
  /** Slots that an item equals, remembered for groups with many slots. */
  #slots: Map<number, number[]> | undefined;
  #refused: Set<number> | undefined;
  readonly size: number;
  #matched = 0;

  /** `budget` is charged for comparisons of classes, and for those that look for a place in vain. */
  constructor(members: Int32Array, equal: ClassEquality, budget: WorkBudget) {
    this.#equal = equal;
    this.#budget = budget;
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
    return this.#slotsOf(item).length > 0;
  }

  /** Whether an item equals members of several classes, so that which of them it takes matters to others. */
  hasChoice(item: number): boolean {
    return this.#slotsOf(item).length > 1;
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
  *assign(window: Int32Array): Sliced<Int32Array> {
    this.reset();
    // Items still to come that have no member in the matching at hand, by class.
    const unmatched = new Map<number, number>();
    for (const item of window) {
      if (unmatched.has(item) || !this.#augment(item)) count(unmatched, item, 1);
      if (this.#budget.pauses()) yield;
    }
    // Seats of each slot that have been given away: within a class the members are taken as written.
    const settled = new Int32Array(this.#seats.classes.length);
    const taken = new Int32Array(window.length).fill(-1);
    for (let index = 0; index < window.length; index += 1) {
      const slot = this.#settle(window[index] as number, settled, unmatched);
      if (this.#budget.pauses()) yield;
      if (slot === undefined) continue;
      const seat = (this.#seats.first[slot] as number) + (settled[slot] as number);
      settled[slot] = (settled[slot] as number) + 1;
      taken[index] = this.#seats.positions[seat] as number;
    }
    return taken;
  }

  /** Fixes one item on the first member class, as written, that still leaves a largest matching; or on none. */
  #settle(item: number, settled: Int32Array, unmatched: Map<number, number>): number | undefined {
    const seatOf = (slot: number): number => (this.#seats.first[slot] as number) + (settled[slot] as number);
    const candidates = this.#slotsOf(item).filter((slot) => seatOf(slot) < (this.#seats.first[slot + 1] as number));
    this.#budget.spend(1 + candidates.length);
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
    // Beyond the limit nobody asks any more who sits where.
    if (seats === 0 || this.#budget.exhausted) return false;
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
      if (this.#budget.exhausted) break;
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
    const slots = this.#findSlots(item);
    if (this.#seats.classes.length > SMALL) {
      this.#slots ??= new Map();
      this.#slots.set(item, slots);
    }
    return slots;
  }

  #findSlots(item: number): number[] {
    const { classes } = this.#seats;
    const slots: number[] = [];
    const partners = this.#equal.partners?.(item);
    if (partners !== undefined) {
      this.#budget.spend(partners.length);
      for (const partner of partners) {
        const slot = this.#seats.slotOf(partner);
        if (slot >= 0) slots.push(slot);
      }
      return slots.sort((left, right) => left - right);
    }
    this.#budget.spend(classes.length);
    for (let slot = 0; slot < classes.length; slot += 1) {
      if (this.#equal(classes[slot] as number, item)) slots.push(slot);
    }
    return slots;
  }

  /** Finds the item a seat, moving others along a shortest augmenting path when it must. */
  #augment(item: number): boolean {
    if (this.#seats.classes.length > SMALL) {
      const slots = this.#slotsOf(item);
      for (const slot of slots) if (this.#seats.sit(slot, item)) return true;
      return slots.some((slot) => this.#seats.seatsOther(slot, item)) && this.#search(item);
    }
    let movable = false;
    for (let slot = 0; slot < this.#seats.classes.length; slot += 1) {
      if (!this.#equal(this.#seats.classes[slot] as number, item)) continue;
      if (this.#seats.sit(slot, item)) return true;
      // Where all who sit are of the item's own class, nobody could go where the item cannot.
      movable ||= this.#seats.seatsOther(slot, item);
    }
    return movable && this.#search(item);
  }

  /** Breadth first over slots: `movers[slot]` is the item class that would move there, `origins[slot]` from where. */
  #search(item: number): boolean {
    const movers = new Map<number, number>();
    const origins = new Map<number, number>();
    const seen = new Set<number>([item]);
    const queue: number[] = [];
    const reach = (mover: number, origin: number): void => {
      const slots = this.#slotsOf(mover);
      this.#budget.spend(slots.length);
      for (const slot of slots) {
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
