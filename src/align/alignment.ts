/** Says whether an expected class and an actual class name the same thing. Need not be transitive across the sides. */
export type ClassEquality = (expected: number, actual: number) => boolean;

/**
 * Two sequences of integer classes. Items of one class on one side are interchangeable; only `equal` compares across
 * the sides. The expected side is a list of elements: single items, and unordered groups of items.
 */
export interface AlignmentInput {
  /** Class of every expected item; the members of a group stand where the group stands, as written. */
  readonly expected: Int32Array;
  /** Where each element begins in `expected`; one entry more than there are elements, the last is `expected.length`. */
  readonly offsets: Int32Array;
  /** 1 for an element that is a group (of any size, even none), 0 for a single item. */
  readonly grouped: Uint8Array;
  /** Class of every actual item. */
  readonly actual: Int32Array;
  readonly equal: ClassEquality;
  /** Most cells (states, comparisons, windows) to look at. @defaultValue 25 000 000 */
  readonly limit?: number;
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

/** Counts work, so that results depend on the input and never on the machine. */
export class WorkBudget {
  #left: number;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** False once more has been spent than the limit allows. */
  spend(cells: number): boolean {
    this.#left -= cells;
    return this.#left >= 0;
  }

  get exhausted(): boolean {
    return this.#left < 0;
  }
}
