import type { SpanFacts } from "../model/span.ts";
import { Deadlines } from "./deadlines.ts";
import { IdleList } from "./idle-list.ts";
import type { BufferLimits } from "./limits.ts";
import { RecentIds } from "./recent-ids.ts";
import { type FinishCause, TraceEntry } from "./trace-entry.ts";

/** What became of an ended span. `late` spans joined nothing and are only counted. */
export type EndOutcome = "held" | "held_late" | "late" | "duplicate" | "span_limit";

/**
 * Spans by trace: a bounded state machine without a clock or a timer of its own; every method takes `now`.
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
  readonly #deadlines = new Deadlines<TraceEntry>();
  readonly #open = new IdleList<TraceEntry>();
  readonly #finished = new IdleList<TraceEntry>();
  readonly #gone: RecentIds;
  #ready: TraceEntry[] = [];
  #closed: TraceEntry[] = [];
  #serial = 0;
  #bytes = 0;
  #held = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
    this.#gone = new RecentIds(2 * limits.maxFinishedTraces);
  }

  get openCount(): number {
    return this.#open.size;
  }

  get finishedCount(): number {
    return this.#finished.size;
  }

  /** Ended spans held and not yet released to scorers. */
  get heldCount(): number {
    return this.#held;
  }

  /** Estimated bytes of all spans in open and finished traces. */
  get bytes(): number {
    return this.#bytes;
  }

  get nextDeadline(): number | undefined {
    return this.#deadlines.next;
  }

  get hasWork(): boolean {
    return this.#ready.length > 0 || this.#closed.length > 0;
  }

  get(traceId: string): TraceEntry | undefined {
    return this.#traces.get(traceId);
  }

  /** Traces that have not been read for scoring yet, in no particular order. */
  *unreadTraces(): IterableIterator<TraceEntry> {
    for (const entry of this.#traces.values()) if (entry.readings === 0) yield entry;
  }

  /** A span started. Gives the trace that it belongs to, or undefined when it came too late to matter. */
  start(traceId: string, spanId: string, parentId: string, remote: boolean, now: number): TraceEntry | undefined {
    let entry = this.#traces.get(traceId);
    if (entry === undefined) {
      if (this.#isLate(traceId, parentId, remote)) return undefined;
      entry = this.#create(traceId, spanId, now);
    }
    entry.start_seen = true;
    entry.last_at = now;
    if (!entry.open.has(spanId) && !entry.ended.has(spanId)) this.#track(entry, spanId, parentId, remote);
    if (entry.state === "open") this.#settle(entry, now);
    else if (entry.readings === 0 && entry.cause === "complete") this.#reopen(entry, now);
    return entry;
  }

  /** A span ended. */
  end(facts: SpanFacts, now: number): EndOutcome {
    let entry = this.#traces.get(facts.trace_id);
    if (entry === undefined) {
      if (this.#isLate(facts.trace_id, facts.parent_id, facts.remote_parent)) return "late";
      entry = this.#create(facts.trace_id, facts.span_id, now);
    }
    entry.last_at = now;
    this.#untrack(entry, facts.span_id, now);
    const outcome = this.#hold(entry, facts);
    if (entry.state === "open") this.#settle(entry, now);
    else if (entry.dirty && entry.readings > 0) this.#deadlines.set(entry, this.#lateDeadline(entry, now));
    return outcome;
  }

  /** Lets every deadline that has passed take effect. */
  advance(now: number): void {
    for (let entry = this.#deadlines.take(now); entry !== undefined; entry = this.#deadlines.take(now)) {
      if (entry.state === "open") this.#finish(entry, this.#causeAt(entry, now), now);
      else this.#window(entry, now);
    }
  }

  /** Finishes the traces whose roots have ended; leaves open ones alone. */
  flush(now: number): void {
    for (const entry of this.#traces.values()) {
      if (entry.state === "open") {
        if (rootsEnded(entry)) this.#finish(entry, "flush", now);
      } else if (entry.dirty) this.#makeReady(entry);
    }
  }

  /** Finishes every open trace. */
  finishAll(cause: "drain" | "shutdown", now: number): void {
    for (const entry of this.#traces.values()) {
      if (entry.state === "open") this.#finish(entry, cause, now);
      else if (entry.dirty) this.#makeReady(entry);
    }
  }

  /** Closes every window. */
  closeAll(): void {
    for (const entry of [...this.#traces.values()]) if (entry.state === "finished") this.#close(entry);
  }

  /** When the longest idle open trace last saw a span. */
  get oldestIdleAt(): number | undefined {
    return this.#open.oldest?.last_at;
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

  /** Traces to score, each once, in the order in which they became ready. */
  takeReady(): TraceEntry[] {
    const ready = this.#ready;
    this.#ready = [];
    for (const entry of ready) entry.ready = false;
    return ready.filter((entry) => entry.state !== "open");
  }

  /** Traces whose window is over; those that are ready as well are to be scored first. */
  takeClosed(): TraceEntry[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }

  /** The trace has been read for scoring: gives how many held spans that releases. */
  release(entry: TraceEntry): number {
    const released = entry.held;
    entry.held = 0;
    entry.dirty = false;
    entry.readings += 1;
    this.#held -= released;
    return released;
  }

  #isLate(traceId: string, parentId: string, remote: boolean): boolean {
    return parentId !== "" && !remote && this.#gone.has(traceId);
  }

  #create(traceId: string, spanId: string, now: number): TraceEntry {
    while (this.#open.size >= this.#limits.maxTraces) this.#finish(this.#open.oldest as TraceEntry, "evicted", now);
    const entry = new TraceEntry(traceId, spanId, this.#serial, now);
    this.#serial += 1;
    this.#traces.set(traceId, entry);
    this.#open.add(entry);
    return entry;
  }

  #track(entry: TraceEntry, spanId: string, parentId: string, remote: boolean): void {
    if (entry.open.size >= this.#limits.maxSpansPerTrace) {
      entry.reasons.add("spans_dropped");
      return;
    }
    const root = parentId === "" || remote || !(entry.open.has(parentId) || entry.ended.has(parentId));
    entry.open.set(spanId, root);
    if (!root) return;
    entry.open_roots += 1;
    entry.roots_ended_at = undefined;
  }

  #untrack(entry: TraceEntry, spanId: string, now: number): void {
    const root = entry.open.get(spanId);
    if (root === undefined) return;
    entry.open.delete(spanId);
    if (!root) return;
    entry.open_roots -= 1;
    if (entry.open_roots === 0) entry.roots_ended_at = now;
  }

  #hold(entry: TraceEntry, facts: SpanFacts): EndOutcome {
    if (entry.ended.has(facts.span_id)) return "duplicate";
    if (entry.spans.length >= this.#limits.maxSpansPerTrace) {
      entry.reasons.add("spans_dropped");
      return "span_limit";
    }
    entry.spans.push(facts);
    entry.ended.add(facts.span_id);
    entry.bytes += facts.bytes;
    entry.held += 1;
    entry.dirty = true;
    this.#bytes += facts.bytes;
    this.#held += 1;
    return entry.readings > 0 ? "held_late" : "held";
  }

  /** An open trace changed: it is finished, or its deadline moves. */
  #settle(entry: TraceEntry, now: number): void {
    if (entry.start_seen && entry.open.size === 0) {
      this.#finish(entry, "complete", now);
      return;
    }
    this.#open.touch(entry);
    this.#deadlines.set(entry, this.#openDeadline(entry));
  }

  #openDeadline(entry: TraceEntry): number {
    const { lateSpanMillis, openIdleMillis, idleMillis, maxTraceMillis } = this.#limits;
    const due = !entry.start_seen
      ? entry.last_at + idleMillis
      : entry.roots_ended_at !== undefined
        ? entry.roots_ended_at + lateSpanMillis
        : entry.last_at + openIdleMillis;
    return Math.min(due, entry.created_at + maxTraceMillis);
  }

  #lateDeadline(entry: TraceEntry, now: number): number {
    return Math.max(now, Math.min(now + this.#limits.lateSpanMillis, entry.created_at + this.#limits.maxTraceMillis));
  }

  #causeAt(entry: TraceEntry, now: number): FinishCause {
    if (now >= entry.created_at + this.#limits.maxTraceMillis) return "age";
    return entry.start_seen && entry.roots_ended_at !== undefined ? "late_spans" : "idle";
  }

  #finish(entry: TraceEntry, cause: FinishCause, now: number): void {
    entry.state = "finished";
    entry.cause = cause;
    if (cause === "evicted" || cause === "shutdown") entry.reasons.add(cause);
    entry.window_until = now + this.#limits.lateWindowMillis;
    this.#open.delete(entry);
    this.#finished.add(entry);
    this.#deadlines.set(entry, entry.window_until);
    this.#makeReady(entry);
    if (this.#finished.size > this.#limits.maxFinishedTraces) this.#close(this.#finished.oldest as TraceEntry);
  }

  /** A new root came before the finished trace was read: it was not finished after all. */
  #reopen(entry: TraceEntry, now: number): void {
    entry.state = "open";
    this.#finished.delete(entry);
    this.#open.add(entry);
    this.#settle(entry, now);
  }

  #window(entry: TraceEntry, now: number): void {
    if (entry.dirty) this.#makeReady(entry);
    const age = entry.created_at + this.#limits.maxTraceMillis;
    if (entry.open.size > 0 && now < age) this.#deadlines.set(entry, Math.max(age, entry.window_until));
    else if (now < entry.window_until) this.#deadlines.set(entry, entry.window_until);
    else this.#close(entry);
  }

  #close(entry: TraceEntry): void {
    if (entry.state !== "finished") return;
    if (entry.dirty) this.#makeReady(entry);
    entry.state = "closed";
    this.#finished.delete(entry);
    this.#deadlines.delete(entry);
    this.#traces.delete(entry.trace_id);
    this.#gone.add(entry.trace_id);
    this.#bytes -= entry.bytes;
    this.#closed.push(entry);
  }

  #makeReady(entry: TraceEntry): void {
    if (entry.ready) return;
    entry.ready = true;
    this.#ready.push(entry);
  }
}

/** Whether the local roots that were seen have ended; without any start seen, whether a root ended at all. */
function rootsEnded(entry: TraceEntry): boolean {
  if (entry.start_seen) return entry.open_roots === 0;
  return entry.spans.some((span) => span.parent_id === "" || span.remote_parent);
}
