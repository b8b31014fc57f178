import { z } from "zod";
import { expectationStepsSchema, expectedCallsSchema, expectedToolsSchema } from "../../expectation/parse.ts";
import type { Expectation, ExpectedCall, ExpectedSteps } from "../../model/expectation.ts";
import type { Annotations } from "../../model/scorer.ts";
import { type ArgumentConfig, argumentShape, type ResolvedArgumentConfig } from "../arguments/policy.ts";
import { type CommonConfig, type ConfigSchema, commonShape, configObject, type SchemaNotes } from "../config.ts";
import type { NameRule } from "../names.ts";

/** Configuration of every path score. */
export interface PathConfig extends CommonConfig, ArgumentConfig {
  /** Run-level fallback: calls in order, compared with the tool list. Goes before `expected_steps`. */
  readonly expected_calls?: readonly ExpectedCall[] | null | undefined;
  /** Run-level fallback: steps in order, compared with the step list. */
  readonly expected_steps?: ExpectedSteps | null | undefined;
}

/** Configuration of `setOverlap`, which can do with mere tool names too. */
export interface SetOverlapConfig extends PathConfig {
  /** Run-level fallback: names, compared with the tool list. */
  readonly expected_tools?: readonly string[] | null | undefined;
}

/** {@link PathConfig} with its defaults. */
export interface ResolvedPathConfig extends ResolvedArgumentConfig {
  readonly metric_name: string;
  readonly threshold: number | null;
  readonly unit: "trajectory" | "session";
  readonly names: NameRule;
  readonly annotations: Annotations | null;
  readonly expected_calls: readonly ExpectedCall[] | null;
  readonly expected_steps: ExpectedSteps | null;
  readonly expected_tools?: readonly string[] | null;
}

/** Columns that a path score can use, best first. */
export type PathColumn = "expected_calls" | "expected_steps" | "expected_tools";

/** The schema of a path score's configuration; `more` is what only this one takes. */
export function pathSchema<More extends z.core.$ZodLooseShape>(
  metricName: string,
  columns: readonly PathColumn[],
  more: (notes: SchemaNotes) => More,
): ConfigSchema<ResolvedPathConfig & z.infer<z.ZodObject<More>>> {
  const notes: SchemaNotes = z.registry();
  const tools = expectedToolsSchema.nullable().default(null);
  const shape = {
    ...commonShape(metricName, notes),
    ...argumentShape(notes),
    expected_calls: expectedCallsSchema.nullable().default(null),
    expected_steps: expectationStepsSchema.nullable().default(null),
    ...(columns.includes("expected_tools") ? { expected_tools: tools } : {}),
    ...more(notes),
  };
  notes.add(shape.expected_calls, { title: "Expected Calls", "x-aip-param-role": "run_input" });
  notes.add(shape.expected_steps, { title: "Expected Steps", "x-aip-param-role": "run_input" });
  notes.add(tools, { title: "Expected Tools", "x-aip-param-role": "run_input" });
  const schema = configObject(shape) as unknown as z.ZodType<ResolvedPathConfig & z.infer<z.ZodObject<More>>>;
  notes.add(schema, { title: `${metricName} configuration` });
  return { schema, notes };
}

/** The run-level expectation of a configuration; undefined when it has none. */
export function fallbackOf(config: ResolvedPathConfig): Expectation | undefined {
  const { expected_calls: calls, expected_steps: steps, expected_tools: tools } = config;
  if (calls === null && steps === null && (tools === null || tools === undefined)) return undefined;
  return {
    ...(calls === null ? {} : { expected_calls: calls }),
    ...(steps === null ? {} : { expected_steps: steps }),
    ...(tools === null || tools === undefined ? {} : { expected_tools: tools }),
    origin: "run",
  };
}
