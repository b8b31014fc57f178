import type { SpanFacts } from "../model/span.ts";
import { type PackedSpans, wordOf } from "./packed-spans.ts";

/** A span of a trace: what was read of it, or its number among the packed ones. */
export type HeldSpan = SpanFacts | number;

/**
 * The spans of a trace that have a say in its trajectory, in order of appearance. Packed leaves have none: they are
 * neither local roots nor parents. Of several spans with one id the first stays. O(spans).
 */
export function sayingSpans(spans: readonly HeldSpan[], packed: PackedSpans, traceId: string): SpanFacts[] {
  const tree = new Tree(spans, packed);
  const all = tree.hasRing();
  const saying: SpanFacts[] = [];
  for (const [index, span] of spans.entries()) {
    if (typeof span !== "number") {
      if (tree.isFirst(index)) saying.push(span);
    } else if (tree.isFirst(index) && (all || tree.isNeeded(index))) {
      saying.push(packed.facts(span, traceId));
    }
  }
  return saying;
}

const NONE = -1;
/** In place of a parent: the id was there before. */
const DUPLICATE = -2;

/** Who is whose parent, by place in the list, from ids that are compared as numbers. */
class Tree {
  readonly #parents: Int32Array;
  readonly #needed: Uint8Array;
  readonly #ids: Uint32Array;
  /** Open addressing: places of spans by a hash of their ids. */
  readonly #slots: Int32Array;

  constructor(spans: readonly HeldSpan[], packed: PackedSpans) {
    const { length } = spans;
    this.#parents = new Int32Array(length).fill(NONE);
    this.#needed = new Uint8Array(length);
    this.#ids = new Uint32Array(length * 2);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(length * 2 + 1))).fill(NONE);
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
      if (this.isFirst(index)) this.#link(index, span, packed);
    }
  }

  /** Whether no span before this one had its id. */
  isFirst(index: number): boolean {
    return this.#parents[index] !== DUPLICATE;
  }

  /** Whether the span is a parent, or a root for want of a parent. */
  isNeeded(index: number): boolean {
    return this.#needed[index] === 1;
  }

  /** Whether some span is its own ancestor: where such a ring is cut open, leaves count too. */
  hasRing(): boolean {
    const visits = new Int32Array(this.#parents.length).fill(NONE);
    for (let start = 0; start < visits.length; start += 1) {
      let at = start;
      while (at >= 0 && visits[at] === NONE) {
        visits[at] = start;
        at = this.#parents[at] as number;
      }
      if (at >= 0 && visits[at] === start) return true;
    }
    return false;
  }

  #link(index: number, span: HeldSpan, packed: PackedSpans): void {
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
    const mask = this.#slots.length - 1;
    for (let slot = hashOf(high, low) & mask; ; slot = (slot + 1) & mask) {
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
