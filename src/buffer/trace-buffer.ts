import type { SpanFacts } from "../model/span.ts";
import { Deadlines } from "./deadlines.ts";
import { IdleList } from "./idle-list.ts";
import type { BufferLimits } from "./limits.ts";
import { RecentIds } from "./recent-ids.ts";
import { type FinishCause, isOpen, SLOT_ENDED, SLOT_PARENT, SLOT_ROOT, TraceEntry } from "./trace-entry.ts";

/** What became of an ended span. `late` spans joined nothing and are only counted. */
export type EndOutcome = "held" | "held_late" | "late" | "duplicate" | "span_limit";

/** Estimated bytes of an id that is remembered, with the id of its parent. */
const SLOT_BYTES = 100;

/**
 * Spans by trace: a bounded state machine without a clock or a timer of its own; every method takes `now`. Hooks may pass a time that
 * is only known to be no later than now (`sure` false); then idleness is measured anew from when it is first noticed.
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
  readonly #gone: RecentIds;
  /** The trace that was looked up last: spans of one trace come in runs. */
  #last: TraceEntry | undefined;
  #ready: TraceEntry[] = [];
  #closed: TraceEntry[] = [];
  #serial = 0;
  #bytes = 0;
  #held = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
    this.#gone = new RecentIds(2 * limits.maxFinishedTraces);
    this.#deadlines = new Deadlines((entry) => this.#dueOf(entry));
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

  /** When to look again at the latest; infinite when there is nothing to wait for. */
  get nextDeadline(): number {
    return this.#deadlines.next ?? Number.POSITIVE_INFINITY;
  }

  get hasWork(): boolean {
    return this.#ready.length > 0 || this.#closed.length > 0;
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

  /** A span started. Gives the trace that it belongs to, or undefined when it came too late to matter. */
  start(
    traceId: string,
    spanId: string,
    parentId: string,
    remote: boolean,
    now: number,
    sure = true,
  ): TraceEntry | undefined {
    let entry = this.get(traceId);
    if (entry === undefined) {
      if (this.#isLate(traceId, parentId, remote)) return undefined;
      entry = this.#create(traceId, spanId, now);
    }
    entry.last_at = now;
    entry.last_unsure = !sure;
    this.#track(entry, spanId, parentId, remote);
    if (entry.state === "open") this.#open.touch(entry);
    else if (entry.readings === 0 && entry.cause === "complete") this.#reopen(entry);
    return entry;
  }

  /**
   * A span of an open trace ended that is nothing but a place in the tree: it was started, nothing was started beneath
   * it, and its parent is known. It is let go, and only its id is remembered. False where it is not such a span.
   */
  endLeaf(entry: TraceEntry, spanId: string, parentId: string, now: number, sure: boolean): boolean {
    const { slots } = entry;
    // Something else is open, its parent or another root, so that the trace is not finished by this.
    if (entry.open_count < 2 || slots.get(spanId) !== 0 || !slots.has(parentId)) return false;
    if (entry.spans_ended >= this.#limits.maxSpansPerTrace) return false;
    entry.last_at = now;
    entry.last_unsure = !sure;
    entry.open_count -= 1;
    slots.delete(spanId);
    entry.leaves.add(spanId, parentId);
    this.#count(entry);
    this.#open.touch(entry);
    return true;
  }

  /** A span ended. */
  end(facts: SpanFacts, now: number, sure = true): EndOutcome {
    const { trace_id: traceId, span_id: spanId } = facts;
    let entry = this.get(traceId);
    if (entry === undefined) {
      if (this.#isLate(traceId, facts.parent_id, facts.remote_parent)) return "late";
      entry = this.#create(traceId, spanId, now);
    }
    entry.last_at = now;
    entry.last_unsure = !sure;
    const outcome = this.#hold(entry, facts, now);
    if (entry.state === "open") this.#settle(entry, now);
    else if (entry.dirty && entry.readings > 0) {
      entry.reread_at = Math.min(now + this.#limits.lateSpanMillis, this.#ageLimit(entry));
      this.#deadlines.set(entry);
    }
    return outcome;
  }

  /** Lets every deadline that has passed take effect. */
  advance(now: number): void {
    for (let entry = this.#deadlines.take(now); entry !== undefined; entry = this.#deadlines.take(now)) {
      if (entry.state !== "open") this.#window(entry, now);
      else {
        const cause = this.#causeAt(entry, now);
        if (cause !== "idle" || !entry.last_unsure) this.#finish(entry, cause, now);
        else this.#waitAgain(entry, now);
      }
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
    this.#last = entry;
    this.#open.add(entry);
    this.#deadlines.set(entry);
    return entry;
  }

  #track(entry: TraceEntry, spanId: string, parentId: string, remote: boolean): void {
    entry.start_seen = true;
    const { slots } = entry;
    const parent = parentId === "" || remote ? undefined : slots.get(parentId);
    const root = parent === undefined && (remote || parentId === "" || entry.leaves.parentOf(parentId) === undefined);
    const before = slots.size;
    if (entry.open_count < this.#limits.maxSpansPerTrace && !slots.has(spanId)) slots.set(spanId, root ? SLOT_ROOT : 0);
    if (slots.size === before) {
      if (!slots.has(spanId)) entry.addReason("spans_dropped");
      return;
    }
    entry.open_count += 1;
    this.#grow(entry, SLOT_BYTES);
    // Only an open parent needs the mark: it is asked for when the parent ends.
    if (parent === 0 || parent === SLOT_ROOT) slots.set(parentId, parent | SLOT_PARENT);
    if (!root) return;
    entry.open_roots += 1;
    entry.roots_ended_at = undefined;
  }

  #hold(entry: TraceEntry, facts: SpanFacts, now: number): EndOutcome {
    const { span_id: spanId } = facts;
    const slot = entry.slots.get(spanId);
    if (slot === undefined) {
      if (entry.leaves.parentOf(spanId) !== undefined) return "duplicate";
    } else if (!isOpen(slot)) return "duplicate";
    else this.#untrack(entry, slot, now);
    if (entry.spans_ended >= this.#limits.maxSpansPerTrace) {
      entry.addReason("spans_dropped");
      entry.slots.delete(spanId);
      return "span_limit";
    }
    entry.slots.set(spanId, SLOT_ENDED);
    entry.spans.push(facts);
    if (facts.kind !== undefined) entry.has_kind = true;
    this.#grow(entry, slot === undefined ? facts.bytes + SLOT_BYTES : facts.bytes);
    this.#count(entry);
    return entry.readings > 0 ? "held_late" : "held";
  }

  #count(entry: TraceEntry): void {
    entry.spans_ended += 1;
    entry.held += 1;
    entry.dirty = true;
    this.#held += 1;
  }

  #untrack(entry: TraceEntry, slot: number, now: number): void {
    entry.open_count -= 1;
    if ((slot & SLOT_ROOT) === 0) return;
    entry.open_roots -= 1;
    if (entry.open_roots > 0) return;
    entry.roots_ended_at = now;
    if (entry.state === "open") this.#deadlines.set(entry);
  }

  #grow(entry: TraceEntry, bytes: number): void {
    entry.bytes += bytes;
    this.#bytes += bytes;
  }

  /** An open trace changed: it is finished, or it has just been active. */
  #settle(entry: TraceEntry, now: number): void {
    if (entry.open_count === 0 && entry.start_seen) this.#finish(entry, "complete", now);
    else this.#open.touch(entry);
  }

  #dueOf(entry: TraceEntry): number {
    if (entry.state !== "open") return this.#windowDue(entry);
    const { lateSpanMillis, openIdleMillis, idleMillis } = this.#limits;
    const due = !entry.start_seen
      ? entry.last_at + idleMillis
      : entry.roots_ended_at !== undefined
        ? entry.roots_ended_at + lateSpanMillis
        : entry.last_at + openIdleMillis;
    return Math.min(due, this.#ageLimit(entry));
  }

  /** Late spans that wait, and a span that is still open, keep the window open, but not for ever. */
  #windowDue(entry: TraceEntry): number {
    const closes = entry.open_count > 0 ? Math.max(entry.window_until, this.#ageLimit(entry)) : entry.window_until;
    return entry.reread_at ?? closes;
  }

  #ageLimit(entry: TraceEntry): number {
    return entry.created_at + this.#limits.maxTraceMillis;
  }

  #causeAt(entry: TraceEntry, now: number): FinishCause {
    if (now >= this.#ageLimit(entry)) return "age";
    return entry.start_seen && entry.roots_ended_at !== undefined ? "late_spans" : "idle";
  }

  /** When it was active last is not known for sure: at the latest now. */
  #waitAgain(entry: TraceEntry, now: number): void {
    entry.last_at = now;
    entry.last_unsure = false;
    this.#deadlines.set(entry);
  }

  #finish(entry: TraceEntry, cause: FinishCause, now: number): void {
    entry.state = "finished";
    entry.cause = cause;
    if (cause === "evicted" || cause === "shutdown") entry.addReason(cause);
    entry.window_until = now + this.#limits.lateWindowMillis;
    this.#open.delete(entry);
    this.#finished.add(entry);
    this.#deadlines.set(entry);
    this.#makeReady(entry);
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
      if (entry.dirty) this.#makeReady(entry);
    }
    if (this.#windowDue(entry) <= now) this.#close(entry);
    else this.#deadlines.set(entry);
  }

  #close(entry: TraceEntry): void {
    if (entry.state !== "finished") return;
    if (entry.dirty) this.#makeReady(entry);
    entry.state = "closed";
    this.#finished.delete(entry);
    this.#deadlines.delete(entry);
    this.#traces.delete(entry.trace_id);
    if (this.#last === entry) this.#last = undefined;
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
