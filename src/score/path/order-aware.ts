import type { Sliced } from "../../align/sliced.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { nonEvaluable } from "../verdict.ts";
import { entriesOfPairs } from "./pairs.ts";
import type { PathConfig } from "./path-config.ts";
import { bothSides, nothingMore, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";

/**
 * `order_aware` 1.0.0: how much of the expected path was recovered in order?
 *
 * Longest common subsequence / expected. Extra calls cost nothing. Nothing expected: 1. Columns `expected_calls`,
 * `expected_steps` (no groups). Optional steps are neither asked for nor counted.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function orderAware(config: PathConfig = {}): BuiltInScorer {
  return pathScorer(ORDER_AWARE, config);
}

/** What makes {@link orderAware}. */
export const ORDER_AWARE: PathDefinition<object> = {
  metric_name: "order_aware",
  display_name: "Order-Aware",
  entrypoint: "orderAware",
  columns: PATH_COLUMNS,
  orderFree: false,
  more: nothingMore,
  description: "How much of the expected path appears in the observed one in the same order, gaps allowed.",
  metric_metadata: {
    summary: "Length of the longest common subsequence divided by the number of expected steps.",
    methodology: [
      "The longest sequence of steps that occurs in both paths in the same order, gaps allowed on both sides, is found.",
      "Its length is divided by the number of expected steps, so missing and displaced steps cost, extra ones do not.",
      "Optional steps are not counted; groups are refused as groups_not_scored.",
    ],
    score_semantics: "0 to 1, higher is better. Nothing expected scores 1; nothing observed scores 0.",
    worked_example:
      "Expected [search, open, convert, answer], observed [open, search, convert, answer]: three steps in common in " +
      "order, 3/4 = 0.75.",
  },
  compare,
};

function* compare(view: PathView): Sliced<Compared> {
  const { work, sides } = view;
  const common = yield* work.commonRequired();
  if (!common.ok) return nonEvaluable("over_limit");
  if (yield* work.unknown()) return nonEvaluable("arguments_not_recorded");
  const { required } = work;
  const matched = common.expected.length;
  const pairs = common.expected.map((index) => required[index] as number);
  const steps = entriesOfPairs(sides, work.expected.items, work.steps.length, pairs, common.actual);
  return {
    status: "compared",
    score: required.length === 0 ? 1 : matched / required.length,
    metadata: { ...bothSides(view), matched, total: required.length, steps },
  };
}
