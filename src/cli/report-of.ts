import type { Evaluation } from "../model/evaluation.ts";
import { renderHtml } from "../report/html.ts";
import { renderJunit } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { type MetricSummary, type Outcome, type Report, type ReportEntry, scoreText } from "../report/report.ts";
import { failsGate, type GateOptions, isGated, type MetricTally, type Verdict } from "./gate.ts";
import type { ScoreFormat } from "./row-writer.ts";
import { scoreRow } from "./rows.ts";
import { namesOf, notScored } from "./tables.ts";
import { why } from "./why.ts";

/** Writes a whole run as text, for the formats that are reports. */
export const REPORTS: Readonly<Record<Exclude<ScoreFormat, "table" | "json" | "jsonl">, (report: Report) => string>> = {
  markdown: renderMarkdown,
  junit: renderJunit,
  html: renderHtml,
};

/** One evaluation as reports show it. `agent` is the entry agent's name; empty when there is none. */
export function entryOf(evaluation: Evaluation, agent: string, options: GateOptions): ReportEntry {
  const { result, occurrence, scorer } = evaluation;
  const outcome = outcomeOf(evaluation, options);
  const reason = why(scoreRow(evaluation));
  const below = outcome === "failed" && result.status === "scored";
  return {
    unit_id: occurrence.unit_id,
    metric: scorer.metric_name,
    outcome,
    result,
    why: below
      ? `score ${scoreText(result.score)} is below the threshold${reason === "" ? "" : `; ${reason}`}`
      : reason,
    agent,
    incomplete: (occurrence.incomplete ?? []).filter((item) => item !== "remote_parent"),
    duration_s: evaluation.duration_s,
  };
}

function outcomeOf(evaluation: Evaluation, options: GateOptions): Outcome {
  if (failsGate(evaluation, options)) return "failed";
  const { result } = evaluation;
  if (result.status === "error") return "error";
  if (result.status === "non_evaluable") return "not_evaluated";
  return result.label === "pass" ? "passed" : "informational";
}

/** The run as reports show it. */
export function reportOf(
  entries: readonly ReportEntry[],
  tallies: readonly MetricTally[],
  verdict: Verdict,
  options: GateOptions,
): Report {
  return {
    entries,
    metrics: tallies.flatMap((tally) => namesOf(tally).map((name) => summaryOf(name, tally))),
    failures: verdict.failures,
    run_failures: verdict.runFailures,
    notes: verdict.notes,
    gated: isGated(options),
  };
}

function summaryOf(metric: string, tally: MetricTally): MetricSummary {
  return {
    metric,
    mean: tally.mean,
    scored: tally.scored,
    approved: tally.approvedScored,
    not_scored: notScored(tally),
  };
}
