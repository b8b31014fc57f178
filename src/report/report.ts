import type { ScoreResult } from "../model/result.ts";

/**
 * What a result means for a run. `failed`: a gate of this unit does not hold. `passed`: the label says so.
 * `informational`: scored, and nothing gates. `not_evaluated` and `error` as the result's status.
 */
export type Outcome = "failed" | "error" | "informational" | "passed" | "not_evaluated";

/** One result in a report: one unit under one metric. */
export interface ReportEntry {
  readonly unit_id: string;
  readonly metric: string;
  readonly outcome: Outcome;
  readonly result: ScoreResult;
  /** Why in words: of a missing score, or of a gate that does not hold; empty where there is nothing to say. */
  readonly why: string;
  /** Name of the entry agent; empty when there is none. */
  readonly agent: string;
  /** Why the unit is not whole. */
  readonly incomplete: readonly string[];
  /** Time spent scoring, in seconds. */
  readonly duration_s: number;
}

/** What a run says about one metric, over all of its units. */
export interface MetricSummary {
  readonly metric: string;
  /** Mean of all scores; undefined when nothing was scored. */
  readonly mean: number | undefined;
  readonly scored: number;
  /** Scored units under approved expectations. */
  readonly approved: number;
  /** What was not scored, by reason; `0` when everything was. */
  readonly not_scored: string;
}

/** A whole run, ready to be printed. */
export interface Report {
  readonly entries: readonly ReportEntry[];
  readonly metrics: readonly MetricSummary[];
  /** One line per failed gate; empty: all well. */
  readonly failures: readonly string[];
  /** Those of them that no single unit shows. */
  readonly run_failures: readonly string[];
  /** One line per thing that did not gate although one might think so. */
  readonly notes: readonly string[];
  /** Whether the run was asked to pass a gate at all. */
  readonly gated: boolean;
}

/** The verdict of a run in one line. */
export function verdictLine(report: Pick<Report, "failures" | "gated">): string {
  const { failures, gated } = report;
  if (failures.length > 0)
    return `FAILED: ${failures.length === 1 ? "1 gate does" : `${failures.length} gates do`} not hold`;
  return gated ? "PASSED: every gate holds" : "OK: nothing failed, no gate was asked for";
}

/** A score with four digits; what is shown as 1 is 1, and what is shown as below is below. */
export function scoreText(score: number): string {
  return (Math.floor(score * 10_000 + 1e-6) / 10_000).toFixed(4);
}

/** The score of an entry as text; `-` when it has none. */
export function entryScore(entry: ReportEntry): string {
  return entry.result.status === "scored" ? scoreText(entry.result.score) : "-";
}

/** True when there is nothing to look at: the score is 1 and no gate of the unit failed. */
export function isPerfect(entry: ReportEntry): boolean {
  return entry.outcome !== "failed" && entry.result.status === "scored" && entry.result.score === 1;
}

const RANK: Readonly<Record<Outcome, number>> = { failed: 0, error: 1, informational: 2, passed: 3, not_evaluated: 4 };

/** What asks for action comes first: failed gates, errors, then scores from the lowest; ties as they came. O(n log n). */
export function mostUrgentFirst(entries: readonly ReportEntry[]): ReportEntry[] {
  return [...entries].sort((a, b) => RANK[a.outcome] - RANK[b.outcome] || scoreOf(a) - scoreOf(b));
}

function scoreOf(entry: ReportEntry): number {
  return entry.result.status === "scored" ? entry.result.score : 0;
}
