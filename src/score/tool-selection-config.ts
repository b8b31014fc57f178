import { z } from "zod";
import { expectedToolsSchema } from "../expectation/parse.ts";
import {
  type CommonConfig,
  type ConfigSchema,
  commonShape,
  configObject,
  type Resolved,
  type SchemaNotes,
} from "./config.ts";

/** Configuration of {@link toolSelectionAccuracy}. */
export interface ToolSelectionAccuracyConfig extends CommonConfig {
  /** Run-level fallback; what a unit brings itself goes before it. */
  readonly expected_tools?: readonly string[] | null | undefined;
  /** Score a unit without any tool call 0, where the expected tools are its own. @defaultValue false */
  readonly treat_no_calls_as_zero?: boolean | undefined;
}

/** {@link ToolSelectionAccuracyConfig} with its defaults. */
export type ResolvedToolSelectionConfig = Resolved<ToolSelectionAccuracyConfig>;

const DESCRIPTION = [
  "Configuration of tool_selection_accuracy.",
  "expected_tools lists the tools that a unit has to call at least once, for every unit of a run which brings no list " +
    "of its own. Names count once each, without regard to case, hyphens and underscores; order and number of calls " +
    "do not matter.",
].join("\n\n");

/** Builds the schema. */
export function toolSelectionSchema(): ConfigSchema<ResolvedToolSelectionConfig> {
  const notes: SchemaNotes = z.registry();
  const shape = {
    ...commonShape("tool_selection_accuracy", notes),
    expected_tools: expectedToolsSchema.nullable().default(null),
    treat_no_calls_as_zero: z.boolean({ error: "must be true or false" }).default(false),
  };
  notes.add(expectedToolsSchema, { minItems: 1 });
  notes.add(shape.expected_tools, { title: "Expected Tools", "x-aip-param-role": "run_input" });
  notes.add(shape.treat_no_calls_as_zero, {
    title: "Treat No Calls As Zero",
    description:
      "Give 0 to a unit that made no tool call and has expected tools of its own; a run-level list does not count.",
  });
  const schema = configObject(shape);
  notes.add(schema, { title: "ToolSelectionAccuracyConfig", description: DESCRIPTION });
  return { schema, notes };
}
