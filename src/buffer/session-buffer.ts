import type { AssembledTrace } from "../model/assembled.ts";
import type { ContextualExpectation } from "../model/resolution.ts";
import type { IncompleteReason } from "../model/trajectory.ts";
import { Deadlines, type Due } from "./deadlines.ts";
import { IdleList, type Linked } from "./idle-list.ts";
import type { BufferLimits } from "./limits.ts";

/** What tells the traces of a session apart: the serial number of an entry, or a name where they come from elsewhere. */
export type TraceKey = number | string;

/** One trace of a session, as last read. */
export interface SessionTrace {
  readonly trace: AssembledTrace;
  readonly reasons: readonly IncompleteReason[];
  /** Id of the first span that was seen of the trace. */
  readonly first_span_id: string;
  readonly contextual: readonly ContextualExpectation[];
  /** Estimated bytes of its steps. */
  readonly bytes: number;
}

/** One session in the buffer. Its fields are the buffer's to write and everybody's to read. */
export class SessionEntry implements Due, Linked {
  heap_key = 0;
  heap_index = -1;
  idle_previous: Linked | undefined = undefined;
  idle_next: Linked | undefined = undefined;

  readonly session_id: string;
  readonly created_at: number;
  /** It was scored before: it is followed, and nothing is said of it. */
  readonly silent: boolean;
  /** In the order in which they first came. */
  readonly traces: Map<TraceKey, SessionTrace> = new Map();
  readonly reasons: Set<IncompleteReason> = new Set();
  steps = 0;
  bytes = 0;
  /** Ended spans that wait for this session to be released to its scorers. */
  held = 0;
  done = false;
  /** When its last trace came. */
  last_at: number;

  constructor(sessionId: string, now: number, silent = false) {
    this.silent = silent;
    this.session_id = sessionId;
    this.created_at = now;
    this.last_at = now;
  }
}

/**
 * Finished traces by session: bounded, without a clock of its own. A session is done `sessionIdleMillis` after its last
 * trace, when it is ended, after `maxSessionMillis`, when it is evicted, or when all are finished; `takeReady` hands it
 * over once, and it is never revised.
 */
export class SessionBuffer {
  readonly #limits: BufferLimits;
  readonly #sessions = new Map<string, SessionEntry>();
  readonly #deadlines: Deadlines<SessionEntry>;
  readonly #idle = new IdleList<SessionEntry>();
  #ready: SessionEntry[] = [];
  #bytes = 0;
  #held = 0;
  /** Sessions that begin now were scored before. */
  replaying = false;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
    const { sessionIdleMillis, maxSessionMillis } = limits;
    this.#deadlines = new Deadlines((entry) =>
      Math.min(entry.last_at + sessionIdleMillis, entry.created_at + maxSessionMillis),
    );
  }

  get openCount(): number {
    return this.#sessions.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Ended spans that wait for a session to be scored. */
  get heldCount(): number {
    return this.#held;
  }

  /** When to look again at the latest; infinite when there is nothing to wait for. */
  get nextDeadline(): number {
    return this.#deadlines.next ?? Number.POSITIVE_INFINITY;
  }

  get hasWork(): boolean {
    return this.#ready.length > 0;
  }

  get(sessionId: string): SessionEntry | undefined {
    return this.#sessions.get(sessionId);
  }

  /**
   * A trace of the session has been read, for the first time or again. `held` spans wait with it.
   * Gives the session that it joined.
   */
  add(sessionId: string, key: TraceKey, trace: SessionTrace, held: number, now: number): SessionEntry {
    const entry = this.#sessions.get(sessionId) ?? this.#create(sessionId, now);
    this.#remove(entry, key);
    const kept = this.#withinLimit(entry, trace);
    entry.traces.set(key, kept);
    entry.steps += stepCount(kept);
    entry.bytes += kept.bytes;
    this.#bytes += kept.bytes;
    entry.held += held;
    this.#held += held;
    entry.last_at = now;
    this.#idle.touch(entry);
    this.#deadlines.set(entry);
    return entry;
  }

  /** The trace, read again, turned out to belong elsewhere. */
  move(entry: SessionEntry, key: TraceKey): void {
    if (!entry.done) this.#remove(entry, key);
  }

  /** The same where only the session's id is known. Gives the session, where it is open. */
  part(sessionId: string, key: TraceKey): SessionEntry | undefined {
    const entry = this.#sessions.get(sessionId);
    if (entry !== undefined) this.#remove(entry, key);
    return entry;
  }

  /** Ends a session, where it is open. */
  end(sessionId: string): void {
    const entry = this.#sessions.get(sessionId);
    if (entry !== undefined) this.#finish(entry);
  }

  advance(now: number): void {
    for (let entry = this.#deadlines.take(now); entry !== undefined; entry = this.#deadlines.take(now))
      this.#finish(entry);
  }

  finishAll(reason?: "shutdown"): void {
    for (const entry of [...this.#sessions.values()]) this.#finish(entry, reason);
  }

  /** When the longest idle session last got a trace; infinite when there is none. */
  get oldestIdleAt(): number {
    return this.#idle.oldest?.last_at ?? Number.POSITIVE_INFINITY;
  }

  /** Scores the longest idle session as it stands; false when there is none. */
  evictOldest(): boolean {
    const oldest = this.#idle.oldest;
    if (oldest !== undefined) this.#finish(oldest, "evicted");
    return oldest !== undefined;
  }

  takeReady(): SessionEntry[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** The session has been read for scoring: gives how many held spans that releases. */
  release(entry: SessionEntry): number {
    const released = entry.held;
    entry.held = 0;
    this.#held -= released;
    return released;
  }

  #create(sessionId: string, now: number): SessionEntry {
    while (this.#sessions.size >= this.#limits.maxSessions) this.#finish(this.#idle.oldest as SessionEntry, "evicted");
    const entry = new SessionEntry(sessionId, now, this.replaying);
    this.#sessions.set(sessionId, entry);
    this.#idle.add(entry);
    return entry;
  }

  #remove(entry: SessionEntry, key: TraceKey): void {
    const before = entry.traces.get(key);
    if (before === undefined) return;
    entry.traces.delete(key);
    entry.steps -= stepCount(before);
    entry.bytes -= before.bytes;
    this.#bytes -= before.bytes;
  }

  /** Steps beyond the session's cap are cut off, and the session says so. */
  #withinLimit(entry: SessionEntry, trace: SessionTrace): SessionTrace {
    const room = Math.max(0, this.#limits.maxStepsPerSession - entry.steps);
    if (stepCount(trace) <= room) return trace;
    entry.reasons.add("spans_dropped");
    return { ...trace, trace: firstSteps(trace.trace, room) };
  }

  #finish(entry: SessionEntry, reason?: "evicted" | "shutdown"): void {
    if (reason !== undefined) entry.reasons.add(reason);
    entry.done = true;
    this.#sessions.delete(entry.session_id);
    this.#deadlines.delete(entry);
    this.#idle.delete(entry);
    this.#bytes -= entry.bytes;
    this.#ready.push(entry);
  }
}

function firstSteps(trace: AssembledTrace, room: number): AssembledTrace {
  const cut = <T extends Pick<AssembledTrace, "steps" | "tools">>(lists: T): T => ({
    ...lists,
    steps: lists.steps.slice(0, room),
    tools: lists.tools.slice(0, room),
  });
  const { before_failed_calls: before } = trace;
  return before === undefined ? cut(trace) : { ...cut(trace), before_failed_calls: cut(before) };
}

function stepCount(trace: SessionTrace): number {
  return Math.max(trace.trace.steps.length, trace.trace.tools.length);
}
