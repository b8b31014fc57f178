import type { ClassEquality } from "../align/alignment.ts";
import type { Step } from "../model/trajectory.ts";
import { NameCodes, type NameRule } from "./names.ts";

/**
 * Compares lists by index, normalising only names that are not equal to the letter, and each of those once: in most
 * lists nearly all names agree as they are written.
 */
export class LazyNames {
  readonly #expected: readonly string[];
  readonly #steps: readonly Step[];
  readonly #rule: NameRule;
  #codes: NameCodes | undefined;
  /** Classes of {@link NameCodes}, plus 1; 0: not looked up yet. */
  #expectedCodes: Int32Array | undefined;
  #actualCodes: Int32Array | undefined;

  constructor(expected: readonly string[], steps: readonly Step[], rule: NameRule) {
    this.#expected = expected;
    this.#steps = steps;
    this.#rule = rule;
  }

  /** Whether an expected name and a step, by index, name the same thing. */
  readonly equal: ClassEquality = (expected, actual) => {
    const name = this.#expected[expected] as string;
    const step = this.#steps[actual] as Step;
    // Only a name that begins with mcp__ looks at something else than the step's name.
    if (name === step.name && (step.raw_name === undefined || !name.startsWith("mcp__"))) return true;
    return this.#coded(expected, actual, name, step);
  };

  #coded(expected: number, actual: number, name: string, step: Step): boolean {
    this.#codes ??= new NameCodes(this.#rule);
    this.#expectedCodes ??= new Int32Array(this.#expected.length);
    this.#actualCodes ??= new Int32Array(this.#steps.length);
    let left = this.#expectedCodes[expected] as number;
    if (left === 0) {
      left = this.#codes.expected(name) + 1;
      this.#expectedCodes[expected] = left;
    }
    let right = this.#actualCodes[actual] as number;
    if (right === 0) {
      right = this.#codes.actual(step) + 1;
      this.#actualCodes[actual] = right;
    }
    return this.#codes.equal(left - 1, right - 1);
  }
}
