import { z } from "zod";
import { describeIssues, type Problem } from "../expectation/issues.ts";
import { strict } from "../expectation/schemas.ts";
import { show, TrajectoryError } from "../model/errors.ts";
import type { Annotations } from "../model/scorer.ts";
import type { NameRule } from "./names.ts";

/** Names that a metric cannot have: they would collide with our own span attributes and metrics. */
export const RESERVED_METRIC_NAMES: readonly string[] = [
  "unit",
  "unit_id",
  "units",
  "spans",
  "evaluation",
  "scorer",
  "expectation",
  "complete",
];

/** What a metric name looks like. */
export const METRIC_NAME_PATTERN: RegExp = /^[a-z][a-z0-9_]*$/;

/** Configuration that every scorer of step lists takes. */
export interface CommonConfig {
  /** Name under which scores are emitted: `^[a-z][a-z0-9_]*$`, none of the reserved ones, unique in one processor. */
  readonly metric_name?: string | undefined;
  /** Least score that passes, 0 to 1. Counts only under approved expectations. @defaultValue none: informational */
  readonly threshold?: number | null | undefined;
  /** What is graded. @defaultValue "trajectory" */
  readonly unit?: "trajectory" | "session" | undefined;
  /** How names compare. @defaultValue "normalized" */
  readonly names?: NameRule | undefined;
  /** Unit id, or bare trace or session id -> column -> JSON text. */
  readonly annotations?: Annotations | null | undefined;
}

/** Titles and roles, printed into a configuration schema. */
export type SchemaNotes = z.core.$ZodRegistry<Record<string, unknown>>;

/** A configuration with its defaults filled in. */
export type Resolved<Config> = Required<{ [K in keyof Config]: Exclude<Config[K], undefined> }>;

/** A configuration schema and the notes for printing it. */
export interface ConfigSchema<T> {
  readonly schema: z.ZodType<T>;
  readonly notes: SchemaNotes;
}

/** Text for a metric name that is refused. */
export const METRIC_NAME_ALLOWED: string = `must match ${METRIC_NAME_PATTERN.source} and be none of ${RESERVED_METRIC_NAMES.join(", ")}`;

/** A metric name: well-formed and not reserved. */
export function metricNameSchema(): z.ZodString {
  return z
    .string({ error: METRIC_NAME_ALLOWED })
    .regex(METRIC_NAME_PATTERN)
    .refine((name) => !RESERVED_METRIC_NAMES.includes(name));
}

/** The shape of {@link CommonConfig} with its defaults; notes for the printed schema go into `notes`. */
export function commonShape(metricName: string, notes: SchemaNotes): CommonShape {
  const range = "must be a number from 0 to 1";
  const table = "must be a table: unit id, or trace or session id -> column -> JSON text";
  const text = z.string({ error: "must be JSON text" });
  const shape: CommonShape = {
    metric_name: metricNameSchema().default(metricName),
    threshold: z.number({ error: range }).min(0).max(1).nullable().default(null),
    unit: z.enum(["trajectory", "session"], { error: 'must be "trajectory" or "session"' }).default("trajectory"),
    names: z.enum(["normalized", "exact"], { error: 'must be "normalized" or "exact"' }).default("normalized"),
    annotations: z
      .record(z.string(), z.record(z.string(), text, { error: "must be a table: column -> JSON text" }), {
        error: table,
      })
      .nullable()
      .default(null),
  };
  notes.add(shape.metric_name, { title: "Metric Name", "x-aip-param-role": "scoring_metadata" });
  notes.add(shape.threshold, { title: "Threshold" });
  notes.add(shape.unit, { title: "Unit" });
  notes.add(shape.names, { title: "Names" });
  notes.add(shape.annotations, { title: "Annotations", "x-aip-param-role": "run_input" });
  return shape;
}

/** Zod types of {@link commonShape}. */
export interface CommonShape extends z.core.$ZodLooseShape {
  readonly metric_name: z.ZodDefault<z.ZodString>;
  readonly threshold: z.ZodDefault<z.ZodNullable<z.ZodNumber>>;
  readonly unit: z.ZodDefault<z.ZodEnum<{ trajectory: "trajectory"; session: "session" }>>;
  readonly names: z.ZodDefault<z.ZodEnum<{ normalized: "normalized"; exact: "exact" }>>;
  readonly annotations: z.ZodDefault<z.ZodNullable<z.ZodRecord<z.ZodString, z.ZodRecord<z.ZodString, z.ZodString>>>>;
}

/** A strict object: the message about an unknown key names it and lists the known ones. */
export function configObject<Shape extends z.core.$ZodShape>(shape: Shape): z.ZodObject<Shape, z.core.$strict> {
  return strict(shape, "must be an object");
}

/**
 * Checks a configuration and fills in its defaults.
 *
 * @throws TrajectoryError `invalid_config` naming the field, the value and what is allowed
 */
export function parseConfig<T>(schema: z.ZodType<T>, config: unknown): T {
  const parsed = schema.safeParse(config ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
    const key = issue.keys[0] as string;
    const value = (config as Record<string, unknown>)[key];
    throw new TrajectoryError("invalid_config", key, `${key}: ${issue.message}, got ${show(value)}`);
  }
  const { path, line } = describeIssues(parsed.error.issues, "", config)[0] as Problem;
  if (path === "") throw new TrajectoryError("invalid_config", "config", `config: ${line}`);
  throw new TrajectoryError("invalid_config", path, line);
}

/** Marks a field that only code can give: it is no part of the printed schema. */
export const CODE_ONLY: Readonly<Record<string, unknown>> = { "x-code-only": true };

/**
 * Prints a configuration schema as JSON Schema (draft 2020-12), for what a user writes. Fields that hold functions or
 * scorers are left out, like any key that a file may not have.
 */
export function printSchema(schema: z.ZodType, notes: SchemaNotes): Readonly<Record<string, unknown>> {
  const printed = z.toJSONSchema(schema, { io: "input", metadata: notes, unrepresentable: "any" });
  const { properties = {}, ...rest } = printed;
  const written = Object.entries(properties).filter(([, property]) => !("x-code-only" in Object(property)));
  return { ...rest, properties: Object.fromEntries(written) };
}
