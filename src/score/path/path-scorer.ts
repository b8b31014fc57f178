import type { z } from "zod";
import type { Sliced } from "../../align/sliced.ts";
import type { ScoreResult } from "../../model/result.ts";
import type { Manifest } from "../../model/scorer.ts";
import type { Kind } from "../../model/span.ts";
import type { Occurrence, Step } from "../../model/trajectory.ts";
import { ArgumentPolicy } from "../arguments/policy.ts";
import type { Compared } from "../best-of.ts";
import { type BuiltInScorer, builtIn } from "../built-in.ts";
import { parseConfig, type SchemaNotes } from "../config.ts";
import { guardUnit } from "../guards.ts";
import { manifestOf } from "../manifest-base.ts";
import { resolveFirst } from "../resolve-column.ts";
import { stepsOf } from "../steps-of.ts";
import { errored, nonEvaluable, verdict } from "../verdict.ts";
import { Sides } from "./pairs.ts";
import { fallbackOf, type PathColumn, pathSchema, type ResolvedPathConfig } from "./path-config.ts";
import type { PathValue } from "./path-list.ts";
import type { PathWork } from "./path-work.ts";
import { type Comparison, workFor } from "./shared-work.ts";

/** What one comparison sees: the shared work, and how results may name what they compared. */
export interface PathView {
  readonly work: PathWork;
  readonly sides: Sides;
}

/** What makes one path score. `Config` is what it takes beside the common configuration. */
export interface PathDefinition<Config> {
  readonly metric_name: string;
  readonly display_name: string;
  /** Name of the function that builds it. */
  readonly entrypoint: string;
  readonly columns: readonly PathColumn[];
  /** Whether order plays no part: then groups are laid out, else they cannot be scored. */
  readonly orderFree: boolean;
  readonly description: string;
  readonly metric_metadata: Manifest["metric_metadata"];
  readonly more: (notes: SchemaNotes) => z.core.$ZodLooseShape;
  readonly compare: (view: PathView, config: ResolvedPathConfig & Config) => Sliced<Compared>;
}

/** The order-sensitive columns, best first. */
export const PATH_COLUMNS: readonly PathColumn[] = ["expected_calls", "expected_steps"];

/** A score that changes for the same input is a new major version. */
export const PATH_VERSION = "1.0.0";

const STEP_NEEDS: readonly Kind[] = ["TOOL", "AGENT", "LLM"];
const TOOL_NEEDS: readonly Kind[] = ["TOOL", "LLM"];

/** No configuration but the common one. */
export const nothingMore = (): z.core.$ZodLooseShape => ({});

/** Builds a path score. @throws TrajectoryError `invalid_config` for a wrong value or an unknown key */
export function pathScorer<Config>(definition: PathDefinition<Config>, config: unknown): BuiltInScorer {
  const { columns, metric_name, more } = definition;
  const resolved = parseConfig(pathSchema(metric_name, columns, more).schema, config) as ResolvedPathConfig & Config;
  const { match, numeric_args, trim_args, ignore_args, tools, names, compare_args } = resolved;
  const policy = new ArgumentPolicy(resolved, names);
  const key = JSON.stringify({ names, match, numeric_args, trim_args, ignore_args, tools });
  const comparison: Comparison = { names, policy, key };
  const fallback = fallbackOf(resolved);
  return builtIn({
    name: `agent.${metric_name}`,
    version: PATH_VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns,
    // Functions have no digest: that there is one is all that can be said.
    config: { ...(resolved as object), ...(compare_args === undefined ? {} : { compare_args: "custom" }) },
    fallback,
    annotations: resolved.annotations,
    manifest: () => pathManifest(definition),
    hostCode: compare_args !== undefined,
    score: (occurrence) => {
      const column = resolveFirst(columns, occurrence, resolved.annotations, fallback);
      if (!column.ok) return checkSteps(occurrence) ?? column.result;
      return score(occurrence, column as PathValue & typeof column, definition, resolved, comparison);
    },
  });
}

/** The manifest; its schema is printed from the one that checks configurations. */
export function pathManifest(definition: PathDefinition<never> | PathDefinition<unknown>): Manifest {
  const { metric_name, columns, more } = definition;
  return manifestOf({
    name: `agent.${metric_name}`,
    display_name: definition.display_name,
    version: PATH_VERSION,
    description: definition.description,
    entrypoint: `otel-trajectory/core#${definition.entrypoint}`,
    needs: STEP_NEEDS,
    required_columns: [...columns],
    config: () => pathSchema(metric_name, columns, more),
    metric_metadata: definition.metric_metadata,
  });
}

function checkSteps(occurrence: Occurrence): ScoreResult | undefined {
  const checked = stepsOf(occurrence.steps, "steps");
  return checked.ok ? undefined : errored("invalid_occurrence", checked.message);
}

function* score<Config>(
  occurrence: Occurrence,
  column: PathValue & { readonly status: "proposed" | "approved" },
  definition: PathDefinition<Config>,
  config: ResolvedPathConfig & Config,
  comparison: Comparison,
): Sliced<ScoreResult> {
  const list = column.column === "expected_steps" ? "steps" : "tools";
  const observed = observedList(occurrence, list);
  if (!observed.ok) return errored("invalid_occurrence", observed.message);
  const works = workFor(column, observed.steps, comparison);
  const compared = yield* compareAll(works, column, definition, config);
  // The work limit goes before the guards of the unit, and only comparing finds it.
  if (compared.status === "non_evaluable" && compared.reason === "over_limit") return compared;
  const guarded = guardUnit(occurrence, list === "steps" ? STEP_NEEDS : TOOL_NEEDS, list);
  if (guarded !== undefined) return guarded;
  if (compared.status !== "compared") return compared;
  return {
    status: "scored",
    score: compared.score,
    label: verdict(compared.score, config.threshold, column.status),
    metadata: compared.metadata,
  };
}

function observedList(
  occurrence: Occurrence,
  list: "steps" | "tools",
): { readonly ok: true; readonly steps: readonly Step[] } | { readonly ok: false; readonly message: string } {
  const { tools } = occurrence;
  if (list === "steps") return stepsOf(occurrence.steps, "steps");
  const checked = tools === undefined ? stepsOf(occurrence.steps, "steps") : stepsOf(tools, "tools");
  if (!checked.ok || checked.steps.every((step) => step.kind === "TOOL")) return checked;
  return { ok: true, steps: checked.steps.filter((step) => step.kind === "TOOL") };
}

/** Of several acceptable trajectories the best score counts, the first of several. */
function* compareAll<Config>(
  works: readonly PathWork[],
  path: PathValue,
  definition: PathDefinition<Config>,
  config: ResolvedPathConfig & Config,
): Sliced<Compared> {
  const several = "one_of" in path.value;
  let best: Compared | undefined;
  for (const [index, work] of works.entries()) {
    if (work.expected.grouped && !definition.orderFree) {
      return nonEvaluable("groups_not_scored", `${definition.metric_name} needs an order, and a group has none`);
    }
    yield* work.read();
    const sides = new Sides(work.expected.items, work.steps, config.report_args);
    const compared = yield* definition.compare({ work, sides }, config);
    if (compared.status !== "compared" || !several) return compared;
    if (best?.status === "compared" && compared.score <= best.score) continue;
    const metadata = { ...compared.metadata, trajectory_index: index, trajectory_count: works.length };
    best = { ...compared, metadata };
  }
  // There is at least one.
  return best as Compared;
}

/** What every path score reports of both sides. */
export function bothSides({ work }: PathView): { expected: string[]; actual: string[] } {
  return { expected: work.expected.labels.slice(), actual: work.names.slice() };
}
