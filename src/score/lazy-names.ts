import type { ClassEquality } from "../align/alignment.ts";
import type { Sliced } from "../align/sliced.ts";
import type { Step } from "../model/trajectory.ts";
import { type CodedNames, codeInSlices, codeNames } from "./code-names.ts";
import { type NameRule, sameName } from "./names.ts";

/** Of more names than this, coding takes longer than work may go on without a pause. */
const MOST_AT_ONCE = 1_024;

/**
 * Compares lists by index, as they are written: in most lists nearly all names agree to the letter. Once more
 * comparisons have failed than there are names, both lists are coded, and from then on classes are compared. Long lists
 * are coded by whoever works in slices, as {@link wantsCodes} says.
 */
export class LazyNames {
  readonly #expected: readonly string[];
  readonly #steps: readonly Step[];
  readonly #rule: NameRule;
  /** Comparisons that may still fail before coding the lists is cheaper. */
  #left: number;
  #coded: CodedNames | undefined;

  constructor(expected: readonly string[], steps: readonly Step[], rule: NameRule) {
    this.#expected = expected;
    this.#steps = steps;
    this.#rule = rule;
    this.#left = expected.length + steps.length;
  }

  /** Whether an expected name and a step, by index, name the same thing. */
  readonly equal: ClassEquality = (expected, actual) => {
    const coded = this.#coded;
    if (coded === undefined) return this.#compare(expected, actual);
    return coded.equal(coded.expected[expected] as number, coded.actual[actual] as number);
  };

  /** Whether comparing goes on faster once {@link code} is done. */
  get wantsCodes(): boolean {
    return this.#left < 0 && this.#coded === undefined;
  }

  *code(): Sliced<undefined> {
    this.#coded = yield* codeInSlices(this.#lists(), this.#steps, this.#rule);
    return undefined;
  }

  #compare(expected: number, actual: number): boolean {
    if (sameName(this.#expected[expected] as string, this.#steps[actual] as Step, this.#rule)) return true;
    this.#left -= 1;
    if (this.wantsCodes && this.#expected.length + this.#steps.length <= MOST_AT_ONCE) {
      this.#coded = codeNames(this.#lists(), this.#steps, this.#rule);
    }
    return false;
  }

  #lists(): string[][] {
    return this.#expected.map((name) => [name]);
  }
}
