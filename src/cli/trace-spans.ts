import { type PackedSpans, wordOf } from "../model/packed-spans.ts";
import type { SpanFacts } from "../model/span.ts";

/** A span of a trace: what was read of it, or its number among the packed ones. */
export type HeldSpan = SpanFacts | number;

const NONE = -1;
/** In place of a parent: the id was there before. */
const DUPLICATE = -2;

/**
 * Finds the spans of a trace that have a say in its trajectory. Who is whose parent is told by ids that are compared as
 * numbers; the tables are used again for the next trace.
 */
export class SpanSieve {
  readonly #packed: PackedSpans;
  #spans: readonly HeldSpan[] = [];
  /** By place in the list: the place of the parent. */
  #parents = new Int32Array(0);
  #needed = new Uint8Array(0);
  #visits = new Int32Array(0);
  #ids = new Uint32Array(0);
  /** Open addressing: places of spans by a hash of their ids. */
  #slots = new Int32Array(0);
  #mask = 0;

  constructor(packed: PackedSpans) {
    this.#packed = packed;
  }

  /**
   * The spans that have a say, in order of appearance. Packed leaves have none: they are neither local roots nor
   * parents. Of several spans with one id the first stays. O(spans).
   */
  sift(spans: readonly HeldSpan[], traceId: string): SpanFacts[] {
    this.#link(spans);
    const all = this.#hasRing();
    const saying: SpanFacts[] = [];
    for (const [index, span] of spans.entries()) {
      if (this.#parents[index] === DUPLICATE) continue;
      if (typeof span !== "number") saying.push(span);
      else if (all || this.#needed[index] === 1) saying.push(this.#packed.facts(span, traceId));
    }
    return saying;
  }

  #link(spans: readonly HeldSpan[]): void {
    this.#spans = spans;
    this.#clear(spans.length);
    const packed = this.#packed;
    for (const [index, span] of spans.entries()) {
      const isPacked = typeof span === "number";
      const high = isPacked ? packed.id(span, 0) : wordOf(span.span_id, 0);
      const low = isPacked ? packed.id(span, 1) : wordOf(span.span_id, 8);
      const slot = this.#slotOf(high, low);
      if (this.#slots[slot] !== NONE) {
        this.#parents[index] = DUPLICATE;
        continue;
      }
      this.#slots[slot] = index;
      this.#ids[index * 2] = high;
      this.#ids[index * 2 + 1] = low;
    }
    for (const [index, span] of spans.entries()) {
      if (this.#parents[index] !== DUPLICATE) this.#linkOne(index, span);
    }
  }

  #clear(length: number): void {
    if (this.#parents.length < length) {
      const room = 2 ** Math.ceil(Math.log2(length));
      this.#parents = new Int32Array(room);
      this.#needed = new Uint8Array(room);
      this.#visits = new Int32Array(room);
      this.#ids = new Uint32Array(room * 2);
      this.#slots = new Int32Array(room * 2);
    }
    this.#parents.fill(NONE, 0, length);
    this.#needed.fill(0, 0, length);
    this.#visits.fill(NONE, 0, length);
    // At most half full.
    this.#mask = 2 ** Math.ceil(Math.log2(length * 2)) - 1;
    this.#slots.fill(NONE, 0, this.#mask + 1);
  }

  /** Whether some span is its own ancestor: where such a ring is cut open, leaves count too. */
  #hasRing(): boolean {
    for (let start = 0; start < this.#spans.length; start += 1) {
      let at = start;
      while (at >= 0 && this.#visits[at] === NONE) {
        this.#visits[at] = start;
        at = this.#parents[at] as number;
      }
      if (at >= 0 && this.#visits[at] === start) return true;
    }
    return false;
  }

  #linkOne(index: number, span: HeldSpan): void {
    const packed = this.#packed;
    const isPacked = typeof span === "number";
    const hasParent = isPacked ? packed.hasParent(span) : span.parent_id !== "";
    if (!hasParent) {
      this.#needed[index] = 1;
      return;
    }
    const high = isPacked ? packed.parent(span, 0) : wordOf(span.parent_id, 0);
    const low = isPacked ? packed.parent(span, 1) : wordOf(span.parent_id, 8);
    const parent = this.#slots[this.#slotOf(high, low)] as number;
    this.#parents[index] = parent;
    this.#needed[parent === NONE ? index : parent] = 1;
  }

  /** The slot that holds the id, or the free one where it belongs. */
  #slotOf(high: number, low: number): number {
    for (let slot = hashOf(high, low) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const held = this.#slots[slot] as number;
      if (held === NONE) return slot;
      if (this.#ids[held * 2] === high && this.#ids[held * 2 + 1] === low) return slot;
    }
  }
}

/** Differs from run to run, so that nobody can write a file of ids that all share a slot. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** Each bit of the id changes about half of the hash's bits (the finish of MurmurHash3). */
function hashOf(high: number, low: number): number {
  let hash = Math.imul(high ^ SEED, 0x9e3779b1) ^ low;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
