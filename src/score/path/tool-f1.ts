import type { Sliced } from "../../align/sliced.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { nonEvaluable } from "../verdict.ts";
import type { PathEntry } from "./pairs.ts";
import type { PathConfig } from "./path-config.ts";
import { bothSides, nothingMore, PATH_COLUMNS, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";

/**
 * `tool_f1` 1.0.0: did the agent make the expected calls, each as often as expected, and no others?
 *
 * F1 of precision (matched / observed) and recall (matched / expected) over multisets, matched by a largest matching.
 * Nothing expected: precision, recall, F1 are 1 1 1 if nothing was observed, else 0 1 0; nothing observed: 0 0 0. Order
 * plays no part; groups are laid out. Columns `expected_calls`, `expected_steps`.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function toolF1(config: PathConfig = {}): BuiltInScorer {
  return pathScorer(TOOL_F1, config);
}

/** What makes {@link toolF1}. */
export const TOOL_F1: PathDefinition<object> = {
  metric_name: "tool_f1",
  display_name: "Tool F1",
  entrypoint: "toolF1",
  columns: PATH_COLUMNS,
  orderFree: true,
  more: nothingMore,
  description: "Precision, recall and F1 of the observed against the expected calls, order aside, repeats counted.",
  metric_metadata: {
    summary: "F1 over multisets of calls: low recall means skipped work, low precision means needless work.",
    methodology: [
      "Expected and observed calls are paired by a largest matching, so that the order of listing never matters.",
      "Precision is the share of observed calls that were paired, recall the share of expected ones.",
      "A call expected twice must occur twice. An optional step that was taken counts as expected, else not at all.",
    ],
    score_semantics:
      "0 to 1, higher is better; metadata has precision, recall and f1. Nothing expected and nothing observed is 1.",
    worked_example:
      "Expected get_weather for SF and for NYC, observed get_weather for SF: precision 1, recall 1/2, F1 = 2/3.",
  },
  compare,
};

function* compare(view: PathView): Sliced<Compared> {
  const found = yield* multisetScores(view);
  if (found.status !== "counted") return found;
  const { precision, recall, f1 } = found;
  return {
    status: "compared",
    score: f1,
    metadata: { ...bothSides(view), precision, recall, f1, ...found.counts, steps: found.steps },
  };
}

/** Multiset precision, recall and F1, and what they come from. */
export interface MultisetScores {
  readonly status: "counted";
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly counts: { readonly matched: number; readonly total: number; readonly observed: number };
  readonly steps: PathEntry[];
}

/** Counts by largest matching. `arguments_not_recorded` where they would decide, `over_limit` beyond the work limit. */
export function* multisetScores({
  work,
  sides,
}: PathView): Sliced<MultisetScores | Exclude<Compared, { status: "compared" }>> {
  const matching = yield* work.matching();
  if (!matching.ok) return nonEvaluable("over_limit");
  if (yield* work.unknown()) return nonEvaluable("arguments_not_recorded");
  const { items } = work.expected;
  const steps: PathEntry[] = [];
  const claimed = new Set<number>();
  let total = 0;
  matching.taken.forEach((actual, expected) => {
    const optional = items[expected]?.optional === true;
    if (actual >= 0) {
      claimed.add(actual);
      steps.push(sides.entry("match", expected, actual));
    } else if (!optional) steps.push(sides.entry("delete", expected, -1));
    if (actual >= 0 || !optional) total += 1;
  });
  const observed = work.steps.length;
  for (let actual = 0; actual < observed; actual += 1) {
    if (!claimed.has(actual)) steps.push(sides.entry("insert", -1, actual));
  }
  const matched = claimed.size;
  const recall = total === 0 ? 1 : matched / total;
  const precision = observed === 0 ? (total === 0 ? 1 : 0) : matched / observed;
  const f1 = precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall);
  return { status: "counted", precision, recall, f1, counts: { matched, total, observed }, steps };
}
