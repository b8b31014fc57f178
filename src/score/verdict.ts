import type { Label, NonEvaluable, ReasonCode, ScoreResult } from "../model/result.ts";

/** How far below its threshold a score may lie and still pass: sums of fractions are not exact. */
export const THRESHOLD_SLACK = 1e-9;

/** `pass` or `fail` against a threshold, and only under an approved expectation; else `informational`. */
export function verdict(score: number, threshold: number | null, status: "proposed" | "approved" | undefined): Label {
  if (threshold === null || status !== "approved") return "informational";
  return score >= threshold - THRESHOLD_SLACK ? "pass" : "fail";
}

/** A unit that cannot be evaluated; the message goes into the metadata. */
export function nonEvaluable(reason: ReasonCode, message?: string): NonEvaluable {
  return message === undefined
    ? { status: "non_evaluable", reason }
    : { status: "non_evaluable", reason, metadata: { message } };
}

/** A result that says what went wrong; match on the type. */
export function errored(type: string, message: string): ScoreResult {
  return { status: "error", error: { type, message } };
}
