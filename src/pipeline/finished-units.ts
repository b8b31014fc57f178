import { finish, type Sliced } from "../align/sliced.ts";
import type { OpenSpan } from "../buffer/open-span.ts";
import type { SessionBuffer, SessionEntry, SessionTrace, TraceKey } from "../buffer/session-buffer.ts";
import type { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import { needsExpectation } from "../expectation/resolve.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import type { Explanation } from "../model/explanation.ts";
import { ANNOTATED } from "../model/held-span.ts";
import type { Scorer } from "../model/scorer.ts";
import type { SpanFacts, SpanView } from "../model/span.ts";
import type { IncompleteReason, Unit } from "../model/trajectory.ts";
import { isBuiltIn } from "../score/built-in.ts";
import { type AssembleOptions, assembleInSlices, assembleTrace } from "../trajectory/assemble.ts";
import { explainTrace } from "../trajectory/explain.ts";
import type { Books } from "./books.ts";
import type { EngineHost, SessionDoor } from "./engine-host.ts";
import { type EvaluationTools, evaluate } from "./evaluate.ts";
import { hookWork, isLarge, MOST_BYTES_IN_HOOK } from "./in-hook.ts";
import { Ledger } from "./ledger.ts";
import type { ResolvedEngineOptions } from "./options.ts";
import { inSample } from "./sampling.ts";
import type { Scoring } from "./scoring.ts";
import type { EmittedEvaluation } from "./sink.ts";
import { callUnits, type PreparedUnit, sessionUnit, stepUnit, trajectoryUnit } from "./units.ts";
import type { WorkList } from "./work-list.ts";

const NO_SPANS: readonly SpanFacts[] = Object.freeze([]);
const NO_IDS: ReadonlySet<string> = new Set();
const NOTHING: readonly EmittedEvaluation[] = Object.freeze([]);

/** Spans that are read at a time: until code is compiled, each may take a tenth of a millisecond. */
const SLICE_SPANS = 32;

/** The parts of an engine that scoring its units takes. */
export interface FinishedUnitsParts {
  readonly options: ResolvedEngineOptions;
  readonly host: EngineHost;
  readonly traces: TraceBuffer;
  readonly sessions: SessionBuffer;
  readonly scoring: Scoring;
  readonly tools: EvaluationTools;
  readonly books: Books;
}

/** Reads finished traces and sessions, has them scored, and remembers what has been said of them. */
export class FinishedUnits {
  readonly #options: ResolvedEngineOptions;
  readonly #host: EngineHost;
  readonly #traces: TraceBuffer;
  readonly #sessions: SessionBuffer;
  readonly #scoring: Scoring;
  readonly #tools: EvaluationTools;
  readonly #books: Books;
  readonly #trajectoryScorers: readonly Scorer[];
  readonly #sessionScorers: readonly Scorer[];
  /** Members are read out of what LLM spans recorded, so only where somebody counts them. */
  readonly #needsMembers: boolean;
  /** Whether anything but a trace itself could say what is expected of it. */
  readonly #mayExpect: boolean;
  /** Scorers of what a trace is made of: its calls, and its steps as a unit of their own. */
  readonly #partScorers: Readonly<Record<"call" | "step", readonly Scorer[]>>;
  readonly #ledgers = new WeakMap<TraceEntry, Map<string, Ledger>>();
  readonly #joined = new WeakMap<TraceEntry, SessionEntry>();
  /** Sessions elsewhere that traces have joined, by their ids. */
  readonly #sentTo = new WeakMap<TraceEntry, string>();
  readonly #unrecorded = new Set<TraceEntry>();
  /** Traces whose window is over, and of which it has not been said. */
  readonly #over = new Set<TraceEntry>();

  constructor(parts: FinishedUnitsParts) {
    this.#options = parts.options;
    this.#host = parts.host;
    this.#traces = parts.traces;
    this.#sessions = parts.sessions;
    this.#scoring = parts.scoring;
    this.#tools = parts.tools;
    this.#books = parts.books;
    const scorersOf = (unit: Unit): readonly Scorer[] =>
      parts.options.scorers.filter((scorer) => scorer.units.includes(unit));
    this.#trajectoryScorers = scorersOf("trajectory");
    this.#sessionScorers = scorersOf("session");
    this.#partScorers = { call: scorersOf("call"), step: scorersOf("step") };
    this.#needsMembers =
      this.#partScorers.call.length > 0 || parts.options.scorers.some((scorer) => scorer.needs_members === true);
    this.#mayExpect =
      parts.host.resolver.hasSources || this.#trajectoryScorers.some((scorer) => !needsExpectation(scorer));
  }

  get scoresSessions(): boolean {
    return this.#sessionScorers.length > 0;
  }

  /** A trace outside the sample: counted for each scorer. */
  skip(): void {
    this.#scoring.skip(this.#trajectoryScorers);
  }

  /**
   * Scores a trace whose last open span, a local root, is about to end as `view` shows it; for attributes that have to
   * be written before the end. Gives what is at hand synchronously, and changes nothing.
   */
  scoreEnding(view: SpanView, started: OpenSpan, seq: number, maxSteps: number): readonly EmittedEvaluation[] {
    const { entry } = started;
    if (entry.state !== "open" || entry.open_count !== 1 || !started.root) return NOTHING;
    if (entry.bytes > MOST_BYTES_IN_HOOK) return NOTHING;
    if (!inSample(view.trace_id, this.#options.sampleRatio) || this.#host.resolver.needsWaiting()) return NOTHING;
    const root = this.#host.reader.read(view, seq, true);
    if (root.annotation === undefined && !this.mayScore(entry)) return NOTHING;
    const trace = inSession(assembleTrace([...this.read(entry), root], this.#assembling(NO_IDS)), entry);
    if (trace.kinds.length === 0) return NOTHING;
    if (trace.steps.length > maxSteps || trace.tools.length > maxSteps) return NOTHING;
    if (trace.annotations.some(isLarge)) return NOTHING;
    const { unit, occurrence, request } = trajectoryUnit(trace, reasonsOf(entry, trace, false), entry.contextual);
    const goOn = hookWork(this.#tools.runtime);
    const ledger = new Ledger(entry.first_span_id);
    const emitted: EmittedEvaluation[] = [];
    for (const scorer of this.#trajectoryScorers) {
      if (!isBuiltIn(scorer) || !this.#host.resolver.isSynchronous(request, scorer)) continue;
      const evaluation = evaluate(occurrence, request, scorer, { ...this.#tools, goOn });
      if (evaluation instanceof Promise) continue;
      const posted = ledger.post(unit, evaluation, 1).emitted;
      if (posted !== undefined) emitted.push(posted);
    }
    return emitted;
  }

  /** Whether anything could be said of the trace's score: it is expected of, or may be, by something other than its root. */
  mayScore(entry: TraceEntry): boolean {
    return this.#mayExpect || (entry.says & ANNOTATED) !== 0 || entry.contextual.length > 0;
  }

  /** The ended spans that are held of a trace; those that have not been read yet are read, once. */
  read(entry: TraceEntry): readonly SpanFacts[] {
    return finish(this.#readInSlices(entry, Number.POSITIVE_INFINITY));
  }

  /** The same, as work that pauses after every so many spans; what comes meanwhile is read as well. */
  #readInSlices(entry: TraceEntry, every: number): Sliced<readonly SpanFacts[]> {
    return entry.spans.read((held) => this.#host.reader.factsOf(held), every);
  }

  /** Roots that are still open, by what they said at their start. */
  #saidByOpen(entry: TraceEntry): readonly SpanFacts[] {
    return entry.open_count === 0 ? NO_SPANS : entry.index.said().map((said) => this.#host.reader.factsOf(said));
  }

  explain(entry: TraceEntry): Explanation {
    return explainTrace(this.read(entry), {
      ...this.#assembling(entry.index.openIds()),
      letGo: entry.spans_ended - entry.spans.length,
    });
  }

  #assembling(open: ReadonlySet<string>): AssembleOptions {
    return {
      ...this.#options.trajectory,
      defaultEgress: this.#options.defaultEgress,
      openSpanIds: open,
      members: this.#needsMembers,
    };
  }

  /** Scores a trace that is ready, for the first time or again, and adds it to its session. */
  *scoreTrace(entry: TraceEntry): Sliced<undefined> {
    if (entry.silent) {
      this.#books.released += this.#traces.release(entry);
      return undefined;
    }
    if (hasNothingNew(entry)) return undefined;
    const read = yield* this.#readInSlices(entry, SLICE_SPANS);
    // It goes on after all, and will be ready again; or it was dropped meanwhile.
    if (entry.state === "open" || hasNothingNew(entry)) return undefined;
    const taken = this.#traces.release(entry);
    const { traces } = this.#books;
    try {
      yield* this.#scoreRead(entry, read, taken);
    } finally {
      if (entry.readings > 1) traces.revised += 1;
      else traces.scored += 1;
      if (entry.readings === 1 && entry.cause === "evicted") traces.evicted += 1;
    }
    return undefined;
  }

  /** Scores a trace whose spans have all been read; `taken` of them are new. */
  *#scoreRead(entry: TraceEntry, read: readonly SpanFacts[], taken: number): Sliced<undefined> {
    const isOpen = entry.open_count > 0;
    const spans = [...read, ...this.#saidByOpen(entry)];
    this.#books.assembling += taken;
    let trace: AssembledTrace;
    try {
      trace = inSession(yield* assembleInSlices(spans, this.#assembling(entry.index.openIds())), entry);
    } catch (error) {
      // The spans were handed over all the same; the fault is the engine's, and is counted as such.
      this.#books.assembling -= taken;
      this.#books.released += taken;
      throw error;
    }
    this.#books.assembling -= taken;
    const held = taken - this.#countDuplicates(entry, trace);
    const reasons = reasonsOf(entry, trace, isOpen);
    const sampled = inSample(entry.trace_id, this.#options.sampleRatio);
    const scored = sampled && this.#scoresTraces;
    const session = this.#joinSession(entry, spans, trace, reasons, scored ? 0 : held);
    if (sampled || session === "scored") this.#books.released += session === "open" && !scored ? 0 : held;
    else if (session === "none") this.#books.dropped.not_sampled += held;
    if (!sampled && entry.readings === 1) this.skip();
    this.#unrecorded.add(entry);
    const score = (prepared: PreparedUnit, scorers: readonly Scorer[], whole?: AssembledTrace): Sliced<undefined> => {
      const ledger = this.#ledgerOf(entry, prepared.unit.unit_id);
      return this.#scoring.score(prepared, scorers, ledger, entry.readings, whole, () => {
        if (entry.state === "closed") this.record(entry);
      });
    };
    yield;
    yield* score(trajectoryUnit(trace, reasons, entry.contextual), sampled ? this.#trajectoryScorers : [], trace);
    if (!sampled) return undefined;
    const { call, step } = this.#partScorers;
    if (step.length > 0) yield* score(stepUnit(trace, reasons, entry.contextual), step);
    if (call.length > 0) for (const prepared of callUnits(trace, reasons)) yield* score(prepared, call);
    return undefined;
  }

  get #scoresTraces(): boolean {
    return this.#trajectoryScorers.length + this.#partScorers.call.length + this.#partScorers.step.length > 0;
  }

  /** Ids are not looked up while spans come; what came twice shows when the trace is read. Gives how many are new. */
  #countDuplicates(entry: TraceEntry, trace: AssembledTrace): number {
    const fresh = (trace.duplicate_count ?? 0) - entry.duplicates;
    entry.duplicates += fresh;
    this.#books.dropped.duplicate += fresh;
    return fresh;
  }

  /** Adds the trace to its session. `scored`: it is part of one that is over; `none`: it has none that anybody scores. */
  #joinSession(
    entry: TraceEntry,
    spans: readonly SpanFacts[],
    trace: AssembledTrace,
    reasons: ReadonlySet<IncompleteReason>,
    held: number,
  ): "open" | "scored" | "none" {
    if (this.#sessionScorers.length === 0) return "none";
    const sessionId = trace.session_id;
    if (this.#host.sessions !== undefined) return this.#send(entry, spans, trace, reasons, this.#host.sessions);
    const before = this.#joined.get(entry);
    if (before !== undefined && before.session_id !== sessionId) this.#sessions.move(before, entry.serial);
    if (sessionId === undefined || !inSample(sessionId, this.#options.sampleRatio)) return "none";
    // A scored session is never revised: a trace that was part of it changes no other.
    if (before?.done && before.session_id === sessionId) return "scored";
    const session = this.join(sessionId, entry.serial, sessionTrace(entry, spans, trace, reasons), held);
    if (session !== undefined) this.#joined.set(entry, session);
    return "open";
  }

  /** A finished trace joins its session, which is given; undefined where nobody scores it. `held` spans wait with it. */
  join(sessionId: string, key: TraceKey, trace: SessionTrace, held: number): SessionEntry | undefined {
    if (this.#sessionScorers.length === 0 || !inSample(sessionId, this.#options.sampleRatio)) return undefined;
    const now = (this.#host.clock ?? this.#host.runtime).now();
    const session = this.#sessions.add(sessionId, key, trace, held, now);
    if (trace.trace.session_end) this.#sessions.end(sessionId);
    return session;
  }

  /** The same for sessions that are followed elsewhere: its spans are done with here. */
  #send(
    entry: TraceEntry,
    spans: readonly SpanFacts[],
    trace: AssembledTrace,
    reasons: ReadonlySet<IncompleteReason>,
    door: SessionDoor,
  ): "scored" | "none" {
    const sessionId = trace.session_id;
    const key = `${entry.trace_id}/${entry.first_span_id}`;
    const revision = entry.readings - 1;
    const before = this.#sentTo.get(entry);
    if (before !== undefined && before !== sessionId) door.part(before, key, revision);
    if (sessionId === undefined || !inSample(sessionId, this.#options.sampleRatio)) return "none";
    this.#sentTo.set(entry, sessionId);
    door.join(sessionId, key, sessionTrace(entry, spans, trace, reasons), revision);
    return "scored";
  }

  /** Scores a session that is done. */
  *scoreSession(entry: SessionEntry): Sliced<undefined> {
    this.#books.released += this.#sessions.release(entry);
    if (entry.traces.size === 0 || entry.silent) {
      this.#host.over?.(entry);
      return undefined;
    }
    try {
      const prepared = sessionUnit(entry.session_id, entry);
      const ledger = new Ledger(prepared.first_span_id);
      const done = (): void => {
        this.#scoring.record(ledger);
        this.#host.over?.(entry);
      };
      yield* this.#scoring.score(prepared, this.#sessionScorers, ledger, 1, undefined, done);
    } finally {
      this.#books.sessions.scored += 1;
      if (entry.reasons.has("evicted")) this.#books.sessions.evicted += 1;
    }
    return undefined;
  }

  #ledgerOf(entry: TraceEntry, unitId: string): Ledger {
    let ledgers = this.#ledgers.get(entry);
    if (ledgers === undefined) {
      ledgers = new Map();
      this.#ledgers.set(entry, ledgers);
    }
    let ledger = ledgers.get(unitId);
    if (ledger === undefined) {
      ledger = new Ledger(entry.first_span_id);
      ledgers.set(unitId, ledger);
    }
    return ledger;
  }

  /** Nothing that is left to do will be done: what was to be scored is counted as dropped, and all is let go of. */
  giveUp(list: Pick<WorkList, "next">): void {
    for (let work = list.next(); work !== undefined; work = list.next()) {
      if (work.kind === "closed") this.close(work.entry);
      else if (work.kind === "trace" && (this.#books.assembling > 0 || !hasNothingNew(work.entry))) {
        // What has been begun comes first.
        this.#books.dropped.backlog += this.#books.assembling;
        this.#books.assembling = 0;
        this.#drop(work.entry);
      } else if (work.slices !== undefined) work.slices.return(undefined);
      else if (work.kind === "session") this.#books.dropped.backlog += this.#sessions.release(work.entry);
    }
  }

  #drop(entry: TraceEntry): void {
    this.#books.dropped.backlog += this.#traces.release(entry);
    this.#books.traces.dropped += 1;
    this.#scoring.tell((sink) => sink.unitDropped(entry.trace_id));
  }

  /** A trace that waits to be scored, and never will be. */
  drop(entry: TraceEntry): void {
    this.#drop(entry);
    this.#host.notice("backlog", "traces were dropped: more than maxBufferedBytes waited for a turn to be scored in");
  }

  /** A trace's window is over: it is recorded, and what is held of it is let go. */
  close(entry: TraceEntry): void {
    this.#traces.letGo(entry);
    this.#over.add(entry);
    this.record(entry);
  }

  /** Records what metrics know of every trace that has been scored. */
  recordScored(): void {
    for (const entry of [...this.#unrecorded]) this.record(entry);
  }

  /** Records one trace, unless a result of it is still on its way. */
  record(entry: TraceEntry): void {
    const ledgers = [...(this.#ledgers.get(entry)?.values() ?? [])];
    if (ledgers.some((ledger) => ledger.pending > 0)) return;
    this.#unrecorded.delete(entry);
    for (const ledger of ledgers) this.#scoring.record(ledger);
    if (this.#over.delete(entry)) this.#host.over?.(entry);
  }
}

/** The trace, in the session that its context named where it names none itself. */
function inSession(trace: AssembledTrace, { context_session: session }: TraceEntry): AssembledTrace {
  return trace.session_id !== undefined || session === undefined ? trace : { ...trace, session_id: session };
}

function sessionTrace(
  { first_span_id, contextual }: TraceEntry,
  spans: readonly SpanFacts[],
  trace: AssembledTrace,
  reasons: ReadonlySet<IncompleteReason>,
): SessionTrace {
  let bytes = 0;
  for (const span of spans) if (span.facts !== undefined) bytes += span.bytes;
  return { trace, reasons: [...reasons], first_span_id, contextual, bytes };
}

function reasonsOf(entry: TraceEntry, trace: AssembledTrace, open: boolean): ReadonlySet<IncompleteReason> {
  const reasons = new Set<IncompleteReason>([...entry.reasons, ...trace.reasons]);
  if (open) reasons.add("open_spans");
  return reasons;
}

/**
 * A trace that waits for its turn can become ready once more (a flush, the end of its window), and can be dropped: then
 * it has been read when its turn comes.
 */
function hasNothingNew(entry: TraceEntry): boolean {
  return entry.readings > 0 && !entry.dirty;
}
