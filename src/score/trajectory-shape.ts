import { z } from "zod";
import { show } from "../model/errors.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Manifest } from "../model/scorer.ts";
import type { Member, Occurrence, Unit } from "../model/trajectory.ts";
import { type BuiltInScorer, builtIn } from "./built-in.ts";
import { type ConfigSchema, configObject, metricNameSchema, parseConfig, type SchemaNotes } from "./config.ts";
import { manifestOf } from "./manifest-base.ts";
import { errored, nonEvaluable } from "./verdict.ts";

/** Configuration of {@link trajectoryShape}. */
export interface TrajectoryShapeConfig {
  /** @defaultValue "trajectory_shape" */
  readonly metric_name?: string | undefined;
  /** Accepted as everywhere, and without effect: a shape never gates. */
  readonly threshold?: number | null | undefined;
  /** What is graded; a `call` has no members and is never scored. @defaultValue "call" */
  readonly unit?: Unit | undefined;
}

interface ResolvedShapeConfig {
  readonly metric_name: string;
  readonly threshold: number | null;
  readonly unit: Unit;
}

const NAME = "trajectory_shape";
/** The specification counts in whole versions: `trajectory_shape@1`. */
const VERSION = "1";

/**
 * `trajectory_shape@1`: how many of a unit's LLM calls produced an output?
 *
 * Score = members with a non-null output / members; an empty text is an output, one that was not recorded counts as
 * none. `not_aggregate` on a call, `no_members`, and `output_all_null` instead of a score of 0. Always informational: it
 * describes a recording and never gates. It needs no expectation.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function trajectoryShape(config: TrajectoryShapeConfig = {}): BuiltInScorer {
  const resolved = parseConfig(shapeSchema().schema, config);
  return builtIn({
    name: NAME,
    version: VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns: [],
    config: { ...resolved },
    fallback: undefined,
    annotations: null,
    manifest: trajectoryShapeManifest,
    needsMembers: true,
    score,
  });
}

function score(occurrence: Occurrence): ScoreResult {
  if (occurrence.unit === "call") return nonEvaluable("not_aggregate");
  const members: unknown = occurrence.members ?? [];
  if (!Array.isArray(members)) return errored("invalid_occurrence", `members: must be a list, got ${show(members)}`);
  let produced = 0;
  for (const [index, member] of members.entries()) {
    if (typeof member !== "object" || member === null) {
      return errored("invalid_occurrence", `members[${index}]: must be a member, got ${show(member)}`);
    }
    if ((member as Member).has_output === true) produced += 1;
  }
  if (members.length === 0) return nonEvaluable("no_members");
  if (produced === 0) return nonEvaluable("output_all_null");
  const ids = (members as Member[]).map(({ unit_id }) => (typeof unit_id === "string" ? unit_id : null));
  return {
    status: "scored",
    score: produced / members.length,
    label: "informational",
    metadata: { members: ids, total_members: members.length, members_with_output: produced },
  };
}

function shapeSchema(): ConfigSchema<ResolvedShapeConfig> {
  const notes: SchemaNotes = z.registry();
  const range = "must be a number from 0 to 1";
  const units = ["call", "step", "trajectory", "session"] as const;
  const shape = {
    metric_name: metricNameSchema().default(NAME),
    threshold: z.number({ error: range }).min(0).max(1).nullable().default(null),
    unit: z.enum(units, { error: `must be one of ${units.join(", ")}` }).default("call"),
  };
  notes.add(shape.metric_name, { title: "Metric Name", "x-aip-param-role": "scoring_metadata" });
  notes.add(shape.threshold, { title: "Threshold" });
  notes.add(shape.unit, { title: "Unit" });
  const schema = configObject(shape);
  notes.add(schema, { title: "TrajectoryShapeConfig" });
  return { schema, notes };
}

/** The manifest of `trajectory_shape@1`; its schema is printed from the one that checks configurations. */
export function trajectoryShapeManifest(): Manifest {
  return manifestOf({
    name: NAME,
    display_name: "Trajectory Shape",
    version: VERSION,
    description:
      "How many of the LLM calls of a unit produced an output. One signal about the shape of a recorded run.",
    entrypoint: "otel-trajectory/core#trajectoryShape",
    needs: [],
    required_columns: [],
    config: shapeSchema,
    metric_metadata: {
      summary: "Share of a unit's members, its LLM calls, that have a non-null output.",
      methodology: [
        "A unit of kind step, trajectory or session has its LLM calls as members; a call has none of its own.",
        "A member has an output when one was recorded; the empty text is an output.",
        "It says nothing about success, carries no gold, and is always informational.",
      ],
      score_semantics: "Above 0 up to 1. No output at all is output_all_null, not 0: there is no evidence to score.",
      worked_example: "Three LLM calls, two with an output: 2/3 = 0.67.",
    },
  });
}
