import type { ScoreResult } from "../../src/model/result.ts";
import type { Report, ReportEntry } from "../../src/report/report.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { expectSteps, occurrenceOf, stepsOf } from "../score/support.ts";

/** An entry of a report; what is not given is plain. */
export function entryOf(given: Partial<ReportEntry> & { readonly result: ScoreResult }): ReportEntry {
  return {
    unit_id: "trajectory:t1",
    metric: "step_accuracy",
    outcome: "informational",
    why: "",
    agent: "",
    incomplete: [],
    duration_s: 0,
    ...given,
  };
}

/** A report of entries under one summary per metric. */
export function reportOf(entries: readonly ReportEntry[], given: Partial<Report> = {}): Report {
  const metrics = [...new Set(entries.map(({ metric }) => metric))].map((metric) => {
    const scores = entries.flatMap(({ metric: name, result }) =>
      name === metric && result.status === "scored" ? [result.score] : [],
    );
    const mean = scores.length === 0 ? undefined : scores.reduce((sum, score) => sum + score, 0) / scores.length;
    return { metric, mean, scored: scores.length, approved: 0, not_scored: "0" };
  });
  return { entries, metrics, failures: [], run_failures: [], notes: [], gated: false, ...given };
}

/** authenticate, then fetch_a and fetch_b in any order, then refund; fetched only b, and refunded. 2 of 4: 0.5. */
export const HALF: ScoreResult = stepAccuracy().score(
  occurrenceOf(stepsOf("fetch_b", "refund"), expectSteps("authenticate", ["fetch_a", "fetch_b"], "refund")),
);

/** One step as expected. */
export const PERFECT: ScoreResult = stepAccuracy().score(occurrenceOf(stepsOf("search"), expectSteps("search")));

/** One of each outcome, two metrics, one failed gate of the run. */
export const EVERY_OUTCOME: Report = reportOf(
  [
    entryOf({
      result: PERFECT,
      unit_id: "trajectory:perfect",
      outcome: "passed",
      agent: "support",
      duration_s: 0.0012,
    }),
    entryOf({
      result: HALF,
      unit_id: "trajectory:half",
      outcome: "failed",
      why: "score 0.5000 is below the threshold; missing: authenticate, fetch_a",
      agent: "support",
      incomplete: ["open_spans"],
      duration_s: 0.25,
    }),
    entryOf({ result: HALF, unit_id: "trajectory:draft", why: "missing: authenticate, fetch_a" }),
    entryOf({
      result: { status: "non_evaluable", reason: "no_expectation" },
      unit_id: "trajectory:other",
      outcome: "not_evaluated",
      why: "no_expectation",
    }),
    entryOf({
      result: { status: "error", error: { type: "boom", message: "it broke" } },
      metric: "brief",
      unit_id: "trajectory:half",
      outcome: "error",
      why: "boom: it broke",
    }),
  ],
  {
    failures: ["step_accuracy: 1 unit below the threshold", "step_accuracy: mean 0.5000 of 1 unit is below 0.9"],
    run_failures: ["step_accuracy: mean 0.5000 of 1 unit is below 0.9"],
    notes: ["step_accuracy: 1 unit under proposed expectations not gating"],
    gated: true,
  },
);
