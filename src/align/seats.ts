/** Groups with more members than this are indexed by a map. */
const SMALL = 16;

/**
 * The members of a group as seats. Equal members share a slot (an index into `classes`); the items that are matched to
 * a slot sit on its seats, the first ones first. All operations are O(1) but for
 * leaving and looking for others, O(seats of the slot).
 */
export class Seats {
  /** Distinct member classes in order of first appearance. */
  readonly classes: number[] = [];
  /** Seats of a slot are `first[slot]` up to `first[slot + 1]`. */
  readonly first: number[];
  /** The member's position in the group, by seat; ascending within a slot. */
  readonly positions: number[];
  /** Classes of the items that sit on a slot's seats, by seat. */
  readonly seated: number[];
  /** How many items sit on a slot. */
  readonly taken: number[];
  /** How many items may sit on a slot: fewer than it has seats once members have been given away for good. */
  readonly seats: number[];

  readonly #slots: Map<number, number> | undefined;

  constructor(members: Int32Array) {
    const slotOf = zeros(members.length);
    if (members.length > SMALL) this.#slots = new Map();
    for (let position = 0; position < members.length; position += 1) {
      const member = members[position] as number;
      let slot = this.slotOf(member);
      if (slot < 0) {
        slot = this.classes.push(member) - 1;
        this.#slots?.set(member, slot);
      }
      slotOf[position] = slot;
    }
    const slots = this.classes.length;
    this.first = zeros(slots + 1);
    for (const slot of slotOf) this.first[slot + 1] = (this.first[slot + 1] as number) + 1;
    for (let slot = 0; slot < slots; slot += 1) {
      this.first[slot + 1] = (this.first[slot + 1] as number) + (this.first[slot] as number);
    }
    this.positions = zeros(members.length);
    this.seated = zeros(members.length);
    this.taken = zeros(slots);
    this.seats = zeros(slots);
    for (let position = 0; position < members.length; position += 1) {
      const slot = slotOf[position] as number;
      const filled = this.taken[slot] as number;
      this.positions[(this.first[slot] as number) + filled] = position;
      this.taken[slot] = filled + 1;
    }
    this.reset();
  }

  /** The slot of a member's class, or -1. */
  slotOf(member: number): number {
    return this.#slots === undefined ? this.classes.indexOf(member) : (this.#slots.get(member) ?? -1);
  }

  /** Empties every seat and gives back those that were given away. */
  reset(): void {
    for (let slot = 0; slot < this.taken.length; slot += 1) {
      this.taken[slot] = 0;
      this.seats[slot] = (this.first[slot + 1] as number) - (this.first[slot] as number);
    }
  }

  /** Seats an item where there is room. */
  sit(slot: number, item: number): boolean {
    if ((this.taken[slot] as number) >= (this.seats[slot] as number)) return false;
    this.enter(slot, item);
    return true;
  }

  enter(slot: number, item: number): void {
    const taken = this.taken[slot] as number;
    this.seated[(this.first[slot] as number) + taken] = item;
    this.taken[slot] = taken + 1;
  }

  /** Whether an item of another class sits on a slot. */
  seatsOther(slot: number, item: number): boolean {
    const first = this.first[slot] as number;
    for (let seat = first + (this.taken[slot] as number) - 1; seat >= first; seat -= 1) {
      if (this.seated[seat] !== item) return true;
    }
    return false;
  }

  /** Takes one item of a class off a slot; false when none sits there. */
  leave(slot: number, item: number): boolean {
    const first = this.first[slot] as number;
    const last = first + (this.taken[slot] as number) - 1;
    for (let seat = last; seat >= first; seat -= 1) {
      if (this.seated[seat] !== item) continue;
      this.seated[seat] = this.seated[last] as number;
      this.taken[slot] = last - first;
      return true;
    }
    return false;
  }
}

/** Plain arrays: most groups are small, and typed ones are slow to make. */
function zeros(length: number): number[] {
  return new Array<number>(length).fill(0);
}
