import type { BuiltInScorer } from "../built-in.ts";
import { forbiddenTools } from "../checks/forbidden-tools.ts";
import { maxCalls } from "../checks/max-calls.ts";
import { exactMatch } from "../path/exact-match.ts";
import { inOrderSubset } from "../path/in-order-subset.ts";
import { orderAware } from "../path/order-aware.ts";
import { setOverlap } from "../path/set-overlap.ts";
import { stepCredit } from "../path/step-credit.ts";
import { toolF1 } from "../path/tool-f1.ts";
import { trajectoryMatch } from "../path/trajectory-match.ts";
import { stepAccuracy } from "../step-accuracy.ts";
import { toolSelectionAccuracy } from "../tool-selection-accuracy.ts";
import { trajectoryShape } from "../trajectory-shape.ts";

/** How one scorer is built from its configuration. */
export interface ScorerBuilder {
  /** @throws TrajectoryError `invalid_config` */
  readonly build: (config: Readonly<Record<string, unknown>>) => BuiltInScorer;
  /** Whether it compares names with an expectation, and so takes `names` and `annotations`. */
  readonly compares: boolean;
}

const comparing = (build: ScorerBuilder["build"]): ScorerBuilder => ({ build, compares: true });

/** The scorers that can be had by name, by their default metric name, in the order in which they are listed. */
export const SCORER_BUILDERS: Readonly<Record<string, ScorerBuilder>> = {
  step_accuracy: comparing(stepAccuracy),
  tool_selection_accuracy: comparing(toolSelectionAccuracy),
  exact_match: comparing(exactMatch),
  in_order_subset: comparing(inOrderSubset),
  tool_f1: comparing(toolF1),
  order_aware: comparing(orderAware),
  set_overlap: comparing(setOverlap),
  step_credit: comparing(stepCredit),
  trajectory_match: comparing(trajectoryMatch),
  max_calls: comparing(maxCalls),
  forbidden_tools: comparing(forbiddenTools),
  trajectory_shape: { build: trajectoryShape, compares: false },
};
