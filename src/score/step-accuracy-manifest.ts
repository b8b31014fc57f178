import type { Manifest } from "../model/scorer.ts";
import { manifestOf } from "./manifest-base.ts";
import { stepAccuracySchema } from "./step-accuracy-config.ts";

/** Full name of the metric. */
export const STEP_ACCURACY_NAME = "agent.step_accuracy";

/** A score that changes for the same input is a new major version. */
export const STEP_ACCURACY_VERSION = "2.0.0";

/** The manifest of `agent.step_accuracy`; its schema is printed from the one that checks configurations. */
export function stepAccuracyManifest(): Manifest {
  return manifestOf({
    name: STEP_ACCURACY_NAME,
    display_name: "Step Accuracy",
    version: STEP_ACCURACY_VERSION,
    description:
      "Compares the steps an agent took with the steps it was meant to take. Edit distance by default, position by " +
      "position with scoring_method; unordered groups stand for steps that run side by side.",
    entrypoint: "otel-trajectory/core#stepAccuracy",
    needs: ["TOOL", "AGENT", "LLM"],
    required_columns: ["expected_steps"],
    config: stepAccuracySchema,
    metric_metadata: {
      summary:
        "How closely the path of a trace or a session follows the expected path, unordered groups included: edit " +
        "distance unless strict positions are asked for.",
      methodology: METHODOLOGY,
      score_semantics:
        "0 to 1, higher is better. With edit_distance, 1 means that nothing had to be inserted, deleted or replaced, " +
        "and lower scores mean more repairs for the length of the path; the number of repairs is " +
        "metadata.edit_distance, which only this method reports. With strict_position, the score is the share of " +
        "expected positions that hold the expected step. A session is scored once, over the steps of all its traces " +
        "in execution order; it is no average over traces.",
      worked_example:
        "Expected [search, open_document], observed [preamble_call, search, open_document]: one insertion on three " +
        "steps, 1 - 1/3 = 0.67, both expected steps matched; strict_position gives 0/2 = 0, because the extra step " +
        "moves all others. Expected [authenticate, [fetch_a, fetch_b, fetch_c], finalize], observed [authenticate, " +
        "fetch_c, fetch_a, fetch_b, finalize]: every member found, 1.0. Without fetch_b one of five steps is " +
        "missing, 1 - 1/5 = 0.8.",
    },
  });
}

const METHODOLOGY = [
  "Steps are the TOOL and AGENT spans of a unit without its root, in execution order. Where a trace has none, the tool " +
    "calls found in its LLM completions stand in, each as a step. Order is by start time, then by place in the tree.",
  "A TOOL step goes by the bare name of its tool, an AGENT step by aip.agent.name, else by the identity that its " +
    "convention records, else by the name of the span.",
  "Tool names compare without regard to case, hyphens and underscores; agent names compare to the letter. The " +
    "expected steps are the unit's own, else those of the configuration.",
  "edit_distance finds the least number of insertions, deletions and substitutions, one point each, so an extra step " +
    "costs the same wherever it comes and later steps stay aligned. It does not weigh steps by importance.",
  "strict_position compares the i-th with the i-th step. One early deviation shifts everything behind it, while steps " +
    "after the last expected position cost nothing and are listed in extra_steps. For tasks where any deviation in " +
    "position counts as a failure.",
  "A list among the expected steps is a group: its members may come in any order, the group itself keeps its place. " +
    "Groups hold names only. strict_position refuses them, in the configuration when it is built and elsewhere when " +
    "it scores.",
  "A group takes a window of consecutive observed steps and costs max(group size, window size) - matched, where " +
    "matched is the largest matching of members to steps. A missing member and an unclaimed step pair up as one " +
    "substitution; only what is left over is inserted or deleted. The entries of a group carry its index, and its " +
    "members count one by one in total_steps and correct_steps.",
  "The score is 1 - edit_distance / max(total_steps, observed steps), or the share of matching positions.",
];
