import type { ReasonCode, ScoreResult } from "../../model/result.ts";

/** Mean of `exact_match` over a run. */
export interface ToolTrajectoryAverage {
  /** Null when nothing was scored: no score is made up. */
  readonly mean: number | null;
  /** Units that were scored. */
  readonly scored: number;
  /** Units that were not: their number stands beside the mean. */
  readonly others: number;
  /** Of those, how many for each reason; errors under `error`. */
  readonly reasons: Readonly<Partial<Record<ReasonCode | "error", number>>>;
}

/**
 * `tool_trajectory_avg`: the mean of {@link exactMatch} over the scored units of a run, and how many were not scored.
 * Source: ADK's metric of that name. O(results).
 */
export function toolTrajectoryAvg(results: Iterable<ScoreResult>): ToolTrajectoryAverage {
  const reasons: Partial<Record<ReasonCode | "error", number>> = {};
  let sum = 0;
  let scored = 0;
  let others = 0;
  for (const result of results) {
    if (result.status === "scored") {
      scored += 1;
      sum += result.score;
      continue;
    }
    const reason = result.status === "error" ? "error" : result.reason;
    reasons[reason] = (reasons[reason] ?? 0) + 1;
    others += 1;
  }
  return { mean: scored === 0 ? null : sum / scored, scored, others, reasons };
}
