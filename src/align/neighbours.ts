import type { AlignmentInput } from "./alignment.ts";
import type { TailCosts } from "./distance.ts";
import type { GroupWindows } from "./windows.ts";

/** Answers, from a place on some alignment of least cost, which moves stay on one. O(1) each but for windows. */
export class Neighbours {
  readonly input: AlignmentInput;
  readonly windows: GroupWindows;
  readonly #costs: TailCosts;

  constructor(input: AlignmentInput, costs: TailCosts, windows: GroupWindows) {
    this.input = input;
    this.windows = windows;
    this.#costs = costs;
  }

  /** Whether the element is a single item equal to the actual item. */
  matches(element: number, place: number): boolean {
    const { expected, offsets, actual, equal } = this.input;
    if (place >= actual.length) return false;
    return equal(expected[offsets[element] as number] as number, actual[place] as number);
  }

  /** Whether a place exists and its tails cost no more than `tail`. */
  leads(element: number, place: number, tail: number): boolean {
    if (tail < 0 || place > this.input.actual.length) return false;
    return this.#costs.within(tail, place - (this.input.offsets[element] as number), element);
  }

  canInsert(element: number, place: number, tail: number): boolean {
    return this.leads(element, place + 1, tail - 1);
  }

  size(element: number): number {
    const { offsets } = this.input;
    return (offsets[element + 1] as number) - (offsets[element] as number);
  }

  price(element: number, length: number, matched: number): number {
    return Math.max(this.size(element), length) - matched;
  }

  /** How much longer than its group a window can be. */
  excess(element: number, place: number, tail: number): number {
    return this.#costs.excess(tail, place - (this.input.offsets[element] as number));
  }

  /** Collects the windows of a group from a place into {@link windows}. */
  collect(element: number, place: number, tail: number): void {
    this.windows.collect(element, place, this.excess(element, place, tail));
  }
}
