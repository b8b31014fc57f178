import { z } from "zod";
import { expectedStepsSchema } from "../expectation/parse.ts";
import type { ExpectedStep } from "../model/expectation.ts";
import {
  type CommonConfig,
  type ConfigSchema,
  commonShape,
  configObject,
  type Resolved,
  type SchemaNotes,
} from "./config.ts";

/** Configuration of {@link stepAccuracy}. */
export interface StepAccuracyConfig extends CommonConfig {
  /** Run-level fallback; what a unit brings itself goes before it. Groups only with `edit_distance`. */
  readonly expected_steps?: readonly ExpectedStep[] | null | undefined;
  /** `edit_distance` aligns, `strict_position` compares the i-th with the i-th step. @defaultValue "edit_distance" */
  readonly scoring_method?: "edit_distance" | "strict_position" | undefined;
}

/** {@link StepAccuracyConfig} with its defaults. */
export type ResolvedStepAccuracyConfig = Resolved<StepAccuracyConfig>;

const DESCRIPTION = [
  "Configuration of step_accuracy.",
  "expected_steps is the reference trajectory that applies to every unit of a run which brings none of its own. An " +
    "entry is the name of a step, or a list of names: a group whose members may come in any order while the group " +
    "keeps its place among the other entries. Groups hold names only, no further groups.",
  "scoring_method says how observed and expected steps are compared: edit_distance (the default) aligns them and " +
    "charges one point per insertion, deletion or substitution; strict_position compares the i-th with the i-th and " +
    "knows no groups.",
].join("\n\n");

/** Builds the schema. */
export function stepAccuracySchema(): ConfigSchema<ResolvedStepAccuracyConfig> {
  const notes: SchemaNotes = z.registry();
  const methods = 'must be "strict_position" or "edit_distance"';
  const shape = {
    ...commonShape("step_accuracy", notes),
    expected_steps: expectedStepsSchema.nullable().default(null),
    scoring_method: z.enum(["strict_position", "edit_distance"], { error: methods }).default("edit_distance"),
  };
  notes.add(expectedStepsSchema, { minItems: 1 });
  notes.add(shape.expected_steps, { title: "Expected Steps", "x-aip-param-role": "run_input" });
  notes.add(shape.scoring_method, { title: "Scoring Method" });
  const schema = configObject(shape).superRefine((config, context) => {
    if (config.scoring_method !== "strict_position") return;
    const group = config.expected_steps?.findIndex((step) => typeof step !== "string") ?? -1;
    if (group < 0) return;
    const message = "must be a name: strict_position cannot score a group, edit_distance can";
    context.addIssue({ code: "custom", path: ["expected_steps", group], message });
  });
  notes.add(schema, { title: "StepAccuracyConfig", description: DESCRIPTION });
  return { schema, notes };
}
