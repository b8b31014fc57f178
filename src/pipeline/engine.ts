import { OpenSpan } from "../buffer/open-span.ts";
import { SessionBuffer, type SessionEntry, type SessionTrace } from "../buffer/session-buffer.ts";
import { type EndOutcome, TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { PlainSpan } from "../conventions/read-span.ts";
import type { Explanation } from "../model/explanation.ts";
import { MARKED } from "../model/held-span.ts";
import type { PlainPlace } from "../model/plain-facts.ts";
import type { SpanView } from "../model/span.ts";
import { Books } from "./books.ts";
import type { EngineHost } from "./engine-host.ts";
import { evaluationTools } from "./evaluation-tools.ts";
import { FinishedUnits } from "./finished-units.ts";
import { HookClock } from "./hook-clock.ts";
import { isId } from "./ids.ts";
import { withPreparedResult } from "./ledger.ts";
import type { ResolvedEngineOptions } from "./options.ts";
import { isOverLimit, makeRoom, relieve } from "./relief.ts";
import { inSample } from "./sampling.ts";
import { Scheduler, type Worker } from "./scheduler.ts";
import { Scoring } from "./scoring.ts";
import { SessionEndings } from "./session-endings.ts";
import type { EmittedEvaluation } from "./sink.ts";
import { Slices } from "./slices.ts";
import type { TrajectoryStats } from "./stats.ts";
import { WorkList } from "./work-list.ts";

const NO_WORK: ReadonlySet<Promise<void>> = new Set();

/** What {@link Engine.endLeaf} gives for a span that is no leaf. */
export const NO_LEAF: number = -1;

/** Part of the time that traces get at the end; the rest is for sessions, and for whatever traces still wait for. */
const TRACES_SHARE = 3 / 4;

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
  readonly #units: FinishedUnits;
  readonly #books = new Books();
  readonly #slices: Slices;
  readonly #work: WorkList;
  #closed = false;
  #seq = 0;

  constructor(options: ResolvedEngineOptions, host: EngineHost) {
    this.#options = options;
    this.#host = host;
    const clock = host.clock ?? host.runtime;
    this.#clock = new HookClock(clock);
    this.#traces = new TraceBuffer(options.limits);
    this.#sessions = new SessionBuffer(options.limits);
    this.#slices = new Slices(host.runtime);
    this.#work = new WorkList(this.#traces, this.#sessions, this.#endings);
    const tools = evaluationTools(options, host, {
      problem: (kind, error) => this.problem(kind, error),
      goOn: (work) => this.#slices.add(withPreparedResult(work)),
    });
    this.#scoring = new Scoring(tools, host.sinks, {
      problem: (kind, error) => this.problem(kind, error),
      notice: (kind, message) => host.notice(kind, message),
      expects: host.resolver.hasSources,
    });
    this.#units = new FinishedUnits({
      options,
      host,
      traces: this.#traces,
      sessions: this.#sessions,
      scoring: this.#scoring,
      tools,
      books: this.#books,
    });
    const worker: Worker = {
      advance: () => this.#advance(),
      step: () => this.#step(),
      nextDeadline: () => this.nextDeadline,
      blockedBy: () => (host.resolver.needsWaiting() ? host.resolver.ready() : undefined),
    };
    this.#scheduler = new Scheduler(host.runtime, worker, clock);
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
    if (!isId(traceId) || !isId(spanId)) throw new Error("a started span has no ids");
    const now = this.#clock.at(seconds, nanos);
    const started = this.#traces.start(traceId, spanId, parentId, remote, now);
    this.#wake(now);
    return started;
  }

  /**
   * What a local root says at its start, where the reader found that it says anything: of a run that is cut off in the
   * middle that is who runs, in which session, and what is expected.
   */
  opened(started: OpenSpan, view: SpanView, look: number): void {
    // A hook of the host is asked about spans that have ended.
    if (look > 0) this.#traces.holdings.lend(started, this.#host.reader.hold(view, this.#seq, true, look));
  }

  /** A span started beneath one that is open in the trace. False where it is not followed. */
  startBeneath(entry: TraceEntry): boolean {
    if (this.#closed) return false;
    // No deadline comes earlier by this, so that nobody has to be woken.
    this.#traces.startBeneath(entry);
    return true;
  }

  /** A span that was started beneath another has become a parent itself. */
  promote(entry: TraceEntry, spanId: string): OpenSpan {
    return this.#traces.promote(entry, spanId);
  }

  /**
   * A span of which there is nothing to be read ended that was started beneath another: where it is a leaf of the tree,
   * this was all. It is held, where `leaf` says as what; else what is given is its place in the order of ending, for
   * {@link readBack}. {@link NO_LEAF}: it is to be given to {@link end}.
   */
  endLeaf(entry: TraceEntry, leaf?: PlainPlace): number {
    if (this.#closed || !this.#traces.endLeaf(entry, leaf, this.#seq)) return NO_LEAF;
    this.#books.seen += 1;
    this.#seq += 1;
    if (leaf !== undefined) this.#relieve();
    return this.#seq - 1;
  }

  /** A span that was let go when it ended turns out to be a parent. False where its trace is gone. */
  readBack(view: SpanView, seq: number): boolean {
    const entry = this.#traces.get(view.trace_id);
    if (this.#closed || entry === undefined) return false;
    this.#traces.readBack(entry, this.#host.reader.hold(view, seq));
    return true;
  }

  /**
   * A span ended; `started` is what its start gave, or the trace that it was started in beneath another, and `look` what
   * the reader said of it, where the caller has those at hand.
   */
  end(view: SpanView, started?: OpenSpan | TraceEntry | undefined, look?: number | undefined): void {
    const { trace_id: traceId, span_id: spanId } = view;
    if (this.#closed || !this.#follows(traceId)) {
      this.#turnAway(view.parent_id === "" || view.remote_parent);
      return;
    }
    if (!isId(traceId) || !isId(spanId)) throw new Error("an ended span has no ids");
    const root = started instanceof OpenSpan && started.root;
    const held = this.#host.reader.hold(view, this.#seq, root, look);
    this.#seq += 1;
    this.#books.seen += 1;
    if (started === undefined || !this.#traces.endWithin(started, held)) {
      const now = this.#clock.at(view.end_s, view.end_n);
      this.#took(this.#traces.end(held, now, started));
      this.#wake(now);
    }
    this.#relieve();
  }

  /** A span ended that had ended before. */
  endAgain(): void {
    this.#books.seen += 1;
    this.#books.dropped[this.#closed ? "after_shutdown" : "duplicate"] += 1;
  }

  /**
   * Scores a trace whose last open span, a local root, is about to end as `view` shows it; for attributes that have to
   * be written before the end. Gives what is at hand synchronously, and changes nothing.
   */
  scoreEnding(view: SpanView, started: OpenSpan, maxSteps: number): readonly EmittedEvaluation[] {
    return this.#closed ? [] : this.#units.scoreEnding(view, started, this.#seq, maxSteps);
  }

  /** Whether a trace whose last span is about to end has anything in it that could be scored. */
  mayScoreEnding(span: PlainSpan, started: OpenSpan): boolean {
    const { reader } = this.#host;
    const look = reader.look(span);
    if (!this.#units.mayScore(started.entry) && !reader.mayAnnotate(look)) return false;
    return (started.entry.says & MARKED) !== 0 || look !== 0;
  }

  /** Why each span of a trace that is held is the step that it is, or none. */
  explain(traceId: string): Explanation | undefined {
    const entry = this.#traces.get(traceId);
    return entry === undefined ? undefined : this.#units.explain(entry);
  }

  /** Finishes traces whose roots have ended, scores them, and records them; leaves open traces and sessions alone. */
  async flush(timeoutMillis: number): Promise<void> {
    if (this.#closed) return;
    this.#traces.flush(this.#clock.read());
    await this.#scheduler.settle(this.#scoring.pending, timeoutMillis);
    this.#units.recordScored();
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
      this.#slices.stop();
      this.#guard("shutdown", () => this.#units.giveUp(this.#work));
      this.#host.resolver.close();
    }
  }

  /**
   * Ends a session once the traces that are open now, and may belong to it, have finished. Resolves when it has, or
   * after `timeoutMillis`, since one of those traces may be waiting for this; it ends all the same.
   */
  endSession(sessionId: string, timeoutMillis: number): Promise<void> {
    if (this.#closed || !this.#units.scoresSessions) return Promise.resolve();
    const ended = this.#endings.add(sessionId, this.#traces.unreadTraces(), (entry) => this.#units.read(entry));
    this.#scheduler.arm(this.#clock.read());
    return this.#scheduler.within(ended, this.#host.runtime.now() + timeoutMillis);
  }

  /**
   * Whether spans that were sent in so many bytes can be held without scoring another trace early: for faces that can
   * tell their senders to wait. Windows of finished traces are closed for it.
   */
  hasRoom(bytes: number): boolean {
    const hasRoom = makeRoom(this.#traces, this.#sessions, this.#options.limits, bytes);
    if (this.#traces.hasWork || this.#sessions.hasWork) this.#wake(this.#clock.read());
    return hasRoom;
  }

  /** The trace that is held under this id, as an object that stands for it and no other; undefined where none is. */
  unitOf(traceId: string): object | undefined {
    return this.#traces.get(traceId);
  }

  /** Units that begin from now on were scored before, or not. Of one that was nothing is said; its spans are followed. */
  set replaying(replaying: boolean) {
    this.#traces.replaying = replaying;
    this.#sessions.replaying = replaying;
  }

  /**
   * A trace that was finished elsewhere joins its session, for the first time or again under its `key`; or, with none, it
   * turned out to belong to another. Gives the session, as {@link unitOf} does traces; undefined where nobody scores it.
   */
  join(sessionId: string, key: string, trace: SessionTrace | undefined): SessionEntry | undefined {
    if (this.#closed) return undefined;
    const now = this.#clock.read();
    const session =
      trace === undefined ? this.#sessions.part(sessionId, key) : this.#units.join(sessionId, key, trace, 0);
    this.#relieve();
    this.#scheduler.wakeBy(this.#sessions.hasWork ? now : this.nextDeadline, now);
    return session;
  }

  /** When something is due next, by the engine's clock; infinite where nothing is waited for. */
  get nextDeadline(): number {
    return Math.min(this.#traces.nextDeadline, this.#sessions.nextDeadline);
  }

  /**
   * For how many milliseconds there has always been something left to score; 0 where there is not. Scoring yields to the
   * host, and gets a small part of a busy event loop: a face that takes spans from senders has to yield to scoring in turn.
   */
  get behindMillis(): number {
    return this.#scheduler.behindMillis;
  }

  /** Has everything scored that is due by now, for faces with a clock of their own; asynchronous scorers are not waited for. */
  async catchUp(): Promise<void> {
    await this.#scheduler.settle(NO_WORK, Number.POSITIVE_INFINITY);
  }

  /** Lets go of everything, unscored: somebody else follows it. */
  abandon(): void {
    this.#closed = true;
    this.#scheduler.stop();
    this.#slices.stop();
  }

  stats(): TrajectoryStats {
    return this.#books.stats(this.#traces, this.#sessions, this.#scoring.counts());
  }

  /** Counts a fault and hands it to the face. */
  problem(kind: string, error: unknown): void {
    this.#books.problems[kind] = (this.#books.problems[kind] ?? 0) + 1;
    try {
      this.#host.problem(kind, error);
    } catch {
      // The fault is counted; a face that cannot say it must not make it worse.
    }
  }

  /** Outside the sample nothing is held, unless a session that is inside may need it. */
  #follows(traceId: string): boolean {
    const ratio = this.#options.sampleRatio;
    return ratio >= 1 || inSample(traceId, ratio) || (ratio > 0 && this.#units.scoresSessions);
  }

  #took(outcome: EndOutcome): void {
    if (outcome === "held") return;
    if (outcome === "held_late" || outcome === "late") this.#books.late += 1;
    if (outcome !== "held_late") this.#books.dropped[outcome] += 1;
  }

  #turnAway(root: boolean): void {
    this.#books.seen += 1;
    if (this.#closed) {
      this.#books.dropped.after_shutdown += 1;
      return;
    }
    this.#books.dropped.not_sampled += 1;
    if (root) this.#units.skip();
  }

  #relieve(): void {
    const { maxBufferedBytes: maxBytes } = this.#options.limits;
    if (!isOverLimit(this.#traces, this.#sessions, maxBytes)) return;
    const now = this.#clock.read();
    relieve(this.#traces, this.#sessions, maxBytes, now, (entry) => this.#units.drop(entry));
    this.#wake(now);
  }

  #wake(now: number): void {
    if (this.#traces.hasWork || this.#sessions.hasWork) this.#scheduler.wakeBy(now, now);
    else this.#scheduler.wakeBy(this.#traces.nextDeadline, now);
  }

  #advance(): void {
    const now = this.#clock.read();
    for (const buffer of [this.#traces, this.#sessions]) this.#guard("buffer", () => buffer.advance(now));
  }

  #step(): boolean {
    const work = this.#work.next();
    if (work === undefined) return false;
    this.#guard(work.kind, () => {
      if (work.kind === "closed") this.#units.close(work.entry);
      else {
        work.slices ??=
          work.kind === "trace" ? this.#units.scoreTrace(work.entry) : this.#units.scoreSession(work.entry);
        if (work.slices.next().done !== true) this.#work.goOn(work);
      }
    });
    return true;
  }

  async #finishAll(cause: "drain" | "shutdown", timeoutMillis: number): Promise<void> {
    const deadline = this.#host.runtime.now() + timeoutMillis;
    this.#traces.finishAll(cause, this.#clock.read());
    // What hangs must not use up the time of what does not.
    await this.#scheduler.settle(this.#scoring.pending, timeoutMillis * TRACES_SHARE);
    this.#sessions.finishAll(cause === "shutdown" ? "shutdown" : undefined);
    this.#traces.closeAll();
    await this.#scheduler.settle(this.#scoring.pending, deadline - this.#host.runtime.now());
    this.#endings.release();
    const spans = this.#traces.heldCount + this.#books.assembling + this.#sessions.heldCount;
    const units = this.#scoring.pending.size;
    if (spans + units === 0) return;
    const took = Math.round(this.#host.runtime.now() - deadline + timeoutMillis);
    const left = `${spans} spans and ${units} units`;
    this.#host.notice(cause, `${cause}: after ${took} ms ${left} were not scored yet`);
  }

  #guard(kind: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.problem(kind, error);
    }
  }
}
