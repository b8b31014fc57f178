import type { Manifest } from "../../model/scorer.ts";
import type { ConfigSchema } from "../config.ts";
import { manifestOf } from "../manifest-base.ts";

/** Full name of the metric. */
export const RUBRIC_NAME = "agent.rubric";

/** A score that changes for the same input is a new major version. */
export const RUBRIC_VERSION = "1.0.0";

/** The manifest of `rubric`. Which columns it needs depends on the metrics that its rules name. */
export function rubricManifest(config: () => ConfigSchema<unknown>): Manifest {
  return manifestOf({
    name: RUBRIC_NAME,
    display_name: "Rubric",
    version: RUBRIC_VERSION,
    description: "A pass or fail rule over other scores of the same unit.",
    entrypoint: "otel-trajectory/core#rubric",
    needs: [],
    required_columns: [],
    config,
    metric_metadata: {
      summary: "1 when the rules hold, else 0.",
      methodology: [
        "Each rule compares the score of a metric, or a number in its metadata, with bounds: gt, gte, lt, lte, eq.",
        "Under all every rule must hold, under any at least one.",
        "A metric that was not scored makes the rubric dependency_not_scored, whatever the other rules say.",
      ],
      score_semantics: "0 or 1; metadata.outcome is pass or fail, the label only under approved expectations.",
      worked_example:
        "all: order_aware gte 0.75 and step_credit.extra lte 1. Expected [search, open, convert, answer], observed " +
        "[open, search, convert, answer]: order_aware 0.75, one extra step, so 1.",
    },
  });
}
