import type { AttributeMap, SpanEvent, SpanFacts, SpanKindName, SpanView, StatusName } from "./span.ts";

/** The keys of a span's attributes, in order, apart from their values. */
export interface AttributeKeys {
  /** The attributes with these values; undefined ones are left out. */
  toMap(values: readonly unknown[]): AttributeMap;
}

/** A convention may have a say in what the span is. */
export const MARKED: number = 1;
/** The span may say what is expected. */
export const ANNOTATED: number = 2;

const SAYS = MARKED | ANNOTATED;
const LOCAL_ROOT = 4;
/** How many bits of a view's field are taken. */
export const TAKEN_BITS: number = 3;

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
  /** Position in the observed order of ending; like what follows, known once the span was let go. */
  seq = 0;
  /** Estimated bytes held. */
  bytes = 0;
  /** Small members in one field, since steps are held in their thousands; the bits above these are the view's own. */
  protected bits = 0;

  /** Its parent is not held here. */
  get local_root(): boolean {
    return (this.bits & LOCAL_ROOT) !== 0;
  }

  set local_root(is: boolean) {
    this.bits = is ? this.bits | LOCAL_ROOT : this.bits & ~LOCAL_ROOT;
  }

  /** {@link MARKED}, {@link ANNOTATED}, both or 0. */
  get says(): number {
    return this.bits & SAYS;
  }

  set says(says: number) {
    this.bits = (this.bits & ~SAYS) | says;
  }

  /** Holds what was taken off the span, and no longer the span. */
  abstract letGo(keys: AttributeKeys, values: readonly unknown[], events: readonly SpanEvent[]): void;
}

/** An ended span as the buffers hold it: read, or to be read when its trace is released. */
export type HeldSpan = SpanFacts | LiveSpanView;

/** {@link MARKED}, {@link ANNOTATED}, both or 0. */
export function saysOf(span: HeldSpan): number {
  if (span instanceof LiveSpanView) return span.says;
  return (span.kind === undefined ? 0 : MARKED) | (span.annotation === undefined ? 0 : ANNOTATED);
}
