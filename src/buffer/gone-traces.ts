import type { HeldSpan } from "../model/held-span.ts";
import type { TraceEntry } from "./trace-entry.ts";

/** Spans that a trace which is over was waiting for, by their ids. */
type Awaited = Set<string> | undefined;

/**
 * A bounded memory of traces that are over, in two generations: O(1), and it forgets the oldest half at a time. Of each
 * it knows which spans are missing: parents of what came, and spans that were still open. Such a span is late, even
 * where it looks like the root of a new run.
 */
export class GoneTraces {
  readonly #half: number;
  #young = new Map<string, Awaited>();
  #old = new Map<string, Awaited>();

  /** Remembers at least the last `capacity / 2` traces and at most `capacity`. */
  constructor(capacity: number) {
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  /** The trace is over. O(its spans) where some of them may be missing, else O(1). */
  add(entry: TraceEntry): void {
    const before = this.#awaitedBy(entry.trace_id);
    this.#put(entry.trace_id, before === undefined ? missingFrom(entry) : union(before, missingFrom(entry)));
  }

  /**
   * Whether a span belongs to a trace that is over, and to no new run under the same id: it hangs on a span of this
   * process, or the trace was waiting for it.
   */
  isLate(traceId: string, spanId: string, parentId: string, remote: boolean): boolean {
    if (!this.#young.has(traceId) && !this.#old.has(traceId)) return false;
    return (parentId !== "" && !remote) || this.#awaitedBy(traceId)?.has(spanId) === true;
  }

  /** A late span came: its own parent is late as well. */
  came({ trace_id: traceId, parent_id: parentId }: HeldSpan): void {
    if (parentId === "" || (!this.#young.has(traceId) && !this.#old.has(traceId))) return;
    const awaited = this.#awaitedBy(traceId);
    if (awaited === undefined) this.#put(traceId, new Set([parentId]));
    else if (awaited.size < MAX_AWAITED) awaited.add(parentId);
  }

  #awaitedBy(traceId: string): Awaited {
    return this.#young.get(traceId) ?? this.#old.get(traceId);
  }

  #put(traceId: string, awaited: Awaited): void {
    if (this.#young.size >= this.#half && !this.#young.has(traceId)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(traceId, awaited);
  }
}

/** Most spans that are awaited of one trace. */
const MAX_AWAITED = 64;

function missingFrom(entry: TraceEntry): Awaited {
  // Every start was seen, and every end.
  if (entry.start_seen && entry.open_count === 0) return undefined;
  const missing = new Set<string>();
  for (const id of entry.index.openIds()) if (missing.size < MAX_AWAITED) missing.add(id);
  const here = new Set<string>();
  for (const { span_id: id } of entry.spans) here.add(id);
  for (const { parent_id: id } of entry.spans) {
    if (missing.size >= MAX_AWAITED) break;
    if (id !== "" && !here.has(id)) missing.add(id);
  }
  return missing.size === 0 ? undefined : missing;
}

function union(a: Awaited, b: Awaited): Awaited {
  return a === undefined || b === undefined ? (a ?? b) : new Set([...a, ...b].slice(0, MAX_AWAITED));
}
