import type { AlternativeStep } from "../model/expectation.ts";
import type { AlignedStep } from "../model/result.ts";
import type { Step } from "../model/trajectory.ts";
import { type NameRule, sameName } from "./names.ts";

/** An expected step that has a position. */
export type ExpectedName = string | AlternativeStep;

/** What comparing position by position gives. */
export interface PositionComparison {
  readonly correct: number;
  /** One entry per expected position. */
  readonly steps: AlignedStep[];
  /** Names of the observed steps behind the last expected position. */
  readonly extra: string[];
}

/**
 * Compares the i-th observed with the i-th expected step. A position that was not reached is a `delete`; observed
 * steps beyond the expected ones are reported and cost nothing. O(n), no ties.
 */
export function comparePositions(
  expected: readonly ExpectedName[],
  steps: readonly Step[],
  rule: NameRule,
): PositionComparison {
  let correct = 0;
  const compared = expected.map((wanted, index): AlignedStep => {
    const name = typeof wanted === "string" ? wanted : wanted.any_of.join(" | ");
    const step = steps[index];
    if (step === undefined) {
      return { op: "delete", expected: name, actual: null, expected_index: index, actual_index: null };
    }
    const names = typeof wanted === "string" ? [wanted] : wanted.any_of;
    const equal = names.some((one) => sameName(one, step, rule));
    if (equal) correct += 1;
    const op = equal ? "match" : "substitute";
    return { op, expected: name, actual: step.name, expected_index: index, actual_index: index };
  });
  return { correct, steps: compared, extra: steps.slice(expected.length).map((step) => step.name) };
}
