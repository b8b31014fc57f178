import type { Evaluation } from "../model/evaluation.ts";
import type { ReasonCode } from "../model/result.ts";
import type { Unit } from "../model/trajectory.ts";
import { scoreText } from "../report/report.ts";
import type { Unread } from "./complaints.ts";

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
  /** What the mean of this metric over a run is called, where it has a name of its own. */
  readonly mean_name: string | undefined;
  /** Kinds of unit that the metric is about. */
  readonly kinds: readonly Unit[];
  /** Kinds of unit that the rules given are about; none: no rules were given. */
  readonly rule_units: ReadonlySet<Unit>;
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

  constructor(metric: string, kinds: readonly Unit[], rules: ReadonlySet<Unit>, meanName?: string) {
    this.metric = metric;
    this.kinds = kinds;
    this.rule_units = rules;
    this.mean_name = meanName;
  }

  /** Mean of all scores; undefined when nothing was scored. */
  get mean(): number | undefined {
    return this.scored === 0 ? undefined : this.sum / this.scored;
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
        if (isUnresolved(result.reason, occurrence.kinds)) this.unresolved += 1;
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
  /** Those of them that are about no single unit. */
  readonly runFailures: readonly string[];
  /** One line per thing that did not gate although one might think so. */
  readonly notes: readonly string[];
}

/** True for a result that fails the gate of its own unit: a `fail` label, or under `--strict` no usable expectation. */
export function failsGate({ result, occurrence }: Evaluation, options: GateOptions): boolean {
  if (result.status === "scored") return result.label === "fail";
  return result.status === "non_evaluable" && options.strict && isUnresolved(result.reason, occurrence.kinds);
}

/** Exports hold traces of other things too; nobody expects a trajectory of a health check. */
function isUnresolved(reason: ReasonCode, kinds: readonly unknown[] | undefined): boolean {
  return UNRESOLVED.has(reason) && kinds?.length !== 0;
}

/** Whether the run was asked to pass a gate. */
export function isGated(options: GateOptions): boolean {
  return options.failUnder !== undefined || options.strict;
}

/** The gates that a run was asked to pass, in words; under `--strict` alone no score is held against a mean. */
export function gatesOf({ failUnder, strict }: GateOptions): string {
  const gates = failUnder === undefined ? [] : [`--fail-under ${failUnder}`];
  if (strict) gates.push("--strict: no unit without a usable expectation");
  if (failUnder === undefined) gates.push("no mean was gated, see --fail-under");
  return gates.join("; ");
}

/** Judges a run. Nothing can be said of runs that were lost on the way: input with unread requests passes no gate. */
export function judge(tallies: readonly MetricTally[], options: GateOptions, unread: Unread): Verdict {
  const failures: string[] = [];
  const notes = tallies.flatMap(nothingToScore);
  for (const tally of tallies) {
    if (tally.failLabels > 0) failures.push(`${tally.metric}: ${count(tally.failLabels, "unit")} below the threshold`);
    if (options.strict && tally.unresolved > 0) {
      failures.push(`${tally.metric}: ${count(tally.unresolved, "unit")} without a usable expectation (--strict)`);
    }
  }
  const runFailures: string[] = [];
  if (unread.requests > 0 && isGated(options)) {
    runFailures.push(
      `${count(unread.requests, "request")} of the input could not be read, the first is ${unread.first}`,
    );
  }
  if (options.failUnder !== undefined) failUnder(tallies, options.failUnder, runFailures, notes);
  return { failures: [...failures, ...runFailures], runFailures, notes };
}

/** A metric whose kind of unit leaves it nothing to score looks like one that found nothing wrong. */
function nothingToScore(tally: MetricTally): string[] {
  const { metric, kinds, units } = tally;
  const remedy = kinds.includes("call") || kinds.includes("step") ? "; --unit trajectory scores whole runs" : "";
  if (units === 0) return [`${metric}: nothing was scored: the input holds no ${kinds.join(" or ")}${remedy}`];
  const kind = kinds.length === 1 ? kinds[0] : undefined;
  if (tally.reasons.get("no_expectation") === units && (kind === "session" || kind === "trajectory")) {
    const [other] = tally.rule_units;
    if (other !== undefined && !tally.rule_units.has(kind)) {
      return [`${metric}: nothing was scored: the expectations are about a ${other}, none has unit: ${kind}`];
    }
  }
  if (tally.reasons.get("not_aggregate") !== units) return [];
  return [`${metric}: nothing was scored: a call has no members${remedy}`];
}

function failUnder(tallies: readonly MetricTally[], bar: number, failures: string[], notes: string[]): void {
  let judged = 0;
  for (const tally of tallies) {
    if (tally.approvedScored > 0) {
      judged += 1;
      const mean = tally.approvedSum / tally.approvedScored;
      if (mean < bar - SLACK) {
        const units = count(tally.approvedScored, "unit");
        failures.push(
          `${tally.metric}: mean ${scoreText(mean)} of ${units} under approved expectations is below ${bar}`,
        );
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
