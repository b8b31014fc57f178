import type { AttributeMap, SpanEvent, SpanFacts, SpanKindName, SpanView, StatusName } from "./span.ts";

/** What was taken off a span when it ended, to be read when its trace is released. */
export interface TakenOff {
  /** Position in the observed order of ending. */
  readonly seq: number;
  /** Its parent is not held here. */
  readonly local_root: boolean;
  /** Its name, scope or keys let a convention have a say. */
  readonly marked: boolean;
  /** It may say what is expected. */
  readonly annotated: boolean;
  readonly events: readonly SpanEvent[];
  /** Estimated bytes held. */
  readonly bytes: number;
  /** Builds the attributes anew. */
  attributes(): AttributeMap;
}

/**
 * A view of a span that somebody else owns and goes on writing to. {@link letGo} turns it into one that holds nothing
 * of that span but what was taken off it.
 */
export abstract class LiveSpanView implements SpanView {
  abstract readonly trace_id: string;
  abstract readonly span_id: string;
  abstract readonly parent_id: string;
  abstract readonly remote_parent: boolean;
  abstract readonly trace_flags: number;
  abstract readonly name: string;
  abstract readonly span_kind: SpanKindName;
  abstract readonly start_s: number;
  abstract readonly start_n: number;
  abstract readonly end_s: number;
  abstract readonly end_n: number;
  abstract readonly status: StatusName;
  abstract readonly attributes: AttributeMap;
  abstract readonly events: readonly SpanEvent[];
  abstract readonly scope_name: string;
  abstract readonly scope_version: string;
  abstract readonly resource: AttributeMap;
  /** Undefined until it was let go. */
  abstract readonly taken: TakenOff | undefined;

  abstract letGo(taken: TakenOff): void;

  get bytes(): number {
    return this.taken?.bytes ?? 0;
  }
}

/** An ended span as the buffers hold it: read, or to be read when its trace is released. */
export type HeldSpan = SpanFacts | LiveSpanView;

/** Whether the span may be of some kind. */
export function isMarked(span: HeldSpan): boolean {
  return span instanceof LiveSpanView ? span.taken?.marked === true : span.kind !== undefined;
}

/** Whether the span may say what is expected. */
export function isAnnotated(span: HeldSpan): boolean {
  return span instanceof LiveSpanView ? span.taken?.annotated === true : span.annotation !== undefined;
}
