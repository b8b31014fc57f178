import type { ExpectedStep } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Kind } from "../model/span.ts";
import type { Occurrence, Step } from "../model/trajectory.ts";
import { type BuiltInScorer, builtIn } from "./built-in.ts";
import { parseConfig } from "./config.ts";
import { alignSteps, layOut, spellSteps } from "./edit-distance.ts";
import { guardUnit } from "./guards.ts";
import { resolveColumn } from "./resolve-column.ts";
import {
  type ResolvedStepAccuracyConfig,
  type StepAccuracyConfig,
  stepAccuracySchema,
} from "./step-accuracy-config.ts";
import { STEP_ACCURACY_NAME, STEP_ACCURACY_VERSION, stepAccuracyManifest } from "./step-accuracy-manifest.ts";
import { stepsOf } from "./steps-of.ts";
import { comparePositions } from "./strict-position.ts";
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
  return builtIn({
    name: STEP_ACCURACY_NAME,
    version: STEP_ACCURACY_VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns: ["expected_steps"],
    config: { ...resolved },
    fallback: resolved.expected_steps === null ? undefined : { expected_steps: resolved.expected_steps, origin: "run" },
    annotations: resolved.annotations,
    manifest: stepAccuracyManifest,
    score: (occurrence) => score(occurrence, resolved),
  });
}

function score(occurrence: Occurrence, config: ResolvedStepAccuracyConfig): ScoreResult {
  const checked = stepsOf(occurrence.steps, "steps");
  if (!checked.ok) return errored("invalid_occurrence", checked.message);
  const fallback = config.expected_steps === null ? undefined : { expected_steps: config.expected_steps };
  const column = resolveColumn("expected_steps", occurrence, config.annotations, fallback);
  if (!column.ok) return column.result;
  const compare = config.scoring_method === "strict_position" ? strictPosition : editDistance;
  const compared = compare(column.value, checked.steps, config);
  // The work limit goes before the guards of the unit, and only comparing finds it.
  if (compared.status !== "compared") return compared;
  const guarded = guardUnit(occurrence, NEEDS, "steps");
  if (guarded !== undefined) return guarded;
  return {
    status: "scored",
    score: compared.score,
    label: verdict(compared.score, config.threshold, column.status),
    metadata: compared.metadata,
  };
}

type Compared =
  | { readonly status: "compared"; readonly score: number; readonly metadata: Record<string, unknown> }
  | Exclude<ScoreResult, { readonly status: "scored" }>;

function editDistance(
  expected: readonly ExpectedStep[],
  steps: readonly Step[],
  config: ResolvedStepAccuracyConfig,
): Compared {
  const laidOut = layOut(expected);
  const aligned = alignSteps(laidOut, steps, config.names);
  if (!aligned.ok) return nonEvaluable("over_limit");
  const total = laidOut.names.length;
  const metadata = {
    expected_steps: expected,
    actual_steps: steps.map((step) => step.name),
    total_steps: total,
    correct_steps: aligned.matches,
    edit_distance: aligned.cost,
    steps: spellSteps(aligned.entries, laidOut, steps),
  };
  return { status: "compared", score: 1 - aligned.cost / Math.max(total, steps.length), metadata };
}

function strictPosition(
  expected: readonly ExpectedStep[],
  steps: readonly Step[],
  config: ResolvedStepAccuracyConfig,
): Compared {
  const names = expected.filter((step) => typeof step === "string");
  if (names.length < expected.length) {
    const group = expected.findIndex((step) => typeof step !== "string");
    const message = `expected_steps[${group}]: a group has no position; scoring_method edit_distance can score it`;
    return { status: "error", error: { type: "group_under_strict_position", message } };
  }
  const compared = comparePositions(names, steps, config.names);
  const metadata = {
    expected_steps: expected,
    actual_steps: steps.map((step) => step.name),
    total_steps: names.length,
    correct_steps: compared.correct,
    steps: compared.steps,
    extra_steps: compared.extra,
  };
  return { status: "compared", score: compared.correct / names.length, metadata };
}
