import { finish, isSliced, type Sliced } from "../align/sliced.ts";
import { columnsOf, type Resolver } from "../expectation/resolve.ts";
import { messageOf } from "../model/errors.ts";
import type { Evaluation } from "../model/evaluation.ts";
import { isPromise } from "../model/promise.ts";
import type { ColumnResolution, ResolutionRequest } from "../model/resolution.ts";
import type { NonEvaluable, ReasonCode, ScoreResult } from "../model/result.ts";
import type { Scorer } from "../model/scorer.ts";
import type { Occurrence } from "../model/trajectory.ts";
import { isBuiltIn, scoreInSlices } from "../score/built-in.ts";
import { ownCopy } from "../score/own-copy.ts";
import { checkedResult, failure } from "./checked-result.ts";
import type { Limiter } from "./limiter.ts";
import type { Runtime } from "./timers.ts";

/** What an evaluation needs besides the unit. */
export interface EvaluationTools {
  readonly resolver: Pick<Resolver, "resolve">;
  readonly runtime: Runtime;
  /** One limiter per scorer; only asynchronous results pass through it. */
  readonly limiters?: ReadonlyMap<Scorer, Limiter>;
  /** A unit had to make room among those that wait for an asynchronous scorer. */
  readonly onSentAway?: (scorer: Scorer) => void;
  /** Time limit of an asynchronous scorer. @defaultValue the manifest's `timeout_seconds` */
  readonly scorerTimeoutMillis?: number | undefined;
  /** What does work that pauses. @defaultValue all of it, at once */
  readonly goOn?: (work: Sliced<ScoreResult>) => ScoreResult | Promise<ScoreResult>;
}

/**
 * Scores one unit with one scorer: resolves its expectation, applies the guards that need no scorer, and runs the
 * scorer guarded and time-limited. Never throws and never rejects. Synchronous whenever every part of it is, and what
 * pauses is done at once.
 */
export function evaluate(
  occurrence: Occurrence,
  request: ResolutionRequest,
  scorer: Scorer,
  tools: EvaluationTools,
): Evaluation | Promise<Evaluation> {
  let resolution: ColumnResolution | Promise<ColumnResolution>;
  try {
    resolution = tools.resolver.resolve(request, scorer);
  } catch (error) {
    resolution = { state: "failed", reason: "expectation_error", message: messageOf(error) };
  }
  if (!isPromise(resolution)) return score(occurrence, resolution, scorer, tools);
  return Promise.resolve(resolution).then(
    (resolved) => score(occurrence, resolved, scorer, tools),
    (error) =>
      score(occurrence, { state: "failed", reason: "expectation_error", message: messageOf(error) }, scorer, tools),
  );
}

/** The evaluation of a unit that no scorer sees, for example one outside the sample. */
export function notEvaluated(occurrence: Occurrence, scorer: Scorer, reason: ReasonCode, message = ""): Evaluation {
  const result: NonEvaluable =
    message === "" ? { status: "non_evaluable", reason } : { status: "non_evaluable", reason, metadata: { message } };
  return { scorer, occurrence, result, expectation: undefined, expectation_digest: "", message, duration_s: 0 };
}

function score(
  occurrence: Occurrence,
  resolution: ColumnResolution,
  scorer: Scorer,
  tools: EvaluationTools,
): Evaluation | Promise<Evaluation> {
  if (resolution.state === "failed") return notEvaluated(occurrence, scorer, resolution.reason, resolution.message);
  const resolved = resolution.state === "resolved" ? resolution : undefined;
  if (resolved === undefined && columnsOf(scorer).length > 0) return notEvaluated(occurrence, scorer, "no_expectation");
  const scored: Occurrence = resolved === undefined ? occurrence : { ...occurrence, expectation: resolved.expectation };
  const finish = (result: ScoreResult, duration: number): Evaluation => ({
    scorer,
    occurrence: scored,
    result,
    expectation: resolved?.expectation,
    expectation_digest: resolved?.digest ?? "",
    message: "",
    duration_s: duration,
  });
  if (kindsMissing(scored, scorer)) return finish({ status: "non_evaluable", reason: "kinds_missing" }, 0);
  const started = tools.runtime.now();
  const checked = (result: ScoreResult): ScoreResult => (isBuiltIn(scorer) ? result : checkedResult(result));
  const elapsed = (): number => Math.max(0, tools.runtime.now() - started) / 1000;
  const outcome = run(scored, scorer, tools);
  if (!isPromise(outcome)) return finish(checked(outcome), elapsed());
  return Promise.resolve(outcome).then((result) => finish(checked(result), elapsed()));
}

/** Runs the scorer: at once, or, where its asynchronous runs have used up their concurrency, when its turn comes. */
function run(occurrence: Occurrence, scorer: Scorer, tools: EvaluationTools): ScoreResult | Promise<ScoreResult> {
  const limiter = tools.limiters?.get(scorer);
  const call = (): ScoreResult | Promise<ScoreResult> => guardedCall(occurrence, scorer, tools);
  const sentAway = (): ScoreResult => {
    tools.onSentAway?.(scorer);
    return { status: "non_evaluable", reason: "scorer_timeout", metadata: { message: "its turn did not come" } };
  };
  if (limiter?.full) return limiter.run(async () => call(), sentAway);
  const outcome = call();
  return isPromise(outcome) && limiter !== undefined ? limiter.run(() => outcome, sentAway) : outcome;
}

/** What the scorer throws or rejects with becomes an `error`, what hangs becomes `scorer_timeout`. */
function guardedCall(
  occurrence: Occurrence,
  scorer: Scorer,
  tools: EvaluationTools,
): ScoreResult | Promise<ScoreResult> {
  try {
    const given = isBuiltIn(scorer) ? occurrence : ownCopy(occurrence);
    const own = scoreInSlices(scorer, given);
    if (own !== undefined) return isSliced(own) ? (tools.goOn ?? finish)(own) : own;
    const outcome = scorer.score(given);
    return isPromise(outcome) ? withTimeout(Promise.resolve(outcome), scorer, tools).catch(failure) : outcome;
  } catch (error) {
    return failure(error);
  }
}

function withTimeout(work: Promise<ScoreResult>, scorer: Scorer, tools: EvaluationTools): Promise<ScoreResult> {
  const millis = tools.scorerTimeoutMillis ?? scorer.manifest.execution.timeout_seconds * 1000;
  return new Promise((resolve, reject) => {
    const timer = tools.runtime.setTimer(() => resolve({ status: "non_evaluable", reason: "scorer_timeout" }), millis);
    work.then(resolve, reject).finally(() => tools.runtime.clearTimer(timer));
  });
}

function kindsMissing(occurrence: Occurrence, scorer: Scorer): boolean {
  const kinds = occurrence.kinds;
  if (kinds === undefined) return false;
  return scorer.manifest.required_kinds.some(({ anyOf }) => !anyOf.some((kind) => kinds.includes(kind)));
}
