import type { HeldSpan } from "../model/held-span.ts";
import type { TraceEntry } from "./trace-entry.ts";

/**
 * A bounded memory of traces that are over, in two generations: O(1), and it forgets the oldest half at a time. Of each
 * it knows which spans are missing: parents of what came, and spans that were still open. Such a span is late, even
 * where it looks like the root of a new run.
 */
export class GoneTraces {
  readonly #half: number;
  #young = new Set<string>();
  #old = new Set<string>();
  /** Only of traces that were waiting for something, which are few: a new root asks no more than whether there are any. */
  #youngAwaited = new Map<string, Set<string>>();
  #oldAwaited = new Map<string, Set<string>>();

  /** Remembers at least the last `capacity / 2` traces and at most `capacity`. */
  constructor(capacity: number) {
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  /** The trace is over. O(its spans) where some of them may be missing, else O(1). */
  add(entry: TraceEntry): void {
    const { trace_id: traceId } = entry;
    if (this.#young.size >= this.#half && !this.#young.has(traceId)) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#oldAwaited = this.#youngAwaited;
      this.#youngAwaited = new Map();
    }
    this.#young.add(traceId);
    for (const id of missingFrom(entry)) this.#await(traceId, id);
  }

  /**
   * Whether a span belongs to a trace that is over, and to no new run under the same id: it hangs on a span of this
   * process, or the trace was waiting for it.
   */
  isLate(traceId: string, spanId: string, parentId: string, remote: boolean): boolean {
    if (parentId !== "" && !remote) return this.#has(traceId);
    if (this.#youngAwaited.size === 0 && this.#oldAwaited.size === 0) return false;
    return this.#awaitedBy(traceId)?.has(spanId) === true;
  }

  /** A late span came: its own parent is late as well. */
  came({ trace_id: traceId, parent_id: parentId }: HeldSpan): void {
    if (parentId !== "" && this.#has(traceId)) this.#await(traceId, parentId);
  }

  #has(traceId: string): boolean {
    return this.#young.has(traceId) || this.#old.has(traceId);
  }

  #awaitedBy(traceId: string): Set<string> | undefined {
    return this.#youngAwaited.get(traceId) ?? this.#oldAwaited.get(traceId);
  }

  #await(traceId: string, id: string): void {
    const awaited = this.#awaitedBy(traceId) ?? new Set();
    if (awaited.size < MAX_AWAITED) awaited.add(id);
    this.#youngAwaited.set(traceId, awaited);
  }
}

/** Most spans that are awaited of one trace. */
const MAX_AWAITED = 64;

const NONE: ReadonlySet<string> = new Set();

function missingFrom(entry: TraceEntry): ReadonlySet<string> {
  // Every start was seen, and every end.
  if (entry.start_seen && entry.open_count === 0) return NONE;
  const missing = new Set(entry.index.openIds());
  const here = new Set<string>();
  entry.spans.forEachId((id) => here.add(id));
  entry.spans.forEachId((_, id) => {
    if (id !== "" && !here.has(id)) missing.add(id);
  });
  return missing;
}
