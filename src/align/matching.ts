import type { ClassEquality } from "./alignment.ts";

/**
 * Largest matching between the members of one group and a window of actual items that grows to the right.
 *
 * Source: augmenting paths (Berge; Kuhn's algorithm), here over classes with capacities instead of single vertices, so
 * that a thousand equal members are one vertex. An item that cannot be added to a window never can be once the window
 * has grown (the sets of items that can be matched together form a transversal matroid), hence the memory of refusals.
 *
 * Complexity: reset O(distinct members); adding an item O(1) when one of its members is free, else O(edges between
 * classes). Memory: O(distinct members + distinct items seen), kept between windows.
 *
 * Tie rule: from the left, each item takes the first member as written that keeps the matching largest.
 */
export class GroupMatcher {
  readonly #equal: ClassEquality;
  /** Distinct member classes in order of first appearance. */
  readonly #classes: number[] = [];
  /** Positions of each member class within the group, ascending. */
  readonly #positions: number[][] = [];
  readonly #free: Int32Array;
  /** How many items of each actual class sit on each member class. */
  readonly #occupants: Map<number, number>[] = [];
  readonly #targets: Map<number, number[]> = new Map();
  readonly #refused: Set<number> = new Set();
  readonly size: number;
  #matched = 0;

  constructor(members: Int32Array, equal: ClassEquality) {
    this.#equal = equal;
    this.size = members.length;
    const slots = new Map<number, number>();
    for (let position = 0; position < members.length; position += 1) {
      const member = members[position] as number;
      let slot = slots.get(member);
      if (slot === undefined) {
        slot = this.#classes.push(member) - 1;
        slots.set(member, slot);
        this.#positions.push([]);
        this.#occupants.push(new Map());
      }
      (this.#positions[slot] as number[]).push(position);
    }
    this.#free = new Int32Array(this.#classes.length);
    this.reset();
  }

  /** Size of the largest matching of the window so far. */
  get matched(): number {
    return this.#matched;
  }

  /** Begins an empty window. */
  reset(): void {
    for (let slot = 0; slot < this.#free.length; slot += 1) {
      this.#free[slot] = (this.#positions[slot] as number[]).length;
      const occupants = this.#occupants[slot] as Map<number, number>;
      if (occupants.size > 0) occupants.clear();
    }
    if (this.#refused.size > 0) this.#refused.clear();
    this.#matched = 0;
  }

  /** Whether any member equals the item at all. */
  accepts(item: number): boolean {
    return this.#targetsOf(item).length > 0;
  }

  /** Extends the window by one item; true when the largest matching grew. */
  add(item: number): boolean {
    if (this.#matched === this.size || this.#refused.has(item)) return false;
    if (!this.#augment(item)) {
      this.#refused.add(item);
      return false;
    }
    this.#matched += 1;
    return true;
  }

  /**
   * Position of the member that each item of the window takes, or -1: from the left, each item takes the first member
   * as written that keeps the matching largest.
   */
  assign(window: Int32Array): Int32Array {
    this.reset();
    // Items still to come that have no member in the matching at hand, by class.
    const unmatched = new Map<number, number>();
    for (const item of window) if (!this.#augment(item)) unmatched.set(item, (unmatched.get(item) ?? 0) + 1);
    // Next unused position of each member class: within a class the members are taken as written.
    const next = new Int32Array(this.#classes.length);
    return window.map((item) => {
      const slot = this.#settle(item, next, unmatched);
      if (slot === undefined) return -1;
      const used = next[slot] as number;
      next[slot] = used + 1;
      return (this.#positions[slot] as number[])[used] as number;
    });
  }

  /** Fixes one item on the first member class, as written, that still leaves a largest matching; or on none. */
  #settle(item: number, next: Int32Array, unmatched: Map<number, number>): number | undefined {
    const nextPosition = (slot: number): number => this.#positions[slot]?.[next[slot] as number] ?? -1;
    const candidates = this.#targetsOf(item).filter((slot) => nextPosition(slot) >= 0);
    if (candidates.length > 1) candidates.sort((left, right) => nextPosition(left) - nextPosition(right));
    const home = candidates.find((slot) => this.#occupants[slot]?.has(item));
    if (home === undefined) count(unmatched, item, -1);
    else this.#leave(home, item);
    return candidates.find((slot) => this.#fix(slot, home === undefined, unmatched));
  }

  /**
   * Takes one place of a member class out of the matching, for good. Whoever sat there may lose its place when the
   * item had none before; else it, or another item still to come, must find one.
   */
  #fix(slot: number, replaces: boolean, unmatched: Map<number, number>): boolean {
    this.#free[slot] = (this.#free[slot] as number) - 1;
    if ((this.#free[slot] as number) >= 0) return true;
    const [other] = (this.#occupants[slot] as Map<number, number>).keys();
    if (other !== undefined) {
      this.#leave(slot, other);
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
      this.#enter(slot, other);
      this.#free[slot] = (this.#free[slot] as number) - 1;
    }
    this.#free[slot] = (this.#free[slot] as number) + 1;
    return false;
  }

  #targetsOf(item: number): number[] {
    let targets = this.#targets.get(item);
    if (targets === undefined) {
      targets = [];
      for (let slot = 0; slot < this.#classes.length; slot += 1) {
        if (this.#equal(this.#classes[slot] as number, item)) targets.push(slot);
      }
      this.#targets.set(item, targets);
    }
    return targets;
  }

  #enter(slot: number, item: number): void {
    const occupants = this.#occupants[slot] as Map<number, number>;
    occupants.set(item, (occupants.get(item) ?? 0) + 1);
  }

  /** Takes one item off a member class and gives the place back. */
  #leave(slot: number, item: number): void {
    const occupants = this.#occupants[slot] as Map<number, number>;
    const count = occupants.get(item) as number;
    if (count === 1) occupants.delete(item);
    else occupants.set(item, count - 1);
    this.#free[slot] = (this.#free[slot] as number) + 1;
  }

  /** Finds the item a place, moving others along a shortest augmenting path when it must. */
  #augment(item: number): boolean {
    for (const slot of this.#targetsOf(item)) {
      if ((this.#free[slot] as number) === 0) continue;
      this.#free[slot] = (this.#free[slot] as number) - 1;
      this.#enter(slot, item);
      return true;
    }
    // Breadth first over member classes: `from[slot]` is the item class that would move onto the slot, `via` the slot
    // that it would leave (-1 for the new item).
    const from = new Map<number, number>();
    const via = new Map<number, number>();
    const seen = new Set<number>([item]);
    const queue: number[] = [];
    const reach = (mover: number, leaving: number): void => {
      for (const slot of this.#targetsOf(mover)) {
        if (from.has(slot)) continue;
        from.set(slot, mover);
        via.set(slot, leaving);
        queue.push(slot);
      }
    };
    reach(item, -1);
    for (let head = 0; head < queue.length; head += 1) {
      const slot = queue[head] as number;
      if ((this.#free[slot] as number) > 0) {
        this.#shift(slot, from, via);
        return true;
      }
      for (const occupant of (this.#occupants[slot] as Map<number, number>).keys()) {
        if (seen.has(occupant)) continue;
        seen.add(occupant);
        reach(occupant, slot);
      }
    }
    return false;
  }

  #shift(end: number, from: ReadonlyMap<number, number>, via: ReadonlyMap<number, number>): void {
    let slot = end;
    while (slot !== -1) {
      const mover = from.get(slot) as number;
      const leaving = via.get(slot) as number;
      this.#free[slot] = (this.#free[slot] as number) - 1;
      this.#enter(slot, mover);
      if (leaving !== -1) this.#leave(leaving, mover);
      slot = leaving;
    }
  }
}

function count(counts: Map<number, number>, key: number, change: number): void {
  const now = (counts.get(key) ?? 0) + change;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}
