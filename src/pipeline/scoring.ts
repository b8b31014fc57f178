import type { Sliced } from "../align/sliced.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import { HostFault } from "../model/errors.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { Errored } from "../model/result.ts";
import type { Scorer } from "../model/scorer.ts";
import { isBuiltIn } from "../score/built-in.ts";
import { hintOf } from "./checked-result.ts";
import { type EvaluationTools, evaluate } from "./evaluate.ts";
import { type Ledger, prepareResult } from "./ledger.ts";
import type { EmittedEvaluation, ScoredUnit, Sink } from "./sink.ts";
import type { PreparedUnit } from "./units.ts";

/** From so many steps on lists are long. */
const LONG_STEPS = 512;

/** Whom to tell what. */
export interface ScoringHost {
  problem(kind: string, error: unknown): void;
  notice(kind: string, message: string): void;
  /** There are sources of expectations: a trace that none speaks for may be a mistake. */
  readonly expects: boolean;
}

/**
 * Evaluates units and hands the results to the sinks. Synchronous results are handed over at once, asynchronous ones
 * when they come; no sink and no scorer can stop another one.
 */
export class Scoring {
  readonly #tools: EvaluationTools;
  readonly #sinks: readonly Sink[];
  readonly #host: ScoringHost;
  readonly #results: Record<string, number> = {};
  readonly #pending: Set<Promise<void>> = new Set();
  #emitted = 0;
  /** An expectation has applied to some unit, or it has been said that none did. */
  #matched: boolean;

  constructor(tools: EvaluationTools, sinks: readonly Sink[], host: ScoringHost) {
    this.#tools = tools;
    this.#sinks = sinks;
    this.#host = host;
    this.#matched = !host.expects;
  }

  /** Asynchronous evaluations under way. They never reject. */
  get pending(): ReadonlySet<Promise<void>> {
    return this.#pending;
  }

  /** How many results were emitted, and how many there were by status or reason. */
  counts(): { readonly emitted: number; readonly results: Readonly<Record<string, number>>; readonly pending: number } {
    return { emitted: this.#emitted, results: { ...this.#results }, pending: this.#pending.size };
  }

  /**
   * Scores one unit with every scorer, a scorer a slice. `done` is called when all results of this reading are there.
   */
  *score(
    prepared: PreparedUnit,
    scorers: readonly Scorer[],
    ledger: Ledger,
    reading: number,
    trace: AssembledTrace | undefined,
    done: () => void,
  ): Sliced<undefined> {
    const emitted: EmittedEvaluation[] = [];
    const waiting: Promise<void>[] = [];
    let unmatched = scorers.length > 0;
    const post = (evaluation: Evaluation): void => {
      const { expectation, result } = evaluation;
      if (expectation !== undefined) this.#matched = true;
      unmatched &&= result.status === "non_evaluable" && result.reason === "no_expectation";
      const posted = this.#post(prepared, evaluation, ledger, reading);
      if (posted !== undefined) emitted.push(posted);
    };
    const finish = (): void => {
      ledger.pending -= 1;
      if (unmatched && !this.#matched) this.#tellUnmatched(prepared.unit);
      this.tell((sink) => sink.unitScored(prepared.unit, emitted, trace));
      done();
    };
    ledger.pending += 1;
    const tellSoFar = (): void => this.tell((sink) => sink.unitPartlyScored(prepared.unit, emitted));
    if (prepared.occurrence.steps.length > LONG_STEPS && scorers[0] !== undefined)
      yield* this.#expect(prepared, scorers[0]);
    for (const scorer of scorers) {
      const evaluation = evaluate(prepared.occurrence, prepared.request, scorer, this.#tools);
      if (evaluation instanceof Promise) waiting.push(evaluation.then(post).then(tellSoFar));
      else {
        yield* prepareResult(evaluation.result);
        post(evaluation);
      }
      yield;
    }
    if (waiting.length === 0) {
      finish();
      return undefined;
    }
    tellSoFar();
    const tracked: Promise<void> = Promise.all(waiting)
      .then(finish)
      .catch((error) => this.#host.problem("emit", error))
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
    return undefined;
  }

  /** Of long lists what is expected is read in a slice of its own; the resolver keeps it for whoever asks again. */
  *#expect({ request }: PreparedUnit, scorer: Scorer): Sliced<undefined> {
    yield;
    try {
      // What it throws or rejects with, evaluating says.
      Promise.resolve(this.#tools.resolver.resolve(request, scorer)).catch(() => undefined);
    } catch {}
    yield;
    return undefined;
  }

  /** Records what of a unit has not been recorded, unless a result is still on its way. */
  record(ledger: Ledger): void {
    if (ledger.pending > 0) return;
    for (const result of ledger.takeUnrecorded()) this.tell((sink) => sink.record(result));
  }

  /** A unit outside the sample: counted, never held. */
  skip(scorers: readonly Scorer[]): void {
    for (const scorer of scorers) {
      this.#count("not_sampled");
      this.tell((sink) => sink.skip(scorer.metric_name));
    }
  }

  /** Calls every sink, each guarded. */
  tell(say: (sink: Sink) => void): void {
    for (const sink of this.#sinks) {
      try {
        say(sink);
      } catch (error) {
        this.#host.problem("sink", error);
      }
    }
  }

  #post(
    prepared: PreparedUnit,
    evaluation: Evaluation,
    ledger: Ledger,
    reading: number,
  ): EmittedEvaluation | undefined {
    const { result, scorer, message } = evaluation;
    this.#count(result.status === "non_evaluable" ? result.reason : result.status);
    if (result.status === "error") this.#host.problem("scorer", faultOf(scorer, result));
    else if (message !== "") this.#host.problem("expectation", new Error(message));
    const { emitted, corrected } = ledger.post(prepared.unit, evaluation, reading);
    if (emitted !== undefined) {
      this.#emitted += 1;
      this.tell((sink) => sink.emit(emitted));
    }
    if (corrected !== undefined) this.tell((sink) => sink.correct(corrected));
    if (result.status === "scored") this.tell((sink) => sink.time(prepared.unit, evaluation));
    return emitted;
  }

  /** Nothing is emitted for a unit that no expectation speaks for; said once, lest a rule that never matches stay unseen. */
  #tellUnmatched(unit: ScoredUnit): void {
    this.#matched = true;
    const agent = unit.agent === undefined ? "no entry agent" : `entry agent ${JSON.stringify(unit.agent)}`;
    const root = unit.local_root === undefined ? "" : `, root span ${JSON.stringify(unit.local_root.name)}`;
    this.#host.notice(
      "no_expectation",
      `no expectation applies to ${unit.unit_id} (${agent}${root}), so nothing is emitted for it; ` +
        "further ones are only counted, in stats().evaluations.results.no_expectation",
    );
  }

  #count(outcome: string): void {
    this.#results[outcome] = (this.#results[outcome] ?? 0) + 1;
  }
}

function faultOf(scorer: Scorer, result: Errored): Error {
  const { type, message } = result.error;
  const hint = hintOf(result);
  const hinted = (words: string): string => `${scorer.metric_name}: ${words}${hint === undefined ? "" : ` ${hint}`}`;
  return isBuiltIn(scorer) ? new Error(hinted(message)) : new HostFault(hinted(type), hinted(message));
}
