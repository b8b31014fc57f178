import { show } from "../model/errors.ts";
import type { ExpectedSteps } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { TrajectoryOfOptions } from "../pipeline/trajectory-of.ts";
import { diffOf } from "../report/diff-lines.ts";
import { renderDiff } from "../report/diff-text.ts";
import { oneLine } from "../report/one-line.ts";
import { scoreText } from "../report/report.ts";
import { stepAccuracy } from "../score/step-accuracy.ts";
import type { StepAccuracyConfig } from "../score/step-accuracy-config.ts";
import { toolSelectionAccuracy } from "../score/tool-selection-accuracy.ts";
import { readReceived } from "./received.ts";

/** Options of `toFollowTrajectory`. */
export interface FollowOptions extends TrajectoryOfOptions, Pick<StepAccuracyConfig, "names" | "scoring_method"> {
  /** Least score that passes, 0 to 1. @defaultValue 1 */
  readonly atLeast?: number | undefined;
}

/** Options of `toCallTools`. */
export interface CallOptions extends TrajectoryOfOptions, Pick<StepAccuracyConfig, "names"> {}

/** What a matcher answers. */
export interface MatcherAnswer {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What a matcher needs of the state in which it is called. */
export interface MatcherContext {
  readonly isNot?: boolean | undefined;
}

/** Sums of fractions are not exact. */
const SLACK = 1e-9;

/**
 * Passes when the steps score at least `atLeast` under `step_accuracy`; the message is the diff. What has no score fails
 * with its reason, negated or not: a run whose steps were not recorded neither follows a trajectory nor does not.
 */
export function toFollowTrajectory(
  this: MatcherContext,
  received: unknown,
  expected_steps: ExpectedSteps,
  options: FollowOptions = {},
): MatcherAnswer {
  const { atLeast = 1, names, scoring_method, ...trajectory } = options;
  if (!(atLeast >= 0 && atLeast <= 1))
    return unusable(this, "toFollowTrajectory", `atLeast must be 0 to 1, got ${show(atLeast)}`);
  const read = readReceived(received, trajectory);
  if (!read.ok) return unusable(this, "toFollowTrajectory", read.message);
  const scorer = stepAccuracy({ names, scoring_method });
  const result = scorer.score({ ...read.occurrence, expectation: { expected_steps } });
  if (result.status !== "scored")
    return unusable(this, "toFollowTrajectory", `${reasonOf(result)}${remarked(read.remark)}`);
  const pass = result.score >= atLeast - SLACK;
  const bar = atLeast === 1 ? "" : `, at least ${atLeast} was asked for`;
  const wish = pass ? "expected the run not to follow the trajectory" : "expected the run to follow the trajectory";
  const message = `${wish}: score ${scoreText(result.score)}${bar}\n${renderDiff(result, { groups: true })}${remarked(read.remark)}`;
  return { pass, message: () => message };
}

/**
 * Passes when every one of the tools was called at least once; negated, when none of them was. The message is the diff.
 * What cannot be told fails with its reason, negated or not.
 */
export function toCallTools(
  this: MatcherContext,
  received: unknown,
  expected_tools: readonly string[],
  options: CallOptions = {},
): MatcherAnswer {
  const { names, ...trajectory } = options;
  const read = readReceived(received, trajectory);
  if (!read.ok) return unusable(this, "toCallTools", read.message);
  const scorer = toolSelectionAccuracy({ names, treat_no_calls_as_zero: true });
  const result = scorer.score({ ...read.occurrence, expectation: { expected_tools } });
  if (result.status !== "scored") return unusable(this, "toCallTools", `${reasonOf(result)}${remarked(read.remark)}`);
  if (this.isNot === true) {
    const called = diffOf(result).lines.flatMap((line) => line.actual ?? []);
    const message = `expected the run to call none of the tools, it called ${called.join(", ")}${remarked(read.remark)}`;
    return { pass: called.length > 0, message: () => message };
  }
  const message = `expected the run to call the tools\n${renderDiff(result)}${remarked(read.remark)}`;
  return { pass: result.score === 1, message: () => message };
}

/** Fails whatever was asked: where there is nothing to judge, no wish is fulfilled. */
function unusable(context: MatcherContext, matcher: string, message: string): MatcherAnswer {
  return { pass: context.isNot === true, message: () => `${matcher}: ${message}` };
}

function reasonOf(result: ScoreResult): string {
  const text = renderDiff(result);
  if (result.status !== "non_evaluable") return text;
  const message = result.metadata?.["message"];
  return typeof message === "string" ? `${text}: ${oneLine(message)}` : text;
}

function remarked(remark: string): string {
  return remark === "" ? "" : `\n(${remark})`;
}
