import { SessionBuffer, type SessionEntry } from "../buffer/session-buffer.ts";
import { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { SpanReader } from "../conventions/read-span.ts";
import type { Resolver } from "../expectation/resolve.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { Scorer } from "../model/scorer.ts";
import type { SpanView } from "../model/span.ts";
import type { IncompleteReason } from "../model/trajectory.ts";
import { isBuiltIn } from "../score/define-scorer.ts";
import { assembleTrace } from "../trajectory/assemble.ts";
import { type EvaluationTools, evaluate } from "./evaluate.ts";
import { Ledger } from "./ledger.ts";
import { Limiter } from "./limiter.ts";
import type { ResolvedEngineOptions } from "./options.ts";
import { inSample } from "./sampling.ts";
import type { EmittedEvaluation, Sink } from "./sink.ts";
import type { DropReason, TrajectoryStats } from "./stats.ts";
import type { Runtime } from "./timers.ts";
import { type PreparedUnit, sessionUnit, trajectoryUnit } from "./units.ts";

/** What the engine is given by its face. */
export interface EngineHost {
  readonly runtime: Runtime;
  readonly resolver: Resolver;
  readonly reader: SpanReader;
  readonly sinks: readonly Sink[];
  /** A fault that was caught: counted here, said by the face, at most once in a while per kind. */
  problem(kind: string, error: unknown): void;
}

type Work =
  | { readonly kind: "trace"; readonly entry: TraceEntry }
  | { readonly kind: "closed"; readonly entry: TraceEntry }
  | { readonly kind: "session"; readonly entry: SessionEntry };

interface Ending {
  readonly session_id: string;
  readonly waiting: Set<TraceEntry>;
  readonly done: () => void;
}

/** The event loop is given back after this many milliseconds of work. */
const SLICE_MILLIS = 10;

/**
 * Follows spans by trace and session and scores what is finished.
 *
 * `start` and `end` run in the host's hooks: O(1), nothing parsed, nothing scored. Everything else runs in later turns,
 * in slices, from one timer. The engine knows no telemetry API; its sinks do.
 */
export class Engine {
  readonly #options: ResolvedEngineOptions;
  readonly #host: EngineHost;
  readonly #traces: TraceBuffer;
  readonly #sessions: SessionBuffer;
  readonly #trajectoryScorers: readonly Scorer[];
  readonly #sessionScorers: readonly Scorer[];
  readonly #tools: EvaluationTools;
  readonly #ledgers = new WeakMap<TraceEntry, Ledger>();
  readonly #joined = new WeakMap<TraceEntry, SessionEntry>();
  readonly #unrecorded = new Set<TraceEntry>();
  readonly #pending = new Set<Promise<void>>();
  #endings: Ending[] = [];
  /** Work of this turn, last first. */
  #work: Work[] = [];
  #timer: unknown;
  #timerAt = Number.POSITIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #closed = false;
  #seq = 0;

  #seen = 0;
  #released = 0;
  #late = 0;
  readonly #dropped: Record<DropReason, number> = {
    late: 0,
    duplicate: 0,
    span_limit: 0,
    not_sampled: 0,
    after_shutdown: 0,
  };
  #tracesScored = 0;
  #tracesRevised = 0;
  #tracesEvicted = 0;
  #sessionsScored = 0;
  #sessionsEvicted = 0;
  #emitted = 0;
  readonly #results: Record<string, number> = {};
  readonly #problems: Record<string, number> = {};

  constructor(options: ResolvedEngineOptions, host: EngineHost) {
    this.#options = options;
    this.#host = host;
    this.#traces = new TraceBuffer(options.limits);
    this.#sessions = new SessionBuffer(options.limits);
    this.#trajectoryScorers = options.scorers.filter((scorer) => scorer.units.includes("trajectory"));
    this.#sessionScorers = options.scorers.filter((scorer) => scorer.units.includes("session"));
    const custom = options.scorers.filter((scorer) => !isBuiltIn(scorer));
    this.#tools = {
      resolver: host.resolver,
      runtime: host.runtime,
      limiters: new Map(custom.map((scorer) => [scorer, new Limiter(scorer.manifest.execution.max_concurrency)])),
      scorerTimeoutMillis: options.scorerTimeoutMillis,
    };
  }

  /** A span started. Gives its trace where the trace is followed. */
  start(traceId: string, spanId: string, parentId: string, remote: boolean): TraceEntry | undefined {
    if (this.#closed || !this.#follows(traceId)) return undefined;
    const now = this.#host.runtime.now();
    const entry = this.#traces.start(traceId, spanId, parentId, remote, now);
    this.#wake(now);
    return entry;
  }

  /** Whether the span is a local root that has not ended. */
  isOpenRoot(traceId: string, spanId: string): boolean {
    return !this.#closed && this.#traces.get(traceId)?.open.get(spanId) === true;
  }

  /** A span ended. */
  end(view: SpanView): void {
    this.#seen += 1;
    if (this.#closed) {
      this.#dropped.after_shutdown += 1;
      return;
    }
    if (!this.#follows(view.trace_id)) {
      this.#dropped.not_sampled += 1;
      if (view.parent_id === "" || view.remote_parent) this.#skipUnit();
      return;
    }
    const now = this.#host.runtime.now();
    const root = this.#traces.get(view.trace_id)?.open.get(view.span_id) === true;
    const facts = this.#host.reader.read(view, this.#seq, root);
    this.#seq += 1;
    const outcome = this.#traces.end(facts, now);
    if (outcome === "held_late") this.#late += 1;
    else if (outcome !== "held") {
      this.#dropped[outcome] += 1;
      if (outcome === "late") this.#late += 1;
    }
    if (this.#bufferedBytes() > this.#options.limits.maxBufferedBytes) this.#relieve(now);
    this.#wake(now);
  }

  /**
   * Scores a trace whose last open span, a local root, is about to end as `view` shows it; for attributes that have to
   * be written before the end. Gives what is at hand synchronously, and changes nothing.
   */
  scoreEnding(view: SpanView, maxSteps: number): EmittedEvaluation[] {
    const entry = this.#traces.get(view.trace_id);
    if (this.#closed || entry === undefined || entry.state !== "open") return [];
    if (entry.open.size !== 1 || entry.open.get(view.span_id) !== true) return [];
    if (!inSample(view.trace_id, this.#options.sampleRatio) || this.#host.resolver.needsWaiting()) return [];
    const facts = this.#host.reader.read(view, this.#seq, true);
    const trace = this.#assemble(entry, [...entry.spans, facts]);
    if (trace.steps.length > maxSteps || trace.tools.length > maxSteps) return [];
    const prepared = trajectoryUnit(trace, this.#reasons(entry, trace, new Set()), entry.contextual);
    const ledger = new Ledger(entry.first_span_id);
    const emitted: EmittedEvaluation[] = [];
    for (const scorer of this.#trajectoryScorers) {
      if (!isBuiltIn(scorer) || !this.#host.resolver.isSynchronous(prepared.request, scorer)) continue;
      const evaluation = evaluate(prepared.occurrence, prepared.request, scorer, this.#tools);
      if (evaluation instanceof Promise) continue;
      const posted = ledger.post(prepared.unit, evaluation, 1).emitted;
      if (posted !== undefined) emitted.push(posted);
    }
    return emitted;
  }

  /** Finishes traces whose roots have ended, scores them, and records them; leaves open traces and sessions alone. */
  async flush(timeoutMillis: number): Promise<void> {
    if (this.#closed) return;
    this.#traces.flush(this.#host.runtime.now());
    await this.#settle(timeoutMillis);
    this.#recordFinished();
  }

  /** Finishes and scores every trace and session. */
  async drain(timeoutMillis: number): Promise<void> {
    await this.#finishAll("drain", timeoutMillis);
  }

  /** Drains, and takes nothing more. */
  async shutdown(timeoutMillis: number): Promise<void> {
    if (this.#closed) return;
    // Spans that end while the last results are on their way have come after the shutdown.
    this.#closed = true;
    try {
      await this.#finishAll("shutdown", timeoutMillis);
    } finally {
      this.#disarm();
      this.#host.resolver.close();
    }
  }

  /** Ends a session once the traces that are open now, and may belong to it, have finished. */
  endSession(sessionId: string): Promise<void> {
    if (this.#closed || this.#sessionScorers.length === 0) return Promise.resolve();
    const waiting = new Set<TraceEntry>();
    for (const entry of this.#traces.unreadTraces()) if (mayBelong(entry, sessionId)) waiting.add(entry);
    return new Promise((done) => {
      this.#endings.push({ session_id: sessionId, waiting, done });
      this.#arm(this.#host.runtime.now());
    });
  }

  stats(): TrajectoryStats {
    return {
      spans: {
        seen: this.#seen,
        released: this.#released,
        held: this.#traces.heldCount + this.#sessions.heldCount,
        dropped: { ...this.#dropped },
        late: this.#late,
      },
      traces: {
        open: this.#traces.openCount,
        finished: this.#traces.finishedCount,
        scored: this.#tracesScored,
        revised: this.#tracesRevised,
        evicted: this.#tracesEvicted,
      },
      sessions: {
        open: this.#sessions.openCount,
        scored: this.#sessionsScored,
        evicted: this.#sessionsEvicted,
      },
      buffered_bytes: this.#bufferedBytes(),
      evaluations: { emitted: this.#emitted, results: { ...this.#results }, pending: this.#pending.size },
      problems: { ...this.#problems },
    };
  }

  /** Counts a fault and hands it to the face. */
  problem(kind: string, error: unknown): void {
    this.#problems[kind] = (this.#problems[kind] ?? 0) + 1;
    try {
      this.#host.problem(kind, error);
    } catch {
      // The fault is counted; a face that cannot say it must not make it worse.
    }
  }

  /** Outside the sample nothing is held, unless a session that is inside may need it. */
  #follows(traceId: string): boolean {
    const ratio = this.#options.sampleRatio;
    return ratio >= 1 || inSample(traceId, ratio) || (ratio > 0 && this.#sessionScorers.length > 0);
  }

  #bufferedBytes(): number {
    return this.#traces.bytes + this.#sessions.bytes;
  }

  #relieve(now: number): void {
    while (this.#bufferedBytes() > this.#options.limits.maxBufferedBytes) {
      if (this.#traces.closeOldestWindow()) continue;
      const trace = this.#traces.oldestIdleAt ?? Number.POSITIVE_INFINITY;
      const session = this.#sessions.oldestIdleAt ?? Number.POSITIVE_INFINITY;
      if (!(session <= trace ? this.#sessions.evictOldest() : this.#traces.evictOldest(now))) return;
    }
  }

  // ---- turns

  #wake(now: number): void {
    if (this.#traces.hasWork || this.#sessions.hasWork) this.#arm(now);
    else {
      const next = this.#traces.nextDeadline;
      if (next !== undefined && next < this.#timerAt) this.#arm(next);
      // A timer that should have fired long ago: the process was frozen, and its timers with it.
      else if (now > this.#timerAt + 1_000) this.#arm(now);
    }
  }

  #arm(at: number): void {
    if (this.#timer !== undefined && this.#timerAt <= at) return;
    this.#disarm();
    this.#timerAt = at;
    this.#timer = this.#host.runtime.setTimer(() => this.#turn(), Math.max(0, at - this.#host.runtime.now()));
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#host.runtime.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  #turn(): void {
    this.#timer = undefined;
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#closed) return;
    const more = this.#awaitSources() || this.#runSlice();
    if (this.#closed || this.#loading !== undefined) return;
    const now = this.#host.runtime.now();
    if (more) this.#arm(now);
    else {
      const next = Math.min(
        this.#traces.nextDeadline ?? Number.POSITIVE_INFINITY,
        this.#sessions.nextDeadline ?? Number.POSITIVE_INFINITY,
      );
      if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
    }
  }

  /** Finished units wait until every source has loaded, at most for its time limit. */
  #awaitSources(): boolean {
    if (this.#loading !== undefined) return true;
    if (!this.#host.resolver.needsWaiting()) return false;
    this.#loading = this.#host.resolver.ready().then(() => {
      this.#loading = undefined;
      this.#arm(this.#host.runtime.now());
    });
    return true;
  }

  /** Works for one slice of time; true when work is left. */
  #runSlice(): boolean {
    const { runtime } = this.#host;
    const until = runtime.now() + SLICE_MILLIS;
    this.#guard("buffer", () => {
      this.#traces.advance(runtime.now());
      this.#sessions.advance(runtime.now());
    });
    do {
      const work = this.#nextWork();
      if (work === undefined) return false;
      this.#guard(work.kind, () => this.#do(work));
    } while (runtime.now() < until);
    return true;
  }

  #nextWork(): Work | undefined {
    if (this.#work.length === 0) {
      this.#finishEndings();
      for (const entry of this.#traces.takeReady()) this.#work.push({ kind: "trace", entry });
      for (const entry of this.#traces.takeClosed()) this.#work.push({ kind: "closed", entry });
      for (const entry of this.#sessions.takeReady()) this.#work.push({ kind: "session", entry });
      this.#work.reverse();
    }
    return this.#work.pop();
  }

  #do(work: Work): void {
    if (work.kind === "trace") this.#scoreTrace(work.entry);
    else if (work.kind === "closed") this.#record(work.entry, this.#ledgers.get(work.entry));
    else this.#scoreSession(work.entry);
  }

  #finishEndings(): void {
    if (this.#endings.length === 0) return;
    const waiting: Ending[] = [];
    for (const ending of this.#endings) {
      for (const entry of ending.waiting) if (entry.readings > 0) ending.waiting.delete(entry);
      if (ending.waiting.size > 0) {
        waiting.push(ending);
        continue;
      }
      this.#sessions.end(ending.session_id);
      ending.done();
    }
    this.#endings = waiting;
  }

  /** Works off everything that is ready and waits for what is asynchronous, for a limited time. */
  async #settle(timeoutMillis: number): Promise<void> {
    const { runtime } = this.#host;
    const deadline = runtime.now() + timeoutMillis;
    for (;;) {
      this.#awaitSources();
      if (this.#loading !== undefined) await this.#within(this.#loading, deadline);
      else if (this.#runSlice()) await this.#pause();
      else if (this.#pending.size > 0) await this.#within(Promise.all(this.#pending), deadline);
      else return;
      if (runtime.now() >= deadline) return;
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#host.runtime.setTimer(resolve, 0, true) === undefined) resolve();
    });
  }

  #within(work: Promise<unknown>, deadline: number): Promise<void> {
    const { runtime } = this.#host;
    return new Promise((resolve) => {
      const timer = runtime.setTimer(resolve, Math.max(0, deadline - runtime.now()), true);
      const done = (): void => {
        runtime.clearTimer(timer);
        resolve();
      };
      work.then(done, done);
    });
  }

  async #finishAll(cause: "drain" | "shutdown", timeoutMillis: number): Promise<void> {
    this.#traces.finishAll(cause, this.#host.runtime.now());
    await this.#settle(timeoutMillis);
    this.#sessions.finishAll(cause === "shutdown" ? "shutdown" : undefined);
    this.#traces.closeAll();
    await this.#settle(timeoutMillis);
    for (const ending of this.#endings) ending.done();
    this.#endings = [];
  }

  // ---- scoring

  #assemble(entry: TraceEntry, spans: TraceEntry["spans"]): AssembledTrace {
    const open = entry.open.size === 0 ? undefined : new Set(entry.open.keys());
    const trace = assembleTrace(spans, {
      ...this.#options.trajectory,
      defaultEgress: this.#options.defaultEgress,
      ...(open === undefined ? {} : { openSpanIds: open }),
    });
    if (trace.session_id !== undefined || entry.context_session === undefined) return trace;
    return { ...trace, session_id: entry.context_session };
  }

  #reasons(entry: TraceEntry, trace: AssembledTrace, open: { readonly size: number }): Set<IncompleteReason> {
    const reasons = new Set<IncompleteReason>([...entry.reasons, ...trace.reasons]);
    if (open.size > 0) reasons.add("open_spans");
    return reasons;
  }

  #scoreTrace(entry: TraceEntry): void {
    const held = this.#traces.release(entry);
    const reading = entry.readings;
    if (reading === 1) this.#tracesScored += 1;
    else this.#tracesRevised += 1;
    if (reading === 1 && entry.cause === "evicted") this.#tracesEvicted += 1;
    const sampled = inSample(entry.trace_id, this.#options.sampleRatio);
    let trace: AssembledTrace;
    try {
      trace = this.#assemble(entry, entry.spans);
    } catch (error) {
      this.#released += held;
      throw error;
    }
    const reasons = this.#reasons(entry, trace, entry.open);
    const scored = sampled && this.#trajectoryScorers.length > 0;
    const session = this.#joinSession(entry, trace, reasons, scored ? 0 : held);
    if (scored || session === "scored" || (sampled && session === "none")) this.#released += held;
    else if (session === "none") this.#dropped.not_sampled += held;
    if (!sampled && session === "none" && reading === 1) this.#skipUnit();
    this.#unrecorded.add(entry);
    const prepared = trajectoryUnit(trace, reasons, entry.contextual);
    const ledger = this.#ledgerOf(entry);
    this.#evaluateAll(prepared, scored ? this.#trajectoryScorers : [], ledger, reading, trace, () => {
      if (entry.state === "closed") this.#record(entry, ledger);
    });
  }

  /** Adds the trace to its session. `scored`: it is part of one that is over; `none`: it has none that anybody scores. */
  #joinSession(
    entry: TraceEntry,
    trace: AssembledTrace,
    reasons: ReadonlySet<IncompleteReason>,
    held: number,
  ): "open" | "scored" | "none" {
    if (this.#sessionScorers.length === 0) return "none";
    const sessionId = trace.session_id;
    const before = this.#joined.get(entry);
    if (before !== undefined && before.session_id !== sessionId) this.#sessions.move(before, entry.serial);
    if (sessionId === undefined || !inSample(sessionId, this.#options.sampleRatio)) return "none";
    // A scored session is never revised: a trace that was part of it changes no other.
    if (before?.done && before.session_id === sessionId) return "scored";
    let bytes = 0;
    for (const span of entry.spans) if (span.facts !== undefined) bytes += span.bytes;
    const session = this.#sessions.add(
      sessionId,
      entry.serial,
      { trace, reasons: [...reasons], first_span_id: entry.first_span_id, contextual: entry.contextual, bytes },
      held,
      this.#host.runtime.now(),
    );
    this.#joined.set(entry, session);
    if (trace.session_end) this.#sessions.end(sessionId);
    return "open";
  }

  #scoreSession(entry: SessionEntry): void {
    this.#released += this.#sessions.release(entry);
    if (entry.traces.size === 0) return;
    this.#sessionsScored += 1;
    if (entry.reasons.has("evicted")) this.#sessionsEvicted += 1;
    const prepared = sessionUnit(entry.session_id, entry);
    const first = [...entry.traces.values()].find((item) => item.trace.trace_id === prepared.unit.trace_ids[0]);
    const ledger = new Ledger(first?.first_span_id ?? "");
    this.#evaluateAll(prepared, this.#sessionScorers, ledger, 1, undefined, () => this.#recordLedger(ledger));
  }

  #evaluateAll(
    prepared: PreparedUnit,
    scorers: readonly Scorer[],
    ledger: Ledger,
    reading: number,
    trace: AssembledTrace | undefined,
    done: () => void,
  ): void {
    const emitted: EmittedEvaluation[] = [];
    const post = (evaluation: Evaluation): void => {
      this.#guard("emit", () => {
        const posted = this.#post(prepared, evaluation, ledger, reading);
        if (posted !== undefined) emitted.push(posted);
      });
    };
    const waiting: Promise<void>[] = [];
    ledger.pending += 1;
    for (const scorer of scorers) {
      const evaluation = evaluate(prepared.occurrence, prepared.request, scorer, this.#tools);
      if (evaluation instanceof Promise) waiting.push(evaluation.then(post));
      else post(evaluation);
    }
    const finish = (): void => {
      ledger.pending -= 1;
      for (const sink of this.#host.sinks) {
        this.#guard("sink", () => sink.unitScored(prepared.unit, emitted, trace));
      }
      done();
    };
    if (waiting.length === 0) {
      finish();
      return;
    }
    const all = Promise.all(waiting).then(finish).catch((error) => this.problem("emit", error));
    const tracked = all.finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }

  #post(
    prepared: PreparedUnit,
    evaluation: Evaluation,
    ledger: Ledger,
    reading: number,
  ): EmittedEvaluation | undefined {
    const { result } = evaluation;
    const outcome = result.status === "non_evaluable" ? result.reason : result.status;
    this.#results[outcome] = (this.#results[outcome] ?? 0) + 1;
    if (result.status === "error") this.problem("scorer", new Error(`${evaluation.scorer.metric_name}: ${result.error.message}`));
    else if (evaluation.message !== "") this.problem("expectation", new Error(evaluation.message));
    const { emitted, corrected } = ledger.post(prepared.unit, evaluation, reading);
    for (const sink of this.#host.sinks) {
      if (emitted !== undefined) this.#guard("sink", () => sink.emit(emitted));
      if (corrected !== undefined) this.#guard("sink", () => sink.correct(corrected));
      if (result.status === "scored") this.#guard("sink", () => sink.time(prepared.unit, evaluation));
    }
    if (emitted !== undefined) this.#emitted += 1;
    return emitted;
  }

  // ---- metrics

  #ledgerOf(entry: TraceEntry): Ledger {
    let ledger = this.#ledgers.get(entry);
    if (ledger === undefined) {
      ledger = new Ledger(entry.first_span_id);
      this.#ledgers.set(entry, ledger);
    }
    return ledger;
  }

  #recordFinished(): void {
    for (const entry of [...this.#unrecorded]) this.#record(entry, this.#ledgers.get(entry));
  }

  /** Records a unit, once all its results are there. */
  #record(entry: TraceEntry, ledger: Ledger | undefined): void {
    if (ledger === undefined || ledger.pending > 0) return;
    this.#unrecorded.delete(entry);
    this.#recordLedger(ledger);
  }

  #recordLedger(ledger: Ledger): void {
    for (const result of ledger.takeUnrecorded()) {
      for (const sink of this.#host.sinks) this.#guard("sink", () => sink.record(result));
    }
  }

  /** A unit outside the sample: counted, never held. */
  #skipUnit(): void {
    for (const scorer of this.#trajectoryScorers) {
      this.#results["not_sampled"] = (this.#results["not_sampled"] ?? 0) + 1;
      for (const sink of this.#host.sinks) this.#guard("sink", () => sink.skip(scorer.metric_name));
    }
  }

  #guard(kind: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.problem(kind, error);
    }
  }
}

/** Whether an unfinished trace may turn out to be part of a session: unless what it shows so far names another. */
function mayBelong(entry: TraceEntry, sessionId: string): boolean {
  let named = false;
  for (const { session } of entry.spans) {
    if (session === undefined) continue;
    if (session.value === sessionId) return true;
    named = true;
  }
  return !named;
}
