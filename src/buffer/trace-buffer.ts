import type { HeldSpan } from "../model/held-span.ts";
import type { PlainPlace } from "../model/plain-facts.ts";
import { ageLimit, causeAt, dueAt, markActive, rootsEnded, wasActive, windowEnds } from "./completion.ts";
import { Deadlines } from "./deadlines.ts";
import { GoneTraces } from "./gone-traces.ts";
import { isPlain } from "./held-spans.ts";
import { Holdings } from "./holdings.ts";
import { IdleList } from "./idle-list.ts";
import type { BufferLimits } from "./limits.ts";
import { OpenSpan } from "./open-span.ts";
import { Outbox } from "./outbox.ts";
import { HELD } from "./span-index.ts";
import { type FinishCause, TraceEntry } from "./trace-entry.ts";

/** What became of an ended span. `late` spans joined nothing and are only counted. */
export type EndOutcome = "held" | "held_late" | "late" | "duplicate" | "span_limit";

/** Estimated bytes of a trace without its spans. */
const TRACE_BYTES = 800;

/**
 * Spans by trace: a bounded state machine without a clock or a timer; methods take `now`.
 *
 * | state | until |
 * | --- | --- |
 * | open | every local root has ended and no started span is open; or the roots have ended and `lateSpanMillis` went by; or nothing came for `openIdleMillis` (`idleMillis` where no start was seen); or `maxTraceMillis`; or it is evicted, flushed, drained, shut down |
 * | finished | `lateWindowMillis` went by and none of its spans is open; late spans make it ready again after `lateSpanMillis` of quiet |
 * | closed | for good: a span with no parent or a remote one starts a new unit, any other is only counted |
 *
 * Nothing is deleted silently: `takeReady` and `takeClosed` hand over what wants scoring and what is over, and every
 * ended span's outcome is returned. Cost per span O(1), O(log n) when a deadline moves forward.
 */
export class TraceBuffer {
  readonly #limits: BufferLimits;
  readonly #traces = new Map<string, TraceEntry>();
  readonly #deadlines: Deadlines<TraceEntry>;
  readonly #open = new IdleList<TraceEntry>();
  readonly #finished = new IdleList<TraceEntry>();
  readonly #gone: GoneTraces;
  /** The trace that was looked up last: spans of one trace come in runs. */
  #last: TraceEntry | undefined;
  readonly #outbox = new Outbox();
  #serial = 0;
  /** What is held, in spans and bytes. */
  readonly holdings: Holdings = new Holdings();
  /** Traces that begin now were scored before. */
  replaying = false;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
    this.#gone = new GoneTraces(2 * limits.maxFinishedTraces);
    this.#deadlines = new Deadlines((entry) => dueAt(entry, limits));
  }

  get openCount(): number {
    return this.#open.size;
  }

  get finishedCount(): number {
    return this.#finished.size;
  }

  /** Ended spans held and not yet released to scorers. */
  get heldCount(): number {
    return this.holdings.held;
  }

  /** When to look again at the latest; infinite when there is nothing to wait for. */
  get nextDeadline(): number {
    return this.#deadlines.next ?? Number.POSITIVE_INFINITY;
  }

  get hasWork(): boolean {
    return this.#outbox.hasWork;
  }

  get(traceId: string): TraceEntry | undefined {
    const last = this.#last;
    if (last !== undefined && last.trace_id === traceId) return last;
    const entry = this.#traces.get(traceId);
    if (entry !== undefined) this.#last = entry;
    return entry;
  }

  /** Traces that have not been read for scoring yet, in no particular order. */
  *unreadTraces(): IterableIterator<TraceEntry> {
    for (const entry of this.#traces.values()) if (entry.readings === 0) yield entry;
  }

  /**
   * A span started. Gives what {@link end} wants back, or undefined when the span came too late, is one too many, or
   * has ended before.
   */
  start(traceId: string, spanId: string, parentId: string, remote: boolean, now: number): OpenSpan | undefined {
    let entry = this.get(traceId);
    if (entry === undefined) {
      if (this.#gone.isLate(traceId, spanId, parentId, remote)) return undefined;
      entry = this.#create(traceId, spanId, now, true);
    } else if (!entry.start_seen) {
      entry.start_seen = true;
      // Whoever has seen a start waits for other things, and perhaps not as long.
      this.#deadlines.set(entry);
    }
    markActive(entry, now);
    this.#started(entry);
    return this.#track(entry, spanId, parentId, remote);
  }

  /**
   * A span started beneath one that is open here: it is counted, and known by nothing until a span is started beneath
   * it in turn ({@link promote}).
   */
  startBeneath(entry: TraceEntry): void {
    entry.open_count += 1;
    entry.stirred = true;
    this.#started(entry);
  }

  /** A span that was only counted has become a parent: from now on it is known by its id. */
  promote(entry: TraceEntry, spanId: string): OpenSpan {
    const span = new OpenSpan(entry, spanId, false);
    this.holdings.know(span);
    return span;
  }

  /** A span that was only counted ended, a leaf; it is let go, or held as `leaf`. False: the trace hangs on it, or no room. */
  endLeaf(entry: TraceEntry, leaf: PlainPlace | undefined, seq: number): boolean {
    // Something else is open, its parent or another root, so that the trace is not finished by this.
    if (entry.state !== "open" || entry.open_count < 2) return false;
    if (leaf !== undefined) {
      if (!this.holdings.keepLeaf(entry, leaf, seq, this.#limits.maxSpansPerTrace)) return false;
    } else if (entry.keep_leaves) return false;
    else this.holdings.count(entry);
    entry.open_count -= 1;
    entry.stirred = true;
    this.#open.touch(entry);
    return true;
  }

  /** A span that was let go as a leaf is held after all; it has been counted already. */
  readBack(entry: TraceEntry, span: HeldSpan): void {
    this.holdings.add(entry, span);
    entry.dirty = true;
  }

  /**
   * A span ended in a trace that goes on, its parent or another root being open: then nothing is to be timed. False where
   * that is not so, and the span is to be given to {@link end}.
   */
  endWithin(started: OpenSpan | TraceEntry, ended: HeldSpan): boolean {
    const isKnown = started instanceof OpenSpan;
    const entry = isKnown ? started.entry : started;
    if (entry.state !== "open" || entry.open_count < 2) return false;
    if (!entry.spans.hasRoom(ended, this.#limits.maxSpansPerTrace, !isKnown)) return false;
    if (isKnown) {
      if (started.root || !started.open) return false;
      this.holdings.forget(started);
    }
    entry.open_count -= 1;
    entry.stirred = true;
    this.holdings.keep(entry, ended);
    this.#open.touch(entry);
    return true;
  }

  /**
   * A span ended. `started` is what {@link start} gave for it, or the trace in which it was only counted, where the
   * caller has that at hand.
   */
  end(ended: HeldSpan, now: number, started?: OpenSpan | TraceEntry | undefined): EndOutcome {
    const { trace_id: traceId } = ended;
    let entry = started instanceof OpenSpan ? started.entry : started;
    // Its own trace is over; another one under the same id is none of its business.
    if (entry?.state === "closed") return this.#tooLate(ended);
    entry ??= this.get(traceId);
    if (entry === undefined) {
      if (this.#gone.isLate(traceId, ended.span_id, ended.parent_id, ended.remote_parent)) return this.#tooLate(ended);
      entry = this.#create(traceId, ended.span_id, now, false);
    }
    markActive(entry, now);
    const outcome = this.#hold(entry, ended, now, started);
    if (entry.state === "open") this.#settle(entry, now);
    else if (entry.dirty && entry.readings > 0) {
      entry.reread_at = Math.min(now + this.#limits.lateSpanMillis, ageLimit(entry, this.#limits));
      this.#deadlines.set(entry);
    }
    return outcome;
  }

  /** Lets every deadline that has passed take effect. */
  advance(now: number): void {
    for (let entry = this.#deadlines.take(now); entry !== undefined; entry = this.#deadlines.take(now)) {
      if (entry.state !== "open") this.#window(entry, now);
      else {
        const cause = causeAt(entry, now, this.#limits);
        if (cause !== "idle" || !wasActive(entry, now, this.#limits)) this.#finish(entry, cause, now);
        else this.#deadlines.set(entry);
      }
    }
  }

  /** Finishes the traces whose roots have ended; leaves open ones alone. */
  flush(now: number): void {
    for (const entry of this.#traces.values()) {
      if (entry.state === "open") {
        if (rootsEnded(entry)) this.#finish(entry, "flush", now);
      } else if (entry.dirty) this.#outbox.ready(entry);
    }
  }

  /** Finishes every open trace. */
  finishAll(cause: "drain" | "shutdown", now: number): void {
    for (const entry of this.#traces.values()) {
      if (entry.state === "open") this.#finish(entry, cause, now);
      else if (entry.dirty) this.#outbox.ready(entry);
    }
  }

  /** Closes every window. */
  closeAll(): void {
    for (const entry of [...this.#traces.values()]) this.#close(entry);
  }

  /** When the longest idle open trace last saw a span; infinite when there is none. */
  get oldestIdleAt(): number {
    return this.#open.oldest?.last_at ?? Number.POSITIVE_INFINITY;
  }

  /** Forgets the finished trace whose window opened first, which costs only late spans; false when there is none. */
  closeOldestWindow(): boolean {
    const oldest = this.#finished.oldest;
    if (oldest !== undefined) this.#close(oldest);
    return oldest !== undefined;
  }

  /** Scores the longest idle open trace as it stands, and lets its memory go; false when there is none. */
  evictOldest(now: number): boolean {
    const oldest = this.#open.oldest;
    if (oldest === undefined) return false;
    this.#finish(oldest, "evicted", now);
    this.#close(oldest);
    return true;
  }

  /** Gives up the trace that has waited longest to be scored, among those whose windows are over; undefined: none. */
  dropOldestReady(): TraceEntry | undefined {
    return this.#outbox.dropOldest();
  }

  /** A trace that is over has been scored, or never will be. */
  letGo(entry: TraceEntry): void {
    entry.clear();
    this.holdings.letGo(entry);
  }

  /** Traces to score, each once, in the order in which they became ready. */
  takeReady(): readonly TraceEntry[] {
    return this.#outbox.takeReady();
  }

  /** Traces whose window is over; those that are ready as well are to be scored first. */
  takeClosed(): readonly TraceEntry[] {
    return this.#outbox.takeClosed();
  }

  /** The trace has been read for scoring: gives how many held spans that releases. */
  release(entry: TraceEntry): number {
    return this.holdings.release(entry);
  }

  #tooLate(ended: HeldSpan): EndOutcome {
    this.#gone.came(ended);
    return "late";
  }

  #create(traceId: string, spanId: string, now: number, startSeen: boolean): TraceEntry {
    while (this.#open.size >= this.#limits.maxTraces) this.#finish(this.#open.oldest as TraceEntry, "evicted", now);
    const entry = new TraceEntry(traceId, spanId, this.#serial, now, this.replaying);
    this.#serial += 1;
    entry.start_seen = startSeen;
    this.#traces.set(traceId, entry);
    this.#last = entry;
    this.holdings.grow(entry, TRACE_BYTES);
    this.#open.add(entry);
    this.#deadlines.set(entry);
    return entry;
  }

  /** Something started in the trace. */
  #started(entry: TraceEntry): void {
    if (entry.state === "open") this.#open.touch(entry);
    else if (entry.readings === 0 && entry.cause === "complete") this.#reopen(entry);
  }

  #track(entry: TraceEntry, spanId: string, parentId: string, remote: boolean): OpenSpan | undefined {
    const { index } = entry;
    const known = index.find(spanId);
    if (known !== undefined) return known === HELD ? undefined : known;
    if (index.open_count >= this.#limits.maxSpansPerTrace) {
      entry.addReason("spans_dropped");
      entry.refused += 1;
      return undefined;
    }
    const root = entry.isRoot(parentId, remote);
    const span = new OpenSpan(entry, spanId, root);
    this.holdings.know(span);
    entry.open_count += 1;
    if (root) {
      entry.open_roots += 1;
      entry.roots_ended_at = undefined;
    }
    return span;
  }

  #hold(entry: TraceEntry, ended: HeldSpan, now: number, started: OpenSpan | TraceEntry | undefined): EndOutcome {
    const { index } = entry;
    if (started === entry) entry.open_count -= 1;
    else {
      const span = started instanceof OpenSpan && started.entry === entry ? started : index.find(ended.span_id);
      if (span === HELD || span?.open === false) return "duplicate";
      if (span !== undefined) {
        this.holdings.forget(span);
        entry.open_count -= 1;
        this.holdings.takeBack(span);
        if (span.root) this.#rootEnded(entry, now);
        // Its start may have been seen on another object than this one; then it was only counted.
      } else if (started === undefined && entry.refused > 0) entry.refused -= 1;
      else if (started === undefined && entry.anonymous > 0) entry.open_count -= 1;
    }
    if (!entry.spans.hasRoom(ended, this.#limits.maxSpansPerTrace, started === entry)) {
      // Nothing hangs on a leaf that says nothing.
      if (started === entry && isPlain(ended)) {
        this.holdings.count(entry);
        return "held";
      }
      entry.addReason("spans_dropped");
      return "span_limit";
    }
    this.holdings.keep(entry, ended);
    return entry.readings > 0 ? "held_late" : "held";
  }

  #rootEnded(entry: TraceEntry, now: number): void {
    entry.open_roots -= 1;
    if (entry.open_roots > 0) return;
    entry.roots_ended_at = now;
    if (entry.state === "open" && entry.open_count > 0) this.#deadlines.set(entry);
  }

  /** An open trace changed: it is finished, or it has just been active. */
  #settle(entry: TraceEntry, now: number): void {
    if (entry.open_count === 0 && entry.start_seen) this.#finish(entry, "complete", now);
    else this.#open.touch(entry);
  }

  #finish(entry: TraceEntry, cause: FinishCause, now: number): void {
    entry.state = "finished";
    entry.cause = cause;
    if (cause === "evicted" || cause === "shutdown") entry.addReason(cause);
    entry.window_until = now + this.#limits.lateWindowMillis;
    this.#open.delete(entry);
    this.#finished.add(entry);
    this.#deadlines.set(entry);
    this.#outbox.ready(entry);
    if (this.#finished.size > this.#limits.maxFinishedTraces) this.#close(this.#finished.oldest as TraceEntry);
  }

  /** A span started before the finished trace was read: it was not finished after all. */
  #reopen(entry: TraceEntry): void {
    entry.state = "open";
    this.#finished.delete(entry);
    this.#open.add(entry);
    this.#deadlines.set(entry);
  }

  #window(entry: TraceEntry, now: number): void {
    if (entry.reread_at !== undefined && entry.reread_at <= now) {
      entry.reread_at = undefined;
      if (entry.dirty) this.#outbox.ready(entry);
    }
    if (windowEnds(entry, this.#limits) <= now) this.#close(entry);
    else this.#deadlines.set(entry);
  }

  #close(entry: TraceEntry): void {
    if (entry.state !== "finished") return;
    if (entry.dirty) this.#outbox.ready(entry);
    entry.state = "closed";
    this.#finished.delete(entry);
    this.#deadlines.delete(entry);
    this.#traces.delete(entry.trace_id);
    if (this.#last === entry) this.#last = undefined;
    this.#gone.add(entry);
    this.holdings.close(entry);
    this.#outbox.closed(entry);
  }
}
