import { andThen, type Sliced } from "../align/sliced.ts";
import type { Expectation, ExpectedStep } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Kind } from "../model/span.ts";
import type { Occurrence, Step } from "../model/trajectory.ts";
import { bestOf, type Compared } from "./best-of.ts";
import { type BuiltInScorer, builtIn } from "./built-in.ts";
import { parseConfig } from "./config.ts";
import { compareSteps, type EditResult } from "./edit-distance.ts";
import { guardUnit } from "./guards.ts";
import { resolveColumn, runLevel } from "./resolve-column.ts";
import {
  type ResolvedStepAccuracyConfig,
  type StepAccuracyConfig,
  stepAccuracySchema,
} from "./step-accuracy-config.ts";
import { STEP_ACCURACY_NAME, STEP_ACCURACY_VERSION, stepAccuracyManifest } from "./step-accuracy-manifest.ts";
import { stepsOf } from "./steps-of.ts";
import { comparePositions, type ExpectedName } from "./strict-position.ts";
import { errored, nonEvaluable, verdict } from "./verdict.ts";

const NEEDS: readonly Kind[] = ["TOOL", "AGENT", "LLM"];

/**
 * `agent.step_accuracy` 2.0.0: did the agent take the expected steps, in order?
 *
 * Score 0 to 1. `edit_distance`: `1 - distance / max(expected steps, observed steps)`, members of groups counted one by
 * one; `strict_position`: share of expected positions that match. Nothing observed scores 0. Column `expected_steps`.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 * @example stepAccuracy({ scoring_method: "strict_position" })
 */
export function stepAccuracy(config: StepAccuracyConfig = {}): BuiltInScorer {
  const resolved = parseConfig(stepAccuracySchema().schema, config);
  const fallback = runLevel("expected_steps", resolved.expected_steps);
  return builtIn({
    name: STEP_ACCURACY_NAME,
    version: STEP_ACCURACY_VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns: ["expected_steps"],
    config: { ...resolved },
    fallback,
    annotations: resolved.annotations,
    manifest: stepAccuracyManifest,
    score: (occurrence) => score(occurrence, resolved, fallback),
  });
}

function score(
  occurrence: Occurrence,
  config: ResolvedStepAccuracyConfig,
  fallback: Expectation | undefined,
): ScoreResult | Sliced<ScoreResult> {
  const checked = stepsOf(occurrence.steps, "steps");
  if (!checked.ok) return errored("invalid_occurrence", checked.message);
  const column = resolveColumn("expected_steps", occurrence, config.annotations, fallback);
  if (!column.ok) return column.result;
  const compare = config.scoring_method === "strict_position" ? strictPosition : editDistance;
  const compared = bestOf(column.value, (expected) => compare(expected, checked.steps, config));
  return andThen(compared, (outcome): ScoreResult => {
    // The work limit goes before the guards of the unit, and only comparing finds it.
    if (outcome.status !== "compared") return outcome;
    const guarded = guardUnit(occurrence, NEEDS, "steps");
    if (guarded !== undefined) return guarded;
    return {
      status: "scored",
      score: outcome.score,
      label: verdict(outcome.score, config.threshold, column.status),
      metadata: outcome.metadata,
    };
  });
}

function editDistance(
  expected: readonly ExpectedStep[],
  steps: readonly Step[],
  config: ResolvedStepAccuracyConfig,
): Compared | Sliced<Compared> {
  return andThen(compareSteps(expected, steps, config.names), (result) => edited(expected, steps, result));
}

function edited(expected: readonly ExpectedStep[], steps: readonly Step[], result: EditResult): Compared {
  if (!result.ok) return nonEvaluable("over_limit");
  const { total, absent } = result;
  const metadata: Record<string, unknown> = {
    expected_steps: expected.slice(),
    actual_steps: namesOf(steps),
    total_steps: total,
    correct_steps: result.matches,
    edit_distance: result.cost,
    steps: result.steps,
  };
  if (absent !== undefined) metadata.absent_optional_steps = absent;
  // Nothing but optional steps, none of them taken, and nothing observed: all is as it may be.
  const longest = Math.max(total, steps.length);
  return { status: "compared", score: longest === 0 ? 1 : 1 - result.cost / longest, metadata };
}

function namesOf(steps: readonly Step[]): string[] {
  const names: string[] = [];
  for (const step of steps) names.push(step.name);
  return names;
}

function strictPosition(
  expected: readonly ExpectedStep[],
  steps: readonly Step[],
  config: ResolvedStepAccuracyConfig,
): Compared {
  const names: ExpectedName[] = [];
  for (const [index, step] of expected.entries()) {
    if (typeof step === "string" || "any_of" in step) names.push(step);
    else if ("optional" in step) return refused("optional", index, "an optional step may shift all others");
    else return refused("group", index, "a group has no position");
  }
  const compared = comparePositions(names, steps, config.names);
  const metadata = {
    expected_steps: expected.slice(),
    actual_steps: namesOf(steps),
    total_steps: names.length,
    correct_steps: compared.correct,
    steps: compared.steps,
    extra_steps: compared.extra,
  };
  return { status: "compared", score: compared.correct / names.length, metadata };
}

function refused(what: "group" | "optional", index: number, why: string): Compared {
  const message = `expected_steps[${index}]: ${why}; scoring_method edit_distance can score it`;
  return { status: "error", error: { type: `${what}_under_strict_position`, message } };
}
