import type { Sliced } from "../../align/sliced.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { nonEvaluable } from "../verdict.ts";
import { entriesOfPairs, type PathLabels } from "./pairs.ts";
import type { PathConfig } from "./path-config.ts";
import { bothSides, nothingMore, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";

/**
 * `step_credit` 1.0.0: which steps were right, which too many, which left out?
 *
 * matched / (matched + missing + extra) on the longest common subsequence, the one with the smallest expected indexes,
 * then the smallest observed ones. Every step is labelled MATCH, EXTRA or MISSING in `metadata.steps`. Nothing expected:
 * 1 if nothing was observed, else 0. Columns `expected_calls`, `expected_steps` (no groups). With optional steps the
 * alignment with the fewest missing and extra steps counts; an absent optional step is not missing.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function stepCredit(config: PathConfig = {}): BuiltInScorer {
  return pathScorer(STEP_CREDIT, config);
}

/** What makes {@link stepCredit}. */
export const STEP_CREDIT: PathDefinition<object> = {
  metric_name: "step_credit",
  display_name: "Step Credit",
  entrypoint: "stepCredit",
  columns: PATH_COLUMNS,
  orderFree: false,
  more: nothingMore,
  description: "Credit for every matched step, charged for every missing and every extra one, with a label per step.",
  metric_metadata: {
    summary: "Matched steps divided by matched, missing and extra steps together.",
    methodology: [
      "Both paths are aligned by their longest common subsequence; every step is labelled MATCH, EXTRA or MISSING.",
      "The number of matched steps is divided by that of all labels, so left-out and needless steps both cost.",
      "An optional step is MATCH where it was taken and has no label where it was not; groups are refused.",
    ],
    score_semantics: "0 to 1, higher is better. Nothing expected and nothing observed is 1, one of both is 0.",
    worked_example:
      "Expected [search, open, convert, answer], observed [search, open, search, answer]: three MATCH, one EXTRA, one " +
      "MISSING, 3/5 = 0.6.",
  },
  compare,
};

/** What an entry says of its step. */
const LABELS: PathLabels = { match: "MATCH", insert: "EXTRA", delete: "MISSING" };

function* compare(view: PathView): Sliced<Compared> {
  const { work, sides } = view;
  const common = yield* work.common();
  if (!common.ok) return nonEvaluable("over_limit");
  if (yield* work.unknown()) return nonEvaluable("arguments_not_recorded");
  const { items } = work.expected;
  const steps = entriesOfPairs(sides, items, work.steps.length, common.expected, common.actual, LABELS);
  const matched = common.expected.length;
  const extra = work.steps.length - matched;
  const missing = steps.length - matched - extra;
  return {
    status: "compared",
    score: steps.length === 0 ? 1 : matched / steps.length,
    metadata: { ...bothSides(view), matched, missing, extra, steps },
  };
}
