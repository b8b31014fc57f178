import { z } from "zod";
import type { Sliced } from "../../align/sliced.ts";
import { normalizeName } from "../../model/names.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import type { SchemaNotes } from "../config.ts";
import { sameName } from "../names.ts";
import { nonEvaluable } from "../verdict.ts";
import { EXACT_MATCH } from "./exact-match.ts";
import { walk } from "./in-order-subset.ts";
import { entriesOfPairs } from "./pairs.ts";
import type { PathConfig, ResolvedPathConfig } from "./path-config.ts";
import { bothSides, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";
import { multisetScores } from "./tool-f1.ts";

/** How {@link trajectoryMatch} compares. */
export type MatchMode =
  | "exact"
  | "in_order"
  | "any_order"
  | "unordered"
  | "subset"
  | "superset"
  | "precision"
  | "recall"
  | "single_tool_use";

/** Configuration of {@link trajectoryMatch}. */
export interface TrajectoryMatchConfig extends PathConfig {
  /**
   * `exact`: both paths agree position by position. `in_order`: every expected call in order, extra ones allowed.
   * `any_order` and `superset`: every expected call as often as expected, extra ones allowed. `unordered`: the same
   * calls, order aside. `subset`: no call beyond the expected ones. `precision`, `recall`: shares over multisets.
   * `single_tool_use`: the tool named by `tool` was called.
   * @defaultValue "exact"
   */
  readonly mode?: MatchMode | undefined;
  /** For `single_tool_use`; without it the only expected call. @defaultValue none */
  readonly tool?: string | undefined;
}

interface MatchSettings {
  readonly mode: MatchMode;
  readonly tool?: string | undefined;
}

const MODES = [
  "exact",
  "in_order",
  "any_order",
  "unordered",
  "subset",
  "superset",
  "precision",
  "recall",
  "single_tool_use",
] as const;

/**
 * `trajectory_match` 1.0.0: the comparison modes of other evaluation tools, on our lists, names and argument rules.
 *
 * 0 or 1, but for `precision` and `recall`. Nothing expected: `exact`, `unordered` and `subset` want nothing observed;
 * `in_order`, `any_order`, `superset` and `recall` are 1; `precision` is 1 if nothing was observed, else 0. Columns
 * `expected_calls`, `expected_steps` (groups where order plays no part). {@link presets} has them under the names that
 * they have elsewhere.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function trajectoryMatch(config: TrajectoryMatchConfig = {}): BuiltInScorer {
  return pathScorer(isOrdered(config?.mode) ? ORDERED : TRAJECTORY_MATCH, withOwnTool(config));
}

/** A tool that the configuration names needs no expectation: it is one, for every unit that has none of its own. */
function withOwnTool(config: TrajectoryMatchConfig): TrajectoryMatchConfig {
  if (config?.mode !== "single_tool_use" || typeof config.tool !== "string") return config;
  const { expected_calls, expected_steps, tool } = config;
  // What is no name is told where it stands.
  if (!isNamed(tool)) return config;
  if ((expected_calls ?? expected_steps ?? null) !== null) return config;
  return { ...config, expected_calls: [{ name: tool }] };
}

function isNamed(tool: string): boolean {
  return normalizeName(tool) !== "";
}

function isOrdered(mode: unknown): boolean {
  return mode === undefined || mode === "exact" || mode === "in_order";
}

/** What makes {@link trajectoryMatch}. */
export const TRAJECTORY_MATCH: PathDefinition<MatchSettings> = {
  metric_name: "trajectory_match",
  display_name: "Trajectory Match",
  entrypoint: "trajectoryMatch",
  columns: PATH_COLUMNS,
  orderFree: true,
  more: matchShape,
  description: "Whether the observed calls match the expected ones in the mode that is asked for.",
  metric_metadata: {
    summary: "The comparison modes that other evaluation tools offer, as one metric with a mode.",
    methodology: [
      "exact and in_order look at the order; the other modes compare multisets by a largest matching.",
      "in_order, any_order and superset allow extra calls, subset allows missing ones, unordered neither.",
      "Names and arguments compare as in all path scores.",
    ],
    score_semantics: "0 or 1; precision and recall are shares from 0 to 1.",
    worked_example: "Expected [a, b], observed [b, x, a]: any_order and superset 1; exact, in_order, unordered 0.",
  },
  compare,
};

/** Modes that look at the order refuse groups. */
const ORDERED: PathDefinition<MatchSettings> = { ...TRAJECTORY_MATCH, orderFree: false };

const TOOL = "must be a tool name with more in it than - and _";

function matchShape(notes: SchemaNotes): z.core.$ZodLooseShape {
  const shape = {
    mode: z.enum(MODES, { error: `must be one of ${MODES.join(", ")}` }).default("exact"),
    tool: z.string({ error: TOOL }).min(1, { error: TOOL }).refine(isNamed, { error: TOOL }).optional(),
  };
  notes.add(shape.mode, { title: "Mode" });
  notes.add(shape.tool, { title: "Tool" });
  return shape;
}

function* compare(view: PathView, config: ResolvedPathConfig & MatchSettings): Sliced<Compared> {
  switch (config.mode) {
    case "exact":
      return withMode(yield* EXACT_MATCH.compare(view, config), config.mode);
    case "in_order":
      return withMode(inOrder(view), config.mode);
    case "single_tool_use":
      return withMode(singleToolUse(view, config), config.mode);
    default:
      return withMode(yield* counted(view, config.mode), config.mode);
  }
}

function withMode(compared: Compared, mode: MatchMode): Compared {
  return compared.status === "compared" ? { ...compared, metadata: { mode, ...compared.metadata } } : compared;
}

function inOrder(view: PathView): Compared {
  const { work, sides } = view;
  const walked = walk(work);
  if (walked === undefined) return nonEvaluable("arguments_not_recorded");
  const steps = entriesOfPairs(sides, work.expected.items, work.steps.length, walked.expected, walked.actual);
  const all = walked.expected.length === work.required.length;
  return { status: "compared", score: all ? 1 : 0, metadata: { ...bothSides(view), steps } };
}

function* counted(
  view: PathView,
  mode: Exclude<MatchMode, "exact" | "in_order" | "single_tool_use">,
): Sliced<Compared> {
  const found = yield* multisetScores(view);
  if (found.status !== "counted") return found;
  const { matched, total, observed } = found.counts;
  const scores = {
    any_order: Number(matched === total),
    superset: Number(matched === total),
    subset: Number(matched === observed),
    unordered: Number(matched === total && matched === observed),
    precision: found.precision,
    recall: found.recall,
  };
  return {
    status: "compared",
    score: scores[mode],
    metadata: { ...bothSides(view), ...found.counts, steps: found.steps },
  };
}

/** The tool that the configuration names, else the one that is expected. */
function singleToolUse(view: PathView, { tool, names }: ResolvedPathConfig & MatchSettings): Compared {
  const { work } = view;
  const wanted = tool === undefined ? work.expected.items.flatMap((item) => item.names) : [tool];
  if (new Set(wanted).size !== 1) {
    const message = `single_tool_use needs one tool: the configuration names none and ${wanted.length} are expected`;
    return { status: "error", error: { type: "no_single_tool", message } };
  }
  const used = work.steps.some((step) => sameName(wanted[0] as string, step, names));
  return { status: "compared", score: used ? 1 : 0, metadata: { tool: wanted[0], ...bothSides(view) } };
}
