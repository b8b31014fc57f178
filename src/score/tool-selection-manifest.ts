import type { Manifest } from "../model/scorer.ts";
import { manifestOf } from "./manifest-base.ts";
import { toolSelectionSchema } from "./tool-selection-config.ts";

/** Full name of the metric. */
export const TOOL_SELECTION_NAME = "agent.tool_selection_accuracy";

/** A score that changes for the same input is a new major version. */
export const TOOL_SELECTION_VERSION = "2.0.0";

/** The manifest of `agent.tool_selection_accuracy`; its schema is printed from the one that checks configurations. */
export function toolSelectionManifest(): Manifest {
  return manifestOf({
    name: TOOL_SELECTION_NAME,
    display_name: "Tool Selection Accuracy",
    version: TOOL_SELECTION_VERSION,
    description:
      "How many of the required tools were called at least once in a trace or a session, in whatever order and " +
      "however often.",
    entrypoint: "otel-trajectory/core#toolSelectionAccuracy",
    needs: ["TOOL", "LLM"],
    required_columns: ["expected_tools"],
    config: toolSelectionSchema,
    metric_metadata: {
      summary:
        "Share of the required tools that the agent called. Scored per trace, or over all traces of a session " +
        "together; single spans have no score.",
      methodology: [
        "The called tools are those of a unit's TOOL spans. A trace without any reads the tool calls out of its LLM " +
          "completions instead; one trace never mixes the two.",
        "Scored per trace or pooled over a session. A score per span would say little and does not exist.",
        "Expected tools are the unit's own, else those of the configuration. Names compare without regard to case, " +
          "hyphens and underscores; being called once is enough.",
        "The score is the number of expected tools that were called, divided by the number of expected tools.",
      ],
      score_semantics:
        "0 to 1, higher is better: 1 when every required tool was called, less for each one that was not. A session " +
        "pools the calls of all its traces, for tasks whose tool may come in a later turn.",
      worked_example:
        "Required get_weather and get_time, called get_weather only: 1/2 = 0.5. In a session the call may come in any " +
        "of its traces. In a trace without TOOL spans the calls in the completions count the same way.",
    },
  });
}
