import type { Sliced } from "../../align/sliced.ts";
import { EQUAL, UNKNOWN } from "../arguments/compare.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { nonEvaluable } from "../verdict.ts";
import { entriesOfPairs } from "./pairs.ts";
import type { PathConfig } from "./path-config.ts";
import { bothSides, nothingMore, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";
import type { PathWork } from "./path-work.ts";

/**
 * `in_order_subset` 1.0.0: how far along the expected path did the agent get, in order?
 *
 * A greedy walk: each expected call is looked for behind the one before it; the walk stops at the first that is not
 * found. Score = calls reached / expected calls. Extra calls cost nothing. Nothing expected: 1. Columns
 * `expected_calls`, `expected_steps` (no groups). Optional steps are neither asked for nor counted.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function inOrderSubset(config: PathConfig = {}): BuiltInScorer {
  return pathScorer(IN_ORDER_SUBSET, config);
}

/** What makes {@link inOrderSubset}. */
export const IN_ORDER_SUBSET: PathDefinition<object> = {
  metric_name: "in_order_subset",
  display_name: "In-Order Subset",
  entrypoint: "inOrderSubset",
  columns: PATH_COLUMNS,
  orderFree: false,
  more: nothingMore,
  description: "How many of the required calls were reached in order, extra calls ignored.",
  metric_metadata: {
    summary: "Share of the expected calls that a walk along the observed ones reaches, one after the other.",
    methodology: [
      "The walk looks for the first expected call, then behind it for the second, and so on.",
      "It stops at the first call that it does not find: what comes after a missing required call does not count.",
      "Extra calls cost nothing; optional steps are not counted; groups are refused as groups_not_scored.",
    ],
    score_semantics: "0 to 1, higher is better. Nothing expected scores 1; nothing observed scores 0.",
    worked_example:
      "Expected [authenticate, transfer_funds]. Observed [authenticate, check_balance, transfer_funds]: 2/2 = 1. " +
      "Observed [transfer_funds, authenticate]: authenticate is found, nothing is behind it, 1/2 = 0.5.",
  },
  compare,
};

// Linear, so that it is done in one slice.
// biome-ignore lint/correctness/useYield: there is nothing to pause for
function* compare(view: PathView): Sliced<Compared> {
  const { work, sides } = view;
  const walked = walk(work);
  if (walked === undefined) return nonEvaluable("arguments_not_recorded");
  const total = work.required.length;
  const steps = entriesOfPairs(sides, work.expected.items, work.steps.length, walked.expected, walked.actual);
  const matched = walked.expected.length;
  return {
    status: "compared",
    score: total === 0 ? 1 : matched / total,
    metadata: { ...bothSides(view), matched, total, steps },
  };
}

/** Undefined where arguments that were not recorded would decide. O(expected + observed). */
export function walk(work: PathWork): { readonly expected: number[]; readonly actual: number[] } | undefined {
  const { required } = work;
  const found: { expected: number[]; actual: number[] } = { expected: [], actual: [] };
  for (let actual = 0; actual < work.steps.length && found.expected.length < required.length; actual += 1) {
    const expected = required[found.expected.length] as number;
    const verdict = work.compare(expected, actual);
    if (verdict === UNKNOWN) return undefined;
    if (verdict !== EQUAL) continue;
    found.expected.push(expected);
    found.actual.push(actual);
  }
  return found;
}
