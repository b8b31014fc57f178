import { type HeldSpan, saysOf } from "../model/held-span.ts";
import type { PlainPlace } from "../model/plain-facts.ts";
import type { OpenSpan } from "./open-span.ts";
import type { TraceEntry } from "./trace-entry.ts";

/** Estimated bytes of an open span that is known by its id. */
const OPEN_BYTES = 100;

/** What the traces of a buffer hold in all. */
export class Holdings {
  /** Ended spans that have not been released to scorers. */
  held = 0;
  /** Estimated bytes of traces that are open or finished. */
  bytes = 0;
  /** Estimated bytes of traces that are over and wait to be scored. */
  waiting = 0;
  /** How many traces those are. */
  waiting_traces = 0;

  /** A span that has ended is held. */
  keep(entry: TraceEntry, span: HeldSpan): void {
    this.add(entry, span);
    this.count(entry);
  }

  /** The same of a leaf that says nothing, where there is room for it. */
  keepLeaf(entry: TraceEntry, leaf: PlainPlace, seq: number, most: number): boolean {
    const bytes = entry.spans.pushLeaf(leaf, seq, most);
    if (bytes === undefined) return false;
    entry.index.hold(leaf.span_id);
    this.grow(entry, bytes);
    this.count(entry);
    return true;
  }

  /** A span that has been counted already is held after all. */
  add(entry: TraceEntry, span: HeldSpan): void {
    entry.index.hold(span.span_id);
    entry.says |= saysOf(span);
    this.grow(entry, entry.spans.push(span));
  }

  /** A span has ended in the trace, held or let go. */
  count(entry: TraceEntry): void {
    entry.spans_ended += 1;
    entry.held += 1;
    entry.dirty = true;
    this.held += 1;
  }

  /** A span that has started is known by its id. */
  know(span: OpenSpan): void {
    span.entry.index.open(span);
    this.grow(span.entry, OPEN_BYTES);
  }

  /** It has ended. */
  forget(span: OpenSpan): void {
    span.entry.index.close(span);
    this.grow(span.entry, -OPEN_BYTES);
  }

  /** What an open span has said at its start is held. */
  lend(span: OpenSpan, said: HeldSpan): void {
    span.said = said;
    this.grow(span.entry, said.bytes);
  }

  /** The span has ended, and speaks for itself. */
  takeBack(span: OpenSpan): void {
    if (span.said !== undefined) this.grow(span.entry, -span.said.bytes);
    span.said = undefined;
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

  /** The trace is over; what has not been read of it waits. */
  close(entry: TraceEntry): void {
    this.bytes -= entry.bytes;
    if (!entry.dirty) {
      entry.bytes = 0;
      return;
    }
    this.waiting += entry.bytes;
    this.waiting_traces += 1;
  }

  /** Nothing is held any more of a trace that is over; once or more often. */
  letGo(entry: TraceEntry): void {
    if (entry.bytes > 0) this.waiting_traces -= 1;
    this.waiting -= entry.bytes;
    entry.bytes = 0;
  }
}
