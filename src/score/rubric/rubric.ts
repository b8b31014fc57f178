import { z } from "zod";
import { type Sliced, toSlices } from "../../align/sliced.ts";
import { show, TrajectoryError } from "../../model/errors.ts";
import type { Column } from "../../model/expectation.ts";
import type { ScoreResult } from "../../model/result.ts";
import type { Annotations, Scorer } from "../../model/scorer.ts";
import type { Occurrence } from "../../model/trajectory.ts";
import { type BuiltInScorer, builtIn, isBuiltIn, scoreInSlices } from "../built-in.ts";
import {
  CODE_ONLY,
  type CommonConfig,
  type ConfigSchema,
  commonShape,
  configObject,
  parseConfig,
  type SchemaNotes,
} from "../config.ts";
import type { NameRule } from "../names.ts";
import { resolveFirst } from "../resolve-column.ts";
import { errored, nonEvaluable, verdict } from "../verdict.ts";
import { SCORER_BUILDERS } from "./inputs.ts";
import { RUBRIC_NAME, RUBRIC_VERSION, rubricManifest } from "./rubric-manifest.ts";
import { applyRules, type RubricRule, type RubricRules, rulesSchema } from "./rules.ts";

/** Configuration of {@link rubric}: exactly one of `all` and `any`. */
export interface RubricConfig extends CommonConfig {
  /** Rules that must all hold. */
  readonly all?: readonly RubricRule[] | undefined;
  /** Rules of which at least one must hold. */
  readonly any?: readonly RubricRule[] | undefined;
  /** Configurations of the scorers that the rules name, by metric name. @defaultValue their defaults */
  readonly inputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /**
   * Scorers of this package to take instead, each under its own metric name; so one can be used twice with different
   * configurations. Not in configuration files.
   */
  readonly scorers?: readonly Scorer[] | undefined;
}

interface ResolvedRubricConfig {
  readonly metric_name: string;
  readonly threshold: number | null;
  readonly unit: "trajectory" | "session";
  readonly names: NameRule;
  readonly annotations: Annotations | null;
  readonly all?: readonly RubricRule[];
  readonly any?: readonly RubricRule[];
  readonly inputs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly scorers?: readonly Scorer[];
}

/**
 * `rubric` 1.0.0: does a unit pass a rule over other scores?
 *
 * 1 or 0; `metadata.outcome` is `pass` or `fail` always, the label only under an approved expectation. The scorers that
 * the rules name run on the same occurrence, sharing the work of scorers that run beside it; an input that was not
 * scored is `dependency_not_scored`. It is handed every column that its inputs can use.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value, an unknown key or an unknown metric
 * @example rubric({ all: [{ metric: "order_aware", gte: 0.75 }, { metric: "step_credit", field: "extra", lte: 1 }] })
 */
export function rubric(config: RubricConfig): BuiltInScorer {
  const resolved = parseConfig(rubricSchema().schema, config);
  const rules = (resolved.all === undefined ? { any: resolved.any } : { all: resolved.all }) as RubricRules;
  const inputs = inputsFor(rules, resolved);
  const columns = [...new Set(inputs.flatMap((input) => input.columns))];
  const { scorers, ...rest } = resolved;
  return builtIn({
    name: RUBRIC_NAME,
    version: RUBRIC_VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns,
    allColumns: true,
    needsMembers: inputs.some((input) => input.needs_members === true),
    config: {
      ...rest,
      scorers: inputs.map(({ name, version, config: own }) => ({ name, version, config: own })),
    },
    fallback: undefined,
    annotations: resolved.annotations,
    manifest: () => rubricManifest(rubricSchema),
    score: (occurrence) => score(occurrence, rules, inputs, columns, resolved),
  });
}

function* score(
  occurrence: Occurrence,
  rules: RubricRules,
  inputs: readonly BuiltInScorer[],
  columns: readonly Column[],
  config: ResolvedRubricConfig,
): Sliced<ScoreResult> {
  const results = new Map<string, ScoreResult>();
  for (const input of inputs) results.set(input.metric_name, yield* toSlices(scoreInSlices(input, occurrence)));
  const outcome = applyRules(rules, results);
  if (!outcome.ok) {
    if (outcome.kind === "field") {
      return errored("unknown_field", `${outcome.metric}: metadata.${outcome.field} must be a number`);
    }
    // An input without an expectation says what is missing; the rubric misses the same.
    if ([...results.values()].every(isUnexpected)) return nonEvaluable("no_expectation");
    return nonEvaluable("dependency_not_scored", `${outcome.metric}: ${outcome.because}`);
  }
  const value = outcome.pass ? 1 : 0;
  const resolved = resolveFirst(columns, occurrence, config.annotations, undefined);
  const threshold = config.threshold ?? 1;
  return {
    status: "scored",
    score: value,
    label: verdict(value, threshold, resolved.ok ? resolved.status : undefined),
    metadata: { outcome: outcome.pass ? "pass" : "fail", rules: outcome.rules.map((rule) => ({ ...rule })) },
  };
}

function isUnexpected(result: ScoreResult): boolean {
  return result.status === "non_evaluable" && result.reason === "no_expectation";
}

/** One scorer per metric that the rules name, in the order in which they name them. */
function inputsFor(rules: RubricRules, config: ResolvedRubricConfig): BuiltInScorer[] {
  const { all, key } = "all" in rules ? { all: rules.all, key: "all" } : { all: rules.any, key: "any" };
  const given = new Map<string, BuiltInScorer>();
  for (const [index, scorer] of (config.scorers ?? []).entries()) {
    if (!isBuiltIn(scorer)) throw wrong(`scorers[${index}]`, "must be a scorer of this package", scorer?.metric_name);
    given.set(scorer.metric_name, scorer as BuiltInScorer);
  }
  const inputs = new Map<string, BuiltInScorer>();
  for (const [index, { metric }] of all.entries()) {
    if (inputs.has(metric)) continue;
    const scorer = given.get(metric) ?? build(metric, config);
    if (scorer === undefined) {
      const known = [...Object.keys(SCORER_BUILDERS), ...given.keys()].join(", ");
      throw wrong(`${key}[${index}].metric`, `must be one of ${known}`, metric);
    }
    inputs.set(metric, scorer);
  }
  const unused = Object.keys(config.inputs).find((name) => !inputs.has(name) || given.has(name));
  if (unused !== undefined) throw wrong(`inputs.${unused}`, "must be a metric that a rule names", unused);
  return [...inputs.values()];
}

function build(metric: string, config: ResolvedRubricConfig): BuiltInScorer | undefined {
  const builder = Object.hasOwn(SCORER_BUILDERS, metric) ? SCORER_BUILDERS[metric] : undefined;
  if (builder === undefined) return undefined;
  const own = Object.hasOwn(config.inputs, metric) ? config.inputs[metric] : undefined;
  const shared = builder.compares ? { names: config.names, annotations: config.annotations } : {};
  try {
    return builder.build({ unit: config.unit, ...shared, ...own, metric_name: metric });
  } catch (error) {
    if (!(error instanceof TrajectoryError)) throw error;
    throw new TrajectoryError(error.code, `inputs.${metric}.${error.path}`, `inputs.${metric}.${error.message}`);
  }
}

function wrong(path: string, allowed: string, value: unknown): TrajectoryError {
  return new TrajectoryError("invalid_config", path, `${path}: ${allowed}, got ${show(value)}`);
}

function rubricSchema(): ConfigSchema<ResolvedRubricConfig> {
  const notes: SchemaNotes = z.registry();
  const table = "must be a table: metric name -> configuration";
  const rules = rulesSchema();
  const shape = {
    ...commonShape("rubric", notes),
    all: rules.optional(),
    any: rules.optional(),
    inputs: z
      .record(z.string(), z.record(z.string(), z.unknown(), { error: "must be a configuration" }), { error: table })
      .default({}),
    scorers: z
      .custom<readonly Scorer[]>((value) => Array.isArray(value), { error: "must be a list of scorers" })
      .optional(),
  };
  notes.add(shape.all, { title: "All" });
  notes.add(shape.any, { title: "Any" });
  notes.add(shape.inputs, { title: "Inputs" });
  notes.add(shape.scorers, CODE_ONLY);
  const schema = configObject(shape).superRefine((config, context) => {
    if ((config.all === undefined) !== (config.any === undefined)) return;
    const path = config.all === undefined ? "all" : "any";
    context.addIssue({ code: "custom", path: [path], message: "exactly one of all and any must be given" });
  }) as unknown as z.ZodType<ResolvedRubricConfig>;
  notes.add(schema, { title: "RubricConfig" });
  return { schema, notes };
}

/** The manifest of `rubric`. */
export function defaultRubricManifest(): ReturnType<typeof rubricManifest> {
  return rubricManifest(rubricSchema);
}
