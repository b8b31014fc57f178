import type { Evaluation } from "../model/evaluation.ts";
import type { ReasonCode } from "../model/result.ts";

/** A mean may lie this far below its bar: sums of fractions are not exact. */
const SLACK = 1e-9;

/** Expectations that could not be used. */
const UNRESOLVED: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "no_expectation",
  "ambiguous_expectation",
  "invalid_expectation",
  "expectation_error",
  "expectation_timeout",
]);

/** What a run says about one metric. */
export class MetricTally {
  readonly metric: string;
  scored = 0;
  /** Sum of all scores. */
  sum = 0;
  /** Units under approved expectations that were scored, and the sum of their scores. */
  approvedScored = 0;
  approvedSum = 0;
  /** Units under approved expectations, scored or not. */
  approved = 0;
  /** Units under proposed expectations, scored or not. */
  proposed = 0;
  /** `fail` labels; they exist only under approved expectations. */
  failLabels = 0;
  errors = 0;
  /** Expectations that could not be used, of units that have something to score. */
  unresolved = 0;
  readonly reasons: Map<string, number> = new Map();

  constructor(metric: string) {
    this.metric = metric;
  }

  get units(): number {
    return this.scored + this.errors + [...this.reasons.values()].reduce((sum, count) => sum + count, 0);
  }

  add({ result, expectation, occurrence }: Evaluation): void {
    const approved = expectation?.status === "approved";
    if (expectation !== undefined) {
      if (approved) this.approved += 1;
      else this.proposed += 1;
    }
    switch (result.status) {
      case "scored":
        this.scored += 1;
        this.sum += result.score;
        if (approved) {
          this.approvedScored += 1;
          this.approvedSum += result.score;
        }
        if (result.label === "fail") this.failLabels += 1;
        return;
      case "non_evaluable":
        this.reasons.set(result.reason, (this.reasons.get(result.reason) ?? 0) + 1);
        // Exports hold traces of other things too; nobody expects a trajectory of a health check.
        if (UNRESOLVED.has(result.reason) && occurrence.kinds?.length !== 0) this.unresolved += 1;
        return;
      case "error":
        this.errors += 1;
    }
  }
}

/** What must hold for exit code 0. */
export interface GateOptions {
  /** Bar for each metric's mean, 0 to 1. */
  readonly failUnder: number | undefined;
  readonly strict: boolean;
}

/** The verdict of a run. */
export interface Verdict {
  /** One line per failed gate; empty: all well. */
  readonly failures: readonly string[];
  /** One line per thing that did not gate although one might think so. */
  readonly notes: readonly string[];
}

/** Judges a run. */
export function judge(tallies: readonly MetricTally[], options: GateOptions): Verdict {
  const failures: string[] = [];
  const notes: string[] = [];
  for (const tally of tallies) {
    if (tally.failLabels > 0) failures.push(`${tally.metric}: ${count(tally.failLabels, "unit")} below the threshold`);
    if (options.strict && tally.unresolved > 0) {
      failures.push(`${tally.metric}: ${count(tally.unresolved, "unit")} without a usable expectation (--strict)`);
    }
  }
  if (options.failUnder !== undefined) failUnder(tallies, options.failUnder, failures, notes);
  return { failures, notes };
}

function failUnder(tallies: readonly MetricTally[], bar: number, failures: string[], notes: string[]): void {
  let judged = 0;
  for (const tally of tallies) {
    if (tally.approvedScored > 0) {
      judged += 1;
      const mean = tally.approvedSum / tally.approvedScored;
      if (mean < bar - SLACK) {
        const units = count(tally.approvedScored, "unit");
        failures.push(`${tally.metric}: mean ${figure(mean)} of ${units} under approved expectations is below ${bar}`);
      }
    } else if (tally.approved > 0) {
      judged += 1;
      failures.push(
        `${tally.metric}: none of ${count(tally.approved, "unit")} under approved expectations was scored` +
          " (the reasons stand in the rows)",
      );
    }
    if (tally.proposed > 0) {
      notes.push(
        `${tally.metric}: ${count(tally.proposed, "unit")} under proposed expectations not gating; status: approved makes them count`,
      );
    }
  }
  if (judged === 0) {
    failures.push(
      "--fail-under: no unit was scored under an approved expectation; give expectations that match the units," +
        " with status: approved",
    );
  }
}

/** `1 unit`, `2 units`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** A score with four digits; what is shown as 1 is 1, and what is shown as below is below. */
export function figure(score: number): string {
  return (Math.floor(score * 10_000 + 1e-6) / 10_000).toFixed(4);
}
