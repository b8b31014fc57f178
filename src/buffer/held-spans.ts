import { type HeldSpan, LiveSpanView } from "../model/held-span.ts";
import { PACKED_BYTES, PackedSpans, type PackedSpansOptions } from "../model/packed-spans.ts";
import { PLAIN_BYTES, PlainFacts, type PlainPlace } from "../model/plain-facts.ts";
import type { SpanFacts } from "../model/span.ts";

/** From so many on spans that say nothing are packed; for fewer a table of numbers would be more than they are. */
const PACK_AT = 32;
const PACK: PackedSpansOptions = { bits: 6, ownNames: true, spare: [] };

const ID_LENGTH = 16;
const NONE: readonly SpanFacts[] = Object.freeze([]);

/** Whether a span is nothing but a place in the tree of its trace: of no use but to those beneath it. */
export function isPlain(span: HeldSpan): span is SpanFacts {
  if (span instanceof LiveSpanView || span.parent_id === "" || span.remote_parent) return false;
  return span instanceof PlainFacts || saysNothing(span);
}

/** But perhaps its session. */
function saysNothing(span: SpanFacts): boolean {
  return (
    span.kind === undefined &&
    span.convention === "none" &&
    span.annotation === undefined &&
    span.egress === undefined &&
    !span.session_end &&
    span.attributes === undefined &&
    span.failure === undefined &&
    span.carried === undefined
  );
}

/**
 * The ended spans of a trace that are held. Those that are nothing but places in its tree are packed once there are many:
 * they may be called in their thousands by a few steps, and are read only when the trace is.
 */
export class HeldSpans {
  /** Those that say something, and local roots; replaced by their facts as they are read. */
  readonly #saying: HeldSpan[] = [];
  /** Once some spans are packed, all that can be are. */
  #packed: PackedSpans | undefined = undefined;
  #plain: SpanFacts[] | undefined = undefined;
  #traceId = "";

  get length(): number {
    return this.#saying.length + this.#plainCount;
  }

  /**
   * Whether there is room for a span, where `most` that say something are held and as many that do not, of which leaves
   * take no more than half: parents end after them. A root, which ends last and says the most, has a place of its own.
   */
  hasRoom(span: HeldSpan, most: number, isLeaf: boolean): boolean {
    if (this.length < most / 2) return true;
    if (isPlain(span)) return this.#plainCount < (isLeaf ? most / 2 : most);
    return this.#saying.length < most + (span.parent_id === "" || span.remote_parent ? 1 : 0);
  }

  /** Holds a span; gives by how many estimated bytes more is held now, which may be less than none. */
  push(span: HeldSpan): number {
    if (isPlain(span)) {
      if (this.#packed === undefined) return this.#wait(span);
      if (this.#packed.add(span, span.seq, span.session) >= 0) return PACKED_BYTES;
    }
    this.#saying.push(span);
    return span.bytes;
  }

  /**
   * Holds a leaf that says nothing, of which nothing has been taken off yet, where there is room for one more and `most` is
   * as in {@link hasRoom}; gives what {@link push} gives, and undefined where it is not held.
   */
  pushLeaf(leaf: PlainPlace, seq: number, most: number): number | undefined {
    // Its host may have changed it since it started beneath another, or have ids of its own making.
    if (leaf.parent_id === "" || leaf.span_id.length !== ID_LENGTH || this.#plainCount >= most / 2) return undefined;
    if (this.#packed === undefined) return this.#wait(new PlainFacts(leaf, seq, undefined));
    return this.#packed.add(leaf, seq) < 0 ? undefined : PACKED_BYTES;
  }

  /** Whether a local root is among them, by what it says of its parent. */
  get hasRoot(): boolean {
    return this.#saying.some((span) => span.parent_id === "" || span.remote_parent);
  }

  /** The ids of each span, and of its parent. */
  forEachId(visit: (spanId: string, parentId: string) => void): void {
    for (const { span_id: spanId, parent_id: parentId } of this.#saying) visit(spanId, parentId);
    const packed = this.#packed;
    if (packed !== undefined) {
      for (let row = 0; row < packed.count; row += 1) visit(packed.spanId(row), packed.parentId(row));
    }
    for (const { span_id: spanId, parent_id: parentId } of this.#plain ?? NONE) visit(spanId, parentId);
  }

  /**
   * Their facts, in the order in which they ended; `factsOf` reads those that have not been read yet, once. Pauses after
   * every `every` spans; what is pushed meanwhile is among them.
   */
  *read(factsOf: (span: HeldSpan) => SpanFacts, every: number): Generator<undefined, readonly SpanFacts[], undefined> {
    const saying = this.#saying;
    const plain: SpanFacts[] = [];
    for (let done = 0, index = 0; done < this.length; ) {
      if (index < saying.length) {
        saying[index] = factsOf(saying[index] as HeldSpan);
        index += 1;
      } else plain.push(this.#plainAt(plain.length));
      done = index + plain.length;
      if (done % every === 0) yield;
    }
    const read = saying as SpanFacts[];
    return plain.length === 0 ? read : [...read, ...plain].sort((a, b) => a.seq - b.seq);
  }

  clear(): void {
    this.#saying.length = 0;
    this.#plain = undefined;
    this.#packed?.release();
    this.#packed = undefined;
  }

  get #plainCount(): number {
    return (this.#packed?.count ?? 0) + (this.#plain?.length ?? 0);
  }

  #plainAt(index: number): SpanFacts {
    const packed = this.#packed;
    const count = packed?.count ?? 0;
    if (packed !== undefined && index < count) return packed.facts(index, this.#traceId);
    return this.#plain?.[index - count] as SpanFacts;
  }

  /** Holds one that may be packed, together with those before it. */
  #wait(span: SpanFacts): number {
    if (this.#plain === undefined) this.#plain = [span];
    else this.#plain.push(span);
    return this.#plain.length === PACK_AT ? span.bytes - this.#pack(this.#plain) : span.bytes;
  }

  /** Gives how many estimated bytes are saved by it: none where one of them cannot be packed, and then none ever is. */
  #pack(plain: readonly SpanFacts[]): number {
    const packed = new PackedSpans(PACK);
    let saved = 0;
    for (const span of plain) {
      if (packed.add(span, span.seq, span.session) < 0) return 0;
      saved += Math.max(0, Math.min(span.bytes, PLAIN_BYTES) - PACKED_BYTES);
    }
    this.#packed = packed;
    this.#plain = undefined;
    this.#traceId = plain[0]?.trace_id ?? "";
    return saved;
  }
}
