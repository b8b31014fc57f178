import { OpenSpan } from "../buffer/open-span.ts";
import { SessionBuffer, type SessionEntry } from "../buffer/session-buffer.ts";
import { type EndOutcome, TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { PlainSpan, SpanReader } from "../conventions/read-span.ts";
import type { Resolver } from "../expectation/resolve.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import type { Scorer } from "../model/scorer.ts";
import type { SpanFacts, SpanView } from "../model/span.ts";
import type { IncompleteReason } from "../model/trajectory.ts";
import { isBuiltIn } from "../score/built-in.ts";
import { assembleTrace } from "../trajectory/assemble.ts";
import { type EvaluationTools, evaluate } from "./evaluate.ts";
import { HookClock } from "./hook-clock.ts";
import { Ledger } from "./ledger.ts";
import { Limiter } from "./limiter.ts";
import type { ResolvedEngineOptions } from "./options.ts";
import { inSample } from "./sampling.ts";
import { Scheduler } from "./scheduler.ts";
import { Scoring } from "./scoring.ts";
import { SessionEndings } from "./session-endings.ts";
import type { EmittedEvaluation, Sink } from "./sink.ts";
import type { DropReason, TrajectoryStats } from "./stats.ts";
import type { Runtime } from "./timers.ts";
import { sessionUnit, trajectoryUnit } from "./units.ts";

/** What the engine is given by its face. */
export interface EngineHost {
  readonly runtime: Runtime;
  readonly resolver: Resolver;
  readonly reader: SpanReader;
  readonly sinks: readonly Sink[];
  /** A fault that was caught and counted; the face says it, at most once in a while per kind. */
  problem(kind: string, error: unknown): void;
}

type Work =
  | { readonly kind: "trace"; readonly entry: TraceEntry }
  | { readonly kind: "closed"; readonly entry: TraceEntry }
  | { readonly kind: "session"; readonly entry: SessionEntry };

const NO_IDS: ReadonlySet<string> = new Set();
const NOTHING: readonly EmittedEvaluation[] = Object.freeze([]);

/**
 * Follows spans by trace and session and scores what is finished.
 *
 * `start` and `end` run in the host's hooks: O(1), nothing parsed, nothing scored. Everything else runs in later turns,
 * from one timer. The engine knows no telemetry API; its sinks do.
 */
export class Engine {
  readonly #options: ResolvedEngineOptions;
  readonly #host: EngineHost;
  readonly #traces: TraceBuffer;
  readonly #sessions: SessionBuffer;
  readonly #endings = new SessionEndings();
  readonly #clock: HookClock;
  readonly #scheduler: Scheduler;
  readonly #scoring: Scoring;
  readonly #tools: EvaluationTools;
  readonly #trajectoryScorers: readonly Scorer[];
  readonly #sessionScorers: readonly Scorer[];
  readonly #ledgers = new WeakMap<TraceEntry, Ledger>();
  readonly #joined = new WeakMap<TraceEntry, SessionEntry>();
  readonly #unrecorded = new Set<TraceEntry>();
  /** Work of this turn, last first. */
  #work: Work[] = [];
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
  readonly #traceCounts = { scored: 0, revised: 0, evicted: 0 };
  readonly #sessionCounts = { scored: 0, evicted: 0 };
  readonly #problems: Record<string, number> = {};

  constructor(options: ResolvedEngineOptions, host: EngineHost) {
    this.#options = options;
    this.#host = host;
    this.#clock = new HookClock(host.runtime);
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
    this.#scoring = new Scoring(this.#tools, host.sinks, (kind, error) => this.problem(kind, error));
    this.#scheduler = new Scheduler(host.runtime, {
      advance: () => this.#advance(),
      step: () => this.#step(),
      nextDeadline: () => Math.min(this.#traces.nextDeadline, this.#sessions.nextDeadline),
      blockedBy: () => (host.resolver.needsWaiting() ? host.resolver.ready() : undefined),
    });
  }

  /**
   * A span started, at its own word at `seconds` and `nanos`. Gives what {@link end} wants back; undefined where the
   * span is not followed.
   */
  start(
    traceId: string,
    spanId: string,
    parentId: string,
    remote: boolean,
    seconds: number,
    nanos: number,
  ): OpenSpan | undefined {
    if (this.#closed || !this.#follows(traceId)) return undefined;
    const now = this.#clock.exactly(seconds, nanos);
    const started = this.#traces.start(traceId, spanId, parentId, remote, now, this.#clock.sure);
    this.#wake(now);
    return started;
  }

  /** A span started beneath one that is open in the trace. False where it is not followed. */
  startBeneath(entry: TraceEntry, seconds: number, nanos: number): boolean {
    if (this.#closed) return false;
    const now = this.#clock.at(seconds, nanos);
    const started = this.#traces.startBeneath(entry, now, this.#clock.sure);
    // No deadline comes earlier by this; but a look at the clock may show that a timer is overdue.
    if (this.#clock.fresh) this.#wake(now);
    return started;
  }

  /** A span that was started beneath another has become a parent itself. */
  promote(entry: TraceEntry, spanId: string): OpenSpan {
    return this.#traces.promote(entry, spanId);
  }

  /** The trace that is followed under an id. */
  traceOf(traceId: string): TraceEntry | undefined {
    return this.#traces.get(traceId);
  }

  /**
   * A span that was started beneath another ended and is nothing but a leaf of the tree, as most spans of a host are:
   * then this was all. False: it is to be read and given to {@link end}.
   */
  endLeaf(entry: TraceEntry, span: PlainSpan, seconds: number, nanos: number): boolean {
    if (this.#closed || !this.#host.reader.isPlain(span)) return false;
    const now = this.#clock.at(seconds, nanos);
    if (!this.#traces.endLeaf(entry, now, this.#clock.sure)) return false;
    this.#seen += 1;
    if (this.#clock.fresh) this.#wake(now);
    return true;
  }

  /** A span ended; `started` is what its start gave, or the trace that it was started in beneath another. */
  end(view: SpanView, started?: OpenSpan | TraceEntry | undefined): void {
    const { trace_id: traceId, span_id: spanId } = view;
    if (this.#closed || !this.#follows(traceId)) {
      this.#turnAway(view.parent_id === "" || view.remote_parent);
      return;
    }
    if (traceId === "" || spanId === "") throw new Error("an ended span has no ids");
    const root = started instanceof OpenSpan && started.root;
    const facts = this.#host.reader.read(view, this.#seq, root);
    this.#seq += 1;
    this.#seen += 1;
    // What depends on the exact time is counted from here: the end of a root, and spans that come late.
    const entry = started instanceof OpenSpan ? started.entry : started;
    const { end_s: seconds, end_n: nanos } = view;
    const exact = root || entry?.state !== "open";
    const now = exact ? this.#clock.exactly(seconds, nanos) : this.#clock.at(seconds, nanos);
    this.#took(this.#traces.end(facts, now, this.#clock.sure, started));
    if (this.#bufferedBytes() > this.#options.limits.maxBufferedBytes) this.#relieve(now);
    this.#wake(now);
  }

  /** A span ended that had ended before. */
  endAgain(): void {
    this.#seen += 1;
    this.#dropped[this.#closed ? "after_shutdown" : "duplicate"] += 1;
  }

  /**
   * Scores a trace whose last open span, a local root, is about to end as `view` shows it; for attributes that have to
   * be written before the end. Gives what is at hand synchronously, and changes nothing.
   */
  scoreEnding(view: SpanView, started: OpenSpan, maxSteps: number): readonly EmittedEvaluation[] {
    const { entry } = started;
    if (this.#closed || entry.state !== "open" || entry.open_count !== 1 || !started.root) return NOTHING;
    if (!inSample(view.trace_id, this.#options.sampleRatio) || this.#host.resolver.needsWaiting()) return NOTHING;
    const facts = this.#host.reader.read(view, this.#seq, true);
    if (facts.kind === undefined && !entry.has_kind) return NOTHING;
    const trace = this.#assemble(entry, [...entry.spans, facts], NO_IDS);
    if (trace.steps.length > maxSteps || trace.tools.length > maxSteps) return NOTHING;
    const { unit, occurrence, request } = trajectoryUnit(trace, reasonsOf(entry, trace, false), entry.contextual);
    const ledger = new Ledger(entry.first_span_id);
    const emitted: EmittedEvaluation[] = [];
    for (const scorer of this.#trajectoryScorers) {
      if (!isBuiltIn(scorer) || !this.#host.resolver.isSynchronous(request, scorer)) continue;
      const evaluation = evaluate(occurrence, request, scorer, this.#tools);
      if (evaluation instanceof Promise) continue;
      const posted = ledger.post(unit, evaluation, 1).emitted;
      if (posted !== undefined) emitted.push(posted);
    }
    return emitted;
  }

  /** Finishes traces whose roots have ended, scores them, and records them; leaves open traces and sessions alone. */
  async flush(timeoutMillis: number): Promise<void> {
    if (this.#closed) return;
    this.#traces.flush(this.#host.runtime.now());
    await this.#scheduler.settle(this.#scoring.pending, timeoutMillis);
    for (const entry of [...this.#unrecorded]) this.#record(entry);
  }

  /** Finishes and scores every trace and session. */
  async drain(timeoutMillis: number): Promise<void> {
    await this.#finishAll("drain", timeoutMillis);
  }

  /** Drains, and takes nothing more. */
  async shutdown(timeoutMillis: number): Promise<void> {
    // Spans that end while the last results are on their way have come after the shutdown.
    this.#closed = true;
    try {
      await this.#finishAll("shutdown", timeoutMillis);
    } finally {
      this.#scheduler.stop();
      this.#host.resolver.close();
    }
  }

  /** Ends a session once the traces that are open now, and may belong to it, have finished. */
  endSession(sessionId: string): Promise<void> {
    if (this.#closed || this.#sessionScorers.length === 0) return Promise.resolve();
    const ended = this.#endings.add(sessionId, this.#traces.unreadTraces());
    this.#scheduler.arm(this.#host.runtime.now());
    return ended;
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
      traces: { open: this.#traces.openCount, finished: this.#traces.finishedCount, ...this.#traceCounts },
      sessions: { open: this.#sessions.openCount, ...this.#sessionCounts },
      buffered_bytes: this.#bufferedBytes(),
      evaluations: this.#scoring.counts(),
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

  #took(outcome: EndOutcome): void {
    if (outcome === "held") return;
    if (outcome === "held_late" || outcome === "late") this.#late += 1;
    if (outcome !== "held_late") this.#dropped[outcome] += 1;
  }

  #turnAway(root: boolean): void {
    this.#seen += 1;
    if (this.#closed) {
      this.#dropped.after_shutdown += 1;
      return;
    }
    this.#dropped.not_sampled += 1;
    if (root) this.#scoring.skip(this.#trajectoryScorers);
  }

  #bufferedBytes(): number {
    return this.#traces.bytes + this.#sessions.bytes;
  }

  /** Windows go first, since they cost only late spans; then the trace or session that has been idle longest. */
  #relieve(now: number): void {
    while (this.#bufferedBytes() > this.#options.limits.maxBufferedBytes) {
      if (this.#traces.closeOldestWindow()) continue;
      const oldestFirst = this.#sessions.oldestIdleAt <= this.#traces.oldestIdleAt;
      if (!(oldestFirst ? this.#sessions.evictOldest() : this.#traces.evictOldest(now))) return;
    }
  }

  #wake(now: number): void {
    if (this.#traces.hasWork || this.#sessions.hasWork) this.#scheduler.wakeBy(now, now);
    else this.#scheduler.wakeBy(this.#traces.nextDeadline, now);
  }

  #advance(): void {
    const now = this.#clock.read();
    this.#guard("buffer", () => {
      this.#traces.advance(now);
      this.#sessions.advance(now);
    });
  }

  #step(): boolean {
    if (this.#work.length === 0) this.#collect();
    const work = this.#work.pop();
    if (work === undefined) return false;
    this.#guard(work.kind, () => {
      if (work.kind === "trace") this.#scoreTrace(work.entry);
      else if (work.kind === "closed") this.#record(work.entry);
      else this.#scoreSession(work.entry);
    });
    return true;
  }

  /** A trace that is ready comes before its own end, and before the session that it may complete. */
  #collect(): void {
    this.#endings.settle((sessionId) => this.#sessions.end(sessionId));
    for (const entry of this.#traces.takeReady()) this.#work.push({ kind: "trace", entry });
    for (const entry of this.#traces.takeClosed()) this.#work.push({ kind: "closed", entry });
    for (const entry of this.#sessions.takeReady()) this.#work.push({ kind: "session", entry });
    this.#work.reverse();
  }

  async #finishAll(cause: "drain" | "shutdown", timeoutMillis: number): Promise<void> {
    this.#traces.finishAll(cause, this.#host.runtime.now());
    await this.#scheduler.settle(this.#scoring.pending, timeoutMillis);
    this.#sessions.finishAll(cause === "shutdown" ? "shutdown" : undefined);
    this.#traces.closeAll();
    await this.#scheduler.settle(this.#scoring.pending, timeoutMillis);
    this.#endings.release();
  }

  #assemble(entry: TraceEntry, spans: readonly SpanFacts[], open: ReadonlySet<string>): AssembledTrace {
    const trace = assembleTrace(withAdoptions(spans, entry), {
      ...this.#options.trajectory,
      defaultEgress: this.#options.defaultEgress,
      openSpanIds: open,
    });
    if (trace.session_id !== undefined || entry.context_session === undefined) return trace;
    return { ...trace, session_id: entry.context_session };
  }

  #scoreTrace(entry: TraceEntry): void {
    let held = this.#traces.release(entry);
    const first = entry.readings === 1;
    if (first) this.#traceCounts.scored += 1;
    else this.#traceCounts.revised += 1;
    if (first && entry.cause === "evicted") this.#traceCounts.evicted += 1;
    const open = entry.index.openIds();
    let trace: AssembledTrace;
    try {
      trace = this.#assemble(entry, entry.spans, open);
    } catch (error) {
      // The spans were handed over all the same; the fault is the engine's, and is counted as such.
      this.#released += held;
      throw error;
    }
    held -= this.#countDuplicates(entry, trace);
    const reasons = reasonsOf(entry, trace, entry.open_count > 0);
    const sampled = inSample(entry.trace_id, this.#options.sampleRatio);
    const scorers = sampled ? this.#trajectoryScorers : [];
    const session = this.#joinSession(entry, trace, reasons, scorers.length > 0 ? 0 : held);
    if (sampled || session === "scored") this.#released += session === "open" && scorers.length === 0 ? 0 : held;
    else if (session === "none") this.#dropped.not_sampled += held;
    if (!sampled && first) this.#scoring.skip(this.#trajectoryScorers);
    const ledger = this.#ledgerOf(entry);
    this.#unrecorded.add(entry);
    const prepared = trajectoryUnit(trace, reasons, entry.contextual);
    this.#scoring.score(prepared, scorers, ledger, entry.readings, trace, () => {
      if (entry.state === "closed") this.#record(entry);
    });
  }

  /** Ids are not looked up while spans come; what came twice shows when the trace is read. Gives how many are new. */
  #countDuplicates(entry: TraceEntry, trace: AssembledTrace): number {
    const fresh = (trace.duplicate_count ?? 0) - entry.duplicates;
    entry.duplicates += fresh;
    this.#dropped.duplicate += fresh;
    return fresh;
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
    this.#sessionCounts.scored += 1;
    if (entry.reasons.has("evicted")) this.#sessionCounts.evicted += 1;
    const prepared = sessionUnit(entry.session_id, entry);
    const ledger = new Ledger(prepared.first_span_id);
    this.#scoring.score(prepared, this.#sessionScorers, ledger, 1, undefined, () => this.#scoring.record(ledger));
  }

  #ledgerOf(entry: TraceEntry): Ledger {
    let ledger = this.#ledgers.get(entry);
    if (ledger === undefined) {
      ledger = new Ledger(entry.first_span_id);
      this.#ledgers.set(entry, ledger);
    }
    return ledger;
  }

  #record(entry: TraceEntry): void {
    const ledger = this.#ledgers.get(entry);
    if (ledger === undefined || ledger.pending > 0) return;
    this.#unrecorded.delete(entry);
    this.#scoring.record(ledger);
  }

  #guard(kind: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.problem(kind, error);
    }
  }
}

/** A span that came late to a parent that had been let go belongs to the nearest ancestor that is held. */
function withAdoptions(spans: readonly SpanFacts[], entry: TraceEntry): readonly SpanFacts[] {
  const { adopted } = entry;
  if (adopted === undefined) return spans;
  return spans.map((span) => {
    const parent = adopted.get(span.parent_id);
    return parent === undefined ? span : { ...span, parent_id: parent };
  });
}

function reasonsOf(entry: TraceEntry, trace: AssembledTrace, open: boolean): ReadonlySet<IncompleteReason> {
  const reasons = new Set<IncompleteReason>([...entry.reasons, ...trace.reasons]);
  if (open) reasons.add("open_spans");
  return reasons;
}
