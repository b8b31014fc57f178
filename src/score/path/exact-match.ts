import { WorkBudget } from "../../align/alignment.ts";
import type { Sliced } from "../../align/sliced.ts";
import { EQUAL, UNKNOWN } from "../arguments/compare.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { nonEvaluable } from "../verdict.ts";
import { entriesOfPairs, type PathEntry } from "./pairs.ts";
import type { PathConfig } from "./path-config.ts";
import { bothSides, nothingMore, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";
import type { PathWork } from "./path-work.ts";

/**
 * `exact_match` 1.0.0: is the path the expected one, call by call?
 *
 * 1 when both sequences agree position by position, else 0. Nothing expected: 1 if nothing was observed. Columns
 * `expected_calls`, `expected_steps` (no groups). Source: the exact match of the trajectory article, ADK's baseline.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function exactMatch(config: PathConfig = {}): BuiltInScorer {
  return pathScorer(EXACT_MATCH, config);
}

/** What makes {@link exactMatch}. */
export const EXACT_MATCH: PathDefinition<object> = {
  metric_name: "exact_match",
  display_name: "Exact Match",
  entrypoint: "exactMatch",
  columns: PATH_COLUMNS,
  orderFree: false,
  more: nothingMore,
  description: "Whether the observed path is exactly the expected one, call by call, arguments included where given.",
  metric_metadata: {
    summary: "1 when both sequences agree position by position, else 0; the mean over a run is tool_trajectory_avg.",
    methodology: [
      "expected_calls are compared with the tool calls of a unit, expected_steps with its steps, position by position.",
      "Two calls agree when their names do and, where the expected call has arguments, those do by its match rule.",
      "An optional step may be absent. Groups have no order and are refused as groups_not_scored.",
    ],
    score_semantics: "0 or 1. Nothing expected scores 1 when nothing was done, else 0; nothing done scores 0.",
    worked_example: "Expected [search, open], observed [search, open]: 1. One call more, or the other order: 0.",
  },
  compare,
};

function* compare(view: PathView): Sliced<Compared> {
  const { work } = view;
  const exact = work.expected.optional ? yield* matchesOptional(work) : matchesPlain(work);
  if (exact === "unknown") return nonEvaluable("arguments_not_recorded");
  if (exact === "over_limit") return nonEvaluable("over_limit");
  return { status: "compared", score: exact ? 1 : 0, metadata: { ...bothSides(view), steps: yield* positions(view) } };
}

function matchesPlain(work: PathWork): boolean | "unknown" {
  const { items } = work.expected;
  if (items.length !== work.steps.length) return false;
  let same = true;
  for (let index = 0; index < items.length; index += 1) {
    const verdict = work.compare(index, index);
    if (verdict === UNKNOWN) return "unknown";
    if (verdict !== EQUAL) same = false;
  }
  return same;
}

/** Follows every place that the expected list can be at, step by step. O(expected * observed). */
function* matchesOptional(work: PathWork): Sliced<boolean | "over_limit"> {
  const { items } = work.expected;
  const budget = new WorkBudget();
  if (!budget.affords(items.length * work.steps.length)) return "over_limit";
  const skip = (places: Uint8Array): Uint8Array => {
    for (let at = 0; at < items.length; at += 1) if (places[at] === 1 && items[at]?.optional) places[at + 1] = 1;
    return places;
  };
  let places: Uint8Array = new Uint8Array(items.length + 1);
  places[0] = 1;
  places = skip(places);
  for (let actual = 0; actual < work.steps.length; actual += 1) {
    const next = new Uint8Array(items.length + 1);
    for (let at = 0; at < items.length; at += 1) {
      if (places[at] === 1 && work.compare(at, actual) === EQUAL) next[at + 1] = 1;
    }
    places = skip(next);
    budget.spend(items.length);
    if (budget.pauses()) yield;
  }
  return places[items.length] === 1;
}

/** Entries position by position: the mode compares nothing else. */
function* positions({ work, sides }: PathView): Sliced<PathEntry[]> {
  const { items, optional } = work.expected;
  // Optional steps shift positions: then what both have in common shows where they part.
  if (optional) {
    const common = yield* work.common();
    return common.ok ? entriesOfPairs(sides, items, work.steps.length, common.expected, common.actual) : [];
  }
  const entries: PathEntry[] = [];
  const longest = Math.max(items.length, work.steps.length);
  for (let index = 0; index < longest; index += 1) {
    if (index >= work.steps.length) entries.push(sides.entry("delete", index, -1));
    else if (index >= items.length) entries.push(sides.entry("insert", -1, index));
    else entries.push(sides.entry(work.compare(index, index) === EQUAL ? "match" : "substitute", index, index));
  }
  return entries;
}
