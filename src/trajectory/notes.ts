import type { SpanReason } from "../model/explanation.ts";
import type { SpanNode } from "./tree.ts";

/** Why a span is, or is not, a step. */
export interface Note {
  readonly reason: SpanReason;
  /** The span that the reason refers to. */
  readonly of?: string | undefined;
}

/**
 * What is decided about the spans of a trace, written down where it is decided. Nothing is written unless somebody
 * asks for an explanation. The last word on a span counts.
 */
export class Notes {
  /** The spans in order of the walk. */
  order: readonly SpanNode[] = [];
  readonly #notes = new Map<string, Note>();

  /** Begins anew: of two walks the second one decides. */
  restart(order: readonly SpanNode[]): void {
    this.order = order;
    this.#notes.clear();
  }

  add(spanId: string, reason: SpanReason, of?: string): void {
    this.#notes.set(spanId, of === undefined ? { reason } : { reason, of });
  }

  of(spanId: string): Note | undefined {
    return this.#notes.get(spanId);
  }
}
