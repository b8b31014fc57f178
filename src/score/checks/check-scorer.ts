import { z } from "zod";
import type { ColumnValues } from "../../expectation/parse.ts";
import type { Expectation } from "../../model/expectation.ts";
import type { ScoreResult } from "../../model/result.ts";
import type { Annotations, Manifest } from "../../model/scorer.ts";
import type { Kind } from "../../model/span.ts";
import type { Occurrence, Step } from "../../model/trajectory.ts";
import { type BuiltInScorer, builtIn } from "../built-in.ts";
import { type ConfigSchema, commonShape, configObject, parseConfig, type SchemaNotes } from "../config.ts";
import { guardUnit } from "../guards.ts";
import { manifestOf } from "../manifest-base.ts";
import type { NameRule } from "../names.ts";
import { resolveColumn, runLevel } from "../resolve-column.ts";
import { stepsOf } from "../steps-of.ts";
import { errored, verdict } from "../verdict.ts";

/** Columns that limit what may be called. */
export type CheckColumn = "max_calls" | "forbidden_tools";

/** What makes one check; its metric is named like its column. */
export interface CheckDefinition<C extends CheckColumn> {
  readonly column: C;
  readonly display_name: string;
  readonly entrypoint: string;
  readonly description: string;
  readonly metric_metadata: Manifest["metric_metadata"];
  readonly value: z.ZodType<ColumnValues[C]>;
  readonly check: (
    limit: ColumnValues[C],
    calls: readonly Step[],
    names: NameRule,
  ) => { readonly kept: boolean; readonly metadata: Record<string, unknown> };
}

interface ResolvedCheck {
  readonly metric_name: string;
  readonly threshold: number | null;
  readonly unit: "trajectory" | "session";
  readonly names: NameRule;
  readonly annotations: Annotations | null;
}

const NEEDS: readonly Kind[] = ["TOOL", "LLM"];
const VERSION = "1.0.0";

/** Builds a check. @throws TrajectoryError `invalid_config` for a wrong value or an unknown key */
export function checkScorer<C extends CheckColumn>(definition: CheckDefinition<C>, config: unknown): BuiltInScorer {
  const { column } = definition;
  const resolved = parseConfig(checkSchema(definition).schema, config);
  const value = (resolved as unknown as Record<C, ColumnValues[C] | null>)[column];
  const fallback = runLevel(column, value);
  return builtIn({
    name: `agent.${column}`,
    version: VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns: [column],
    config: { ...resolved },
    fallback,
    annotations: resolved.annotations,
    manifest: () => checkManifest(definition),
    score: (occurrence) => score(occurrence, definition, resolved, fallback),
  });
}

function score<C extends CheckColumn>(
  occurrence: Occurrence,
  definition: CheckDefinition<C>,
  config: ResolvedCheck,
  fallback: Expectation | undefined,
): ScoreResult {
  const { tools } = occurrence;
  const checked = tools === undefined ? stepsOf(occurrence.steps, "steps") : stepsOf(tools, "tools");
  if (!checked.ok) return errored("invalid_occurrence", checked.message);
  const column = resolveColumn(definition.column, occurrence, config.annotations, fallback);
  if (!column.ok) return column.result;
  const guarded = guardUnit(occurrence, NEEDS, "tools");
  if (guarded !== undefined) return guarded;
  const calls = checked.steps.filter((step) => step.kind === "TOOL");
  const { kept, metadata } = definition.check(column.value, calls, config.names);
  const value = kept ? 1 : 0;
  return { status: "scored", score: value, label: verdict(value, config.threshold, column.status), metadata };
}

function checkSchema<C extends CheckColumn>(definition: CheckDefinition<C>): ConfigSchema<ResolvedCheck> {
  const notes: SchemaNotes = z.registry();
  const { column } = definition;
  const field = definition.value.nullable().default(null);
  const shape = { ...commonShape(column, notes), [column]: field };
  notes.add(field, { title: definition.display_name, "x-aip-param-role": "run_input" });
  const schema = configObject(shape) as unknown as z.ZodType<ResolvedCheck>;
  notes.add(schema, { title: `${column} configuration` });
  return { schema, notes };
}

/** The manifest; its schema is printed from the one that checks configurations. */
export function checkManifest<C extends CheckColumn>(definition: CheckDefinition<C>): Manifest {
  return manifestOf({
    name: `agent.${definition.column}`,
    display_name: definition.display_name,
    version: VERSION,
    description: definition.description,
    entrypoint: `otel-trajectory/core#${definition.entrypoint}`,
    needs: NEEDS,
    required_columns: [definition.column],
    config: () => checkSchema(definition),
    metric_metadata: definition.metric_metadata,
  });
}
