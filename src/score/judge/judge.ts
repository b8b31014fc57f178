import { z } from "zod";
import { COLUMNS } from "../../expectation/parse.ts";
import { messageOf, show, TrajectoryError } from "../../model/errors.ts";
import type { Column } from "../../model/expectation.ts";
import type { ScoreResult } from "../../model/result.ts";
import type { Annotations, Manifest, Scorer } from "../../model/scorer.ts";
import type { Occurrence } from "../../model/trajectory.ts";
import { type ConfigSchema, commonShape, configObject, parseConfig, type SchemaNotes } from "../config.ts";
import { manifestOf } from "../manifest-base.ts";
import { ownCopy } from "../own-copy.ts";
import { resolveFirst } from "../resolve-column.ts";
import { errored, nonEvaluable, verdict } from "../verdict.ts";
import { checkAnswer, type JudgeAnswer } from "./answer.ts";
import { CallLimit } from "./call-limit.ts";

/** A function of yours that judges a unit, mostly by asking a model. */
export type JudgeFunction = (occurrence: Occurrence) => Promise<JudgeAnswer> | JudgeAnswer;

/** Configuration of {@link judge}. */
export interface JudgeConfig {
  /** @defaultValue "judge" */
  readonly metric_name?: string | undefined;
  /** Least score that passes, 0 to 1. Counts only under approved expectations. @defaultValue none: informational */
  readonly threshold?: number | null | undefined;
  /** What is graded. @defaultValue "trajectory" */
  readonly unit?: "trajectory" | "session" | undefined;
  /** Your name for how it judges, for example the model and the prompt: change it and scores are told apart. */
  readonly judge_version?: string | undefined;
  /** Expectation columns that it is handed, all that resolve; it is not asked where none does. @defaultValue none */
  readonly columns?: readonly Column[] | undefined;
  /** Unit id, or bare trace or session id -> column -> JSON text. */
  readonly annotations?: Annotations | null | undefined;
  /** Time limit of one answer. @defaultValue 300 */
  readonly timeout_seconds?: number | undefined;
  /** Most questions at a time. @defaultValue 4 */
  readonly max_concurrency?: number | undefined;
}

interface ResolvedJudgeConfig {
  readonly metric_name: string;
  readonly threshold: number | null;
  readonly unit: "trajectory" | "session";
  readonly judge_version: string;
  readonly columns: readonly Column[];
  readonly annotations: Annotations | null;
  readonly timeout_seconds: number;
  readonly max_concurrency: number;
}

const NAME = "agent.judge";
const VERSION = "1.0.0";

/**
 * `judge` 1.0.0: an asynchronous function of yours as a scorer.
 *
 * The function sees units whose content may leave the process, and no others: anything but `egress: "permitted"`, for
 * the unit and for each of its members, is `egress_forbidden`. It gets a copy and answers with a score from 0 to 1. What
 * it throws, rejects with or answers wrongly is `judge_error`; no answer in time is `judge_timeout`, and its place is
 * given to the next unit. At most `max_concurrency` run at a time.
 *
 * @throws TrajectoryError `invalid_config` for what is no function, a wrong value or an unknown key
 * @example judge(async ({ steps }) => (await askModel(steps)).score, { judge_version: "prompt-3" })
 */
export function judge(ask: JudgeFunction, config: JudgeConfig = {}): Scorer {
  if (typeof ask !== "function") throw new TrajectoryError("invalid_config", "judge", "judge: must be a function");
  const resolved = parseConfig(judgeSchema().schema, config);
  const limit = new CallLimit(resolved.max_concurrency);
  return {
    name: NAME,
    version: VERSION,
    metric_name: resolved.metric_name,
    units: [resolved.unit],
    columns: resolved.columns,
    all_columns: true,
    config: { ...resolved },
    ...(resolved.annotations === null ? {} : { annotations: resolved.annotations }),
    manifest: judgeManifest(resolved),
    score: async (occurrence) => {
      try {
        return await score(occurrence, ask, limit, resolved);
      } catch (error) {
        return errored("scorer_failed", messageOf(error));
      }
    },
  };
}

async function score(
  occurrence: Occurrence,
  ask: JudgeFunction,
  limit: CallLimit,
  config: ResolvedJudgeConfig,
): Promise<ScoreResult> {
  if (typeof occurrence !== "object" || occurrence === null) {
    return errored("invalid_occurrence", `must be an occurrence, got ${show(occurrence)}`);
  }
  let status = occurrence.expectation?.status;
  if (config.columns.length > 0) {
    const column = resolveFirst(config.columns, occurrence, config.annotations, undefined);
    if (!column.ok) return column.result;
    status = column.status;
  }
  if (!mayLeave(occurrence)) return nonEvaluable("egress_forbidden");
  const outcome = await limit.run(() => withTimeout(() => ask(ownCopy(occurrence)), config.timeout_seconds));
  if (outcome.state === "late") return nonEvaluable("judge_timeout", `no answer within ${config.timeout_seconds} s`);
  if (outcome.state === "failed") return nonEvaluable("judge_error", messageOf(outcome.error));
  const answer = checkAnswer(outcome.answer);
  if (!answer.ok) return nonEvaluable("judge_error", answer.message);
  return {
    status: "scored",
    score: answer.score,
    label: verdict(answer.score, config.threshold, status),
    metadata: answer.metadata,
  };
}

/** Worst of the unit and its members; what does not say so is not permitted. */
function mayLeave({ egress, members }: Occurrence): boolean {
  return egress === "permitted" && (members ?? []).every((member) => member.egress === "permitted");
}

type Outcome =
  | { readonly state: "answered"; readonly answer: unknown }
  | { readonly state: "failed"; readonly error: unknown }
  | { readonly state: "late" };

interface Host {
  readonly setTimeout?: (callback: () => void, millis: number) => unknown;
  readonly clearTimeout?: (handle: unknown) => void;
}

/** The timer does not keep the process alive, and is let go with the answer. Where there are no timers, nothing is late. */
function withTimeout(call: () => unknown, seconds: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const host = globalThis as Host;
    const timer = host.setTimeout?.(() => resolve({ state: "late" }), seconds * 1000);
    (timer as { unref?: () => void } | undefined)?.unref?.();
    const settle = (outcome: Outcome): void => {
      host.clearTimeout?.(timer);
      resolve(outcome);
    };
    // Called in a later turn of its own: the judge may work long before it first waits.
    void Promise.resolve()
      .then(call)
      .then(
        (answer) => settle({ state: "answered", answer }),
        (error) => settle({ state: "failed", error }),
      );
  });
}

function judgeSchema(): ConfigSchema<ResolvedJudgeConfig> {
  const notes: SchemaNotes = z.registry();
  const { metric_name, threshold, unit, annotations } = commonShape("judge", notes);
  const columns = `must be a list of ${COLUMNS.join(", ")}`;
  const seconds = "must be a number above 0 and at most 86400";
  const count = "must be a whole number of at least 1";
  const shape = {
    metric_name,
    threshold,
    unit,
    annotations,
    judge_version: z.string({ error: "must be text" }).default(""),
    columns: z.array(z.enum(COLUMNS as [Column, ...Column[]], { error: columns }), { error: columns }).default([]),
    timeout_seconds: z.number({ error: seconds }).gt(0).max(86_400).default(300),
    max_concurrency: z.int({ error: count }).min(1).default(4),
  };
  notes.add(shape.judge_version, { title: "Judge Version" });
  notes.add(shape.columns, { title: "Columns" });
  notes.add(shape.timeout_seconds, { title: "Timeout Seconds" });
  notes.add(shape.max_concurrency, { title: "Max Concurrency" });
  const schema = configObject(shape);
  notes.add(schema, { title: "JudgeConfig" });
  return { schema, notes };
}

/** The manifest of `judge`, with the limits of one configuration. */
export function judgeManifest(
  config?: Pick<ResolvedJudgeConfig, "timeout_seconds" | "max_concurrency" | "columns">,
): Manifest {
  return manifestOf({
    name: NAME,
    display_name: "Judge",
    version: VERSION,
    description: "A score that a function of the user gives, for example by asking a model.",
    entrypoint: "otel-trajectory/core#judge",
    needs: [],
    required_columns: [...(config?.columns ?? [])],
    config: judgeSchema,
    execution: {
      max_concurrency: config?.max_concurrency ?? 4,
      processing_kind: "io",
      timeout_seconds: config?.timeout_seconds ?? 300,
    },
    metric_metadata: {
      summary: "Whatever the function measures, from 0 to 1.",
      methodology: [
        "Units whose content may not leave the process are egress_forbidden and never shown to the function.",
        "The function gets a copy of the unit; its answer is checked; what it throws is judge_error.",
        "An answer that takes longer than the time limit is judge_timeout.",
      ],
      score_semantics: "0 to 1, higher is better. agreement compares its verdicts with those of people.",
      worked_example: "A function that answers 0.8 for a unit with permitted egress: 0.8.",
    },
  });
}
