import { type HeldSpan, isAnnotated, isMarked } from "../model/held-span.ts";
import type { TraceEntry } from "./trace-entry.ts";

/** What the traces of a buffer hold in all. */
export class Holdings {
  /** Ended spans that have not been released to scorers. */
  held = 0;
  /** Estimated bytes. */
  bytes = 0;

  /** A span that has ended is held. */
  keep(entry: TraceEntry, span: HeldSpan): void {
    this.add(entry, span);
    this.count(entry);
  }

  /** A span that has been counted already is held after all. */
  add(entry: TraceEntry, span: HeldSpan): void {
    entry.index.hold(span.span_id);
    entry.spans.push(span);
    if (isMarked(span)) entry.is_marked = true;
    if (isAnnotated(span)) entry.is_annotated = true;
    this.grow(entry, span.bytes);
  }

  /** A span has ended in the trace, held or let go. */
  count(entry: TraceEntry): void {
    entry.spans_ended += 1;
    entry.held += 1;
    entry.dirty = true;
    this.held += 1;
  }

  grow(entry: TraceEntry, bytes: number): void {
    entry.bytes += bytes;
    this.bytes += bytes;
  }

  /** The trace has been read for scoring: gives how many held spans that releases. */
  release(entry: TraceEntry): number {
    const released = entry.held;
    entry.held = 0;
    entry.dirty = false;
    entry.readings += 1;
    this.held -= released;
    return released;
  }

  /** The trace is forgotten. */
  letGo(entry: TraceEntry): void {
    this.bytes -= entry.bytes;
  }
}
