import type { HeldSpan } from "../model/held-span.ts";
import type { HeldSpans } from "./held-spans.ts";
import type { OpenSpan } from "./open-span.ts";

/** What {@link SpanIndex.find} gives for a span that has ended and is held. */
export const HELD = "held";

/**
 * The spans of one trace that are known by id: open ones and those that are held. Usually nobody asks for an id, and
 * then none is ever hashed: open spans are a list, and the others are the trace's own. The table is built when somebody
 * asks for the first time (a span comes again, or its start was not seen), and kept from then on.
 */
export class SpanIndex {
  #table: Map<string, OpenSpan | typeof HELD> | undefined = undefined;
  #firstOpen: OpenSpan | undefined = undefined;
  readonly #held: HeldSpans;
  /** How many spans are open. */
  open_count = 0;

  /** @param held - The ended spans of the trace, each told to {@link hold} when it comes. */
  constructor(held: HeldSpans) {
    this.#held = held;
  }

  /** No span has started or ended yet. */
  get isEmpty(): boolean {
    return this.open_count === 0 && this.#held.length === 0;
  }

  open(span: OpenSpan): void {
    this.open_count += 1;
    const first = this.#firstOpen;
    span.next = first;
    if (first !== undefined) first.previous = span;
    this.#firstOpen = span;
    this.#table?.set(span.span_id, span);
  }

  /** An open span ended. */
  close(span: OpenSpan): void {
    span.open = false;
    this.open_count -= 1;
    const { previous, next } = span;
    if (previous === undefined) this.#firstOpen = next;
    else previous.next = next;
    if (next !== undefined) next.previous = previous;
    // The span may live on with whoever keeps it; its neighbours must not.
    span.previous = undefined;
    span.next = undefined;
    this.#table?.delete(span.span_id);
  }

  /** A span that has ended is held. */
  hold(spanId: string): void {
    this.#table?.set(spanId, HELD);
  }

  /** The open span of that id, {@link HELD}, or undefined for one that is not known. */
  find(spanId: string): OpenSpan | typeof HELD | undefined {
    return this.isEmpty ? undefined : (this.#table ?? this.#build()).get(spanId);
  }

  /** Forgets every id. */
  clear(): void {
    for (let span = this.#firstOpen; span !== undefined; span = span.next) span.said = undefined;
    this.#table = undefined;
    this.#firstOpen = undefined;
    this.open_count = 0;
  }

  /** What open spans have said at their start. */
  said(): HeldSpan[] {
    const said: HeldSpan[] = [];
    for (let span = this.#firstOpen; span !== undefined; span = span.next) {
      if (span.said !== undefined) said.push(span.said);
    }
    return said;
  }

  openIds(): ReadonlySet<string> {
    const ids = new Set<string>();
    for (let span = this.#firstOpen; span !== undefined; span = span.next) ids.add(span.span_id);
    return ids;
  }

  #build(): Map<string, OpenSpan | typeof HELD> {
    const table = new Map<string, OpenSpan | typeof HELD>();
    for (let span = this.#firstOpen; span !== undefined; span = span.next) table.set(span.span_id, span);
    this.#held.forEachId((spanId) => table.set(spanId, HELD));
    this.#table = table;
    return table;
  }
}
