import type { AlignmentInput, WorkBudget } from "./alignment.ts";
import { lowerBound } from "./lower-bound.ts";
import { GroupMatcher } from "./matching.ts";
import type { Sliced } from "./sliced.ts";
import { takeFirst } from "./take-first.ts";
import { compareWindows, longerComesFirst } from "./window-order.ts";

/** Beyond this many steps past the group's size, only items that equal a member are looked at. */
const PLAIN_SCAN = 128;

/**
 * The windows that a group can take from one place of the actual side: every length up to the group's size, and each
 * longer one whose last item makes the matching larger. Other long windows are worse by the tie rule than a shorter
 * one followed by insertions: same cost and matches, longer windows.
 *
 * Complexity: O(size + what is scanned beyond it) additions to a matching. Memory: one matcher per group that was looked at.
 */
export class GroupWindows {
  readonly #input: AlignmentInput;
  readonly #budget: WorkBudget;
  readonly #matchers: Map<number, GroupMatcher> = new Map();
  readonly #relevant: Map<number, Int32Array> = new Map();
  readonly #choices: Map<number, boolean> = new Map();
  /** The classes of the actual side. */
  #distinct: readonly number[] | undefined = undefined;
  /** Results of the last {@link collect}: window lengths, ascending, and the size of each one's largest matching. */
  readonly lengths: number[] = [];
  readonly matched: number[] = [];

  constructor(input: AlignmentInput, budget: WorkBudget) {
    this.#input = input;
    this.#budget = budget;
  }

  /** Fills {@link lengths} and {@link matched} with the windows from `start`, at most `excess` longer than the group. */
  collect(element: number, start: number, excess: number): void {
    const { actual } = this.#input;
    const matcher = this.matcher(element);
    const { lengths, matched } = this;
    matcher.reset();
    lengths.length = 0;
    matched.length = 0;
    const room = actual.length - start;
    const within = Math.min(matcher.size, room);
    lengths.push(0);
    matched.push(0);
    for (let length = 1; length <= within; length += 1) {
      matcher.add(actual[start + length - 1] as number);
      lengths.push(length);
      matched.push(matcher.matched);
    }
    const longest = Math.min(matcher.size + excess, room);
    this.#budget.spend(within + 1);
    if (matcher.matched === matcher.size || longest <= within) return;
    if (excess > PLAIN_SCAN) this.#collectRelevant(element, start, within, longest);
    else this.#collectAll(matcher, start, within, longest);
  }

  /** Where the group's members stand in a window, or -1 for an item that has none. */
  *assign(element: number, start: number, length: number): Sliced<Int32Array> {
    const { offsets, actual } = this.#input;
    if (length === (offsets[element + 1] as number) - (offsets[element] as number)) {
      const taken = new Int32Array(length);
      if (takeFirst(this.#input, element, start, taken)) return taken;
    }
    return yield* this.matcher(element).assign(actual.subarray(start, start + length));
  }

  /**
   * Whether of two windows of the last {@link collect}, given by their places in {@link lengths}, the longer one comes
   * first by what it shows. O(1) where no item has a choice of members, else two assignments.
   */
  *comesFirst(element: number, start: number, longer: number, shorter: number): Sliced<boolean> {
    const { size } = this.matcher(element);
    if (!this.#hasChoice(element)) return longerComesFirst(size, this.lengths, this.matched, longer, shorter);
    const first = yield* this.assign(element, start, this.lengths[longer] as number);
    const second = yield* this.assign(element, start, this.lengths[shorter] as number);
    return compareWindows(size, first, second) < 0;
  }

  /** Whether some item has a choice of members. */
  #hasChoice(element: number): boolean {
    let has = this.#choices.get(element);
    if (has === undefined) {
      this.#distinct ??= [...new Set(this.#input.actual)];
      const matcher = this.matcher(element);
      has = this.#distinct.some((item) => matcher.hasChoice(item));
      this.#choices.set(element, has);
    }
    return has;
  }

  matcher(element: number): GroupMatcher {
    let matcher = this.#matchers.get(element);
    if (matcher === undefined) {
      const { expected, offsets, equal } = this.#input;
      matcher = new GroupMatcher(expected.subarray(offsets[element], offsets[element + 1]), equal, this.#budget);
      this.#matchers.set(element, matcher);
    }
    return matcher;
  }

  #collectAll(matcher: GroupMatcher, start: number, within: number, longest: number): void {
    const { actual } = this.#input;
    let length = within;
    while (length < longest && matcher.matched < matcher.size) {
      length += 1;
      if (matcher.add(actual[start + length - 1] as number)) this.#push(length, matcher.matched);
    }
    this.#budget.spend(length - within);
  }

  #collectRelevant(element: number, start: number, within: number, longest: number): void {
    const { actual } = this.#input;
    const matcher = this.matcher(element);
    const positions = this.#positionsOf(element, matcher);
    let at = lowerBound(positions, start + within);
    let looked = 1;
    while (at < positions.length && matcher.matched < matcher.size) {
      const position = positions[at] as number;
      if (position >= start + longest) break;
      if (matcher.add(actual[position] as number)) this.#push(position - start + 1, matcher.matched);
      at += 1;
      looked += 1;
    }
    this.#budget.spend(looked);
  }

  #push(length: number, matched: number): void {
    this.lengths.push(length);
    this.matched.push(matched);
  }

  /** Places of the actual side that equal some member, ascending. */
  #positionsOf(element: number, matcher: GroupMatcher): Int32Array {
    let positions = this.#relevant.get(element);
    if (positions === undefined) {
      const { actual } = this.#input;
      const found: number[] = [];
      for (let index = 0; index < actual.length; index += 1) {
        if (matcher.accepts(actual[index] as number)) found.push(index);
      }
      this.#budget.spend(actual.length);
      positions = Int32Array.from(found);
      this.#relevant.set(element, positions);
    }
    return positions;
  }
}
