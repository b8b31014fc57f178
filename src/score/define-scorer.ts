import { z } from "zod";
import type { Column, Expectation } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Annotations, Manifest, Scorer } from "../model/scorer.ts";
import type { Kind } from "../model/span.ts";
import type { Occurrence, Unit } from "../model/trajectory.ts";
import { configObject, metricNameSchema, parseConfig } from "./config.ts";

/** A custom scorer, as {@link defineScorer} takes it. */
export interface ScorerDefinition {
  /** Full name, for example `shop.polite`. */
  readonly name: string;
  /** `major.minor.patch`; a score that changes for the same input is a new major version. */
  readonly version: string;
  /** Name under which scores are emitted: `^[a-z][a-z0-9_]*$`, none of the reserved ones, unique in one processor. */
  readonly metric_name: string;
  /** What it grades; at least one. @defaultValue ["trajectory"] */
  readonly units?: readonly Unit[] | undefined;
  /** May be async; the engine guards and time-limits it. */
  readonly score: (occurrence: Occurrence) => ScoreResult | Promise<ScoreResult>;
  /** Expectation columns that it can use, best first. @defaultValue none: it needs no expectation */
  readonly columns?: readonly Column[] | undefined;
  /** Kinds of which a unit needs at least one. @defaultValue none needed */
  readonly needs?: readonly Kind[] | undefined;
  /** @defaultValue "higher_is_better" */
  readonly direction?: Manifest["direction"] | undefined;
  /** @defaultValue the name */
  readonly display_name?: string | undefined;
  /** What it measures, in a sentence. @defaultValue empty */
  readonly description?: string | undefined;
  /** Time limit of one asynchronous score, in seconds. @defaultValue 300 */
  readonly timeout_seconds?: number | undefined;
  /** Most asynchronous scores at a time. @defaultValue 4 */
  readonly max_concurrency?: number | undefined;
  /** Part of every evaluation id: change it and scores are told apart. @defaultValue empty */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Run-level expectation, for units that have none of their own. */
  readonly fallback?: Expectation | undefined;
  /** Unit id, or bare trace or session id -> column -> JSON text. */
  readonly annotations?: Annotations | undefined;
}

const DEFAULT_UNITS: readonly Unit[] = ["trajectory"];
const UNITS = ["call", "step", "trajectory", "session"] as const;
const COLUMNS = ["expected_steps", "expected_tools", "expected_calls", "max_calls", "forbidden_tools"] as const;

/**
 * Checks the definition of a custom scorer and fills in its manifest.
 *
 * @throws TrajectoryError `invalid_config` naming the field, the value and what is allowed
 * @example
 * defineScorer({ name: "shop.short", version: "1.0.0", metric_name: "short",
 *   score: ({ steps }) => ({ status: "scored", score: steps.length <= 5 ? 1 : 0, label: "informational", metadata: {} }) })
 */
export function defineScorer(definition: ScorerDefinition): Scorer {
  parseConfig(definitionSchema(), definition);
  const { name, version, metric_name, units = DEFAULT_UNITS, columns = [], config = {} } = definition;
  const { fallback, annotations } = definition;
  return {
    name,
    version,
    metric_name,
    units: [...units],
    columns: [...columns],
    config,
    manifest: manifestFor(definition),
    score: (occurrence) => definition.score(occurrence),
    ...(fallback === undefined ? {} : { fallback }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

function definitionSchema(): z.ZodType {
  const text = z.string({ error: "must be text" });
  const positive = "must be a number above 0";
  const anObject = z.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
    error: "must be an object",
  });
  const units = `must be a list of ${UNITS.join(", ")}, at least one`;
  const columns = `must be a list of ${COLUMNS.join(", ")}`;
  const version = "must be a version such as 1.0.0";
  const kinds = "must be a list of TOOL, AGENT, LLM";
  return configObject({
    name: text.min(1, { error: "must be text that is not empty" }),
    version: z.string({ error: version }).regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/),
    metric_name: metricNameSchema(),
    units: z
      .array(z.enum(UNITS, { error: units }), { error: units })
      .min(1)
      .optional(),
    score: z.custom<unknown>((value) => typeof value === "function", { error: "must be a function" }),
    columns: z.array(z.enum(COLUMNS, { error: columns }), { error: columns }).optional(),
    needs: z.array(z.enum(["TOOL", "AGENT", "LLM"], { error: kinds }), { error: kinds }).optional(),
    direction: z
      .enum(["higher_is_better", "lower_is_better"], { error: 'must be "higher_is_better" or "lower_is_better"' })
      .optional(),
    display_name: text.optional(),
    description: text.optional(),
    timeout_seconds: z.number({ error: positive }).gt(0).optional(),
    max_concurrency: z.int({ error: "must be a whole number of at least 1" }).min(1).optional(),
    config: anObject.optional(),
    fallback: anObject.optional(),
    annotations: anObject.optional(),
  });
}

function manifestFor(definition: ScorerDefinition): Manifest {
  const { units = DEFAULT_UNITS, needs = [], columns = [], description = "" } = definition;
  const partitions: ("trace" | "session")[] = [];
  if (units.some((unit) => unit !== "session")) partitions.push("trace");
  if (units.includes("session")) partitions.push("session");
  return {
    manifest_version: "1",
    kind: "trace_metric",
    name: definition.name,
    display_name: definition.display_name ?? definition.name,
    version: definition.version,
    description,
    metric_type: "pointwise",
    scorer_contract: "per_row",
    direction: definition.direction ?? "higher_is_better",
    entrypoint: "custom",
    partition_types: partitions,
    required_kinds: needs.length === 0 ? [] : [{ anyOf: [...needs] }],
    required_columns: [...columns],
    accepts: [{ name: "canonical_partition_v1" }],
    config_schema: { type: "object" },
    dependencies: [],
    execution: {
      emits_metric_family: false,
      function_name: null,
      max_concurrency: definition.max_concurrency ?? 4,
      processing_kind: "cpu",
      timeout_seconds: definition.timeout_seconds ?? 300,
    },
    metric_metadata: { summary: description, methodology: [], score_semantics: "", worked_example: "" },
    unsupported_trace_shapes: [],
  };
}
