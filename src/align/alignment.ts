/** Says whether an expected class and an actual class name the same thing. Need not be transitive across the sides. */
export interface ClassEquality {
  (expected: number, actual: number): boolean;
  /** The expected classes that equal an actual one, where they are known; large groups are then read much faster. */
  readonly partners?: (actual: number) => readonly number[];
}

/** The equality of sides that have the same classes. What is told so is looked up instead of compared. */
export const sameClass: ClassEquality = Object.assign((expected: number, actual: number) => expected === actual, {
  partners: (actual: number) => [actual],
});

/** The same equality, sides exchanged. */
export function flipped(equal: ClassEquality): ClassEquality {
  return equal === sameClass ? sameClass : (left, right) => equal(right, left);
}

/**
 * Two sequences of integer classes. Items of one class on one side are interchangeable; only `equal` compares across
 * the sides. The expected side is a list of elements: single items, and unordered groups of items.
 */
export interface AlignmentInput extends WorkLimits {
  /** Class of every expected item; the members of a group stand where the group stands, as written. */
  readonly expected: Int32Array;
  /** Where each element begins in `expected`; one entry more than there are elements, the last is `expected.length`. */
  readonly offsets: Int32Array;
  /** 1 for an element that is a group (of any size, even none), 0 for a single item. */
  readonly grouped: Uint8Array;
  /** Class of every actual item. */
  readonly actual: Int32Array;
  readonly equal: ClassEquality;
}

/** One entry of an alignment, by index; -1 where a side is absent. */
export interface AlignmentEntry {
  readonly op: "match" | "substitute" | "delete" | "insert";
  /** Element of the expected side; on an insert only inside a group's window. */
  readonly element: number;
  /** Index into `expected`. */
  readonly member: number;
  /** Index into `actual`. */
  readonly actual: number;
}

/** What aligning gives. The work limit is an outcome, not an exception. */
export type AlignmentResult =
  | { readonly ok: true; readonly cost: number; readonly matches: number; readonly entries: AlignmentEntry[] }
  | { readonly ok: false; readonly reason: "over_limit" };

/** Most cells that one alignment looks at unless told otherwise: two lists of 5 000 with nothing in common fit. */
export const DEFAULT_CELL_LIMIT = 25_000_000;

/**
 * Cells between two pauses of work in slices: a tenth of a millisecond, and some where the code has not been compiled yet.
 * One step between two looks may add a list's length.
 */
export const SLICE_CELLS = 4_000;

/** How much work may be done in all, and at a time, in cells. */
export interface WorkLimits {
  /** Most cells (states, comparisons, windows) to look at. @defaultValue 25 000 000 */
  readonly limit?: number;
  /** Cells between two pauses of work in slices. @defaultValue 4 000 */
  readonly slice?: number;
}

/** Counts work, so that results, and where work pauses, depend on the input and never on the machine. */
export class WorkBudget {
  readonly #slice: number;
  #left: number;
  /** What was left at the last pause, less a slice. */
  #pauseAt: number;
  /** It has been time to pause: the work takes more than one slice. */
  has_paused = false;

  constructor({ limit = DEFAULT_CELL_LIMIT, slice = SLICE_CELLS }: WorkLimits = {}) {
    this.#slice = slice;
    this.#left = limit;
    this.#pauseAt = limit - slice;
  }

  /** False once more has been spent than the limit allows. */
  spend(cells: number): boolean {
    this.#left -= cells;
    return this.#left >= 0;
  }

  /** Work that the limit does not count, as there is but so much of it, and that takes time all the same. */
  passTime(cells: number): void {
    this.#pauseAt += cells;
  }

  /** Whether so much is left; spends nothing. */
  affords(cells: number): boolean {
    return this.#left >= cells;
  }

  get exhausted(): boolean {
    return this.#left < 0;
  }

  /** True once for every slice of cells that has been used up: time to pause. */
  pauses(): boolean {
    if (this.#left > this.#pauseAt) return false;
    this.#pauseAt = this.#left - this.#slice;
    this.has_paused = true;
    return true;
  }
}
