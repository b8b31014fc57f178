import type { AttributeMap, SpanFacts, SpanView } from "../model/span.ts";

/** Numbers of a span, in `#words`: its id and its parent's (two words each), nanoseconds, and what it shares. */
const WORDS = 9;
const ID = 0;
const PARENT = 2;
const START_N = 4;
const END_N = 5;
const NAME = 6;
const ORIGIN = 7;
/** Trace flags in the low byte, then whether there is a parent, and a remote one. */
const FLAGS = 8;
const HAS_PARENT = 0x100;
const REMOTE_PARENT = 0x200;

/** Times in whole seconds and the position in the input go beyond 32 bits. */
const DOUBLES = 3;
const START_S = 0;
const END_S = 1;
const SEQ = 2;

/** What the spans of one scope of one request share. */
interface Origin {
  readonly scope_name: string;
  readonly scope_version: string;
  readonly resource: AttributeMap;
}

/**
 * Spans that are nothing but places in the trees of their traces, at 60 bytes each and out of the garbage collector's
 * sight: an export holds many times more of them than steps, and any of them may turn out to be a parent.
 */
export class PackedSpans {
  #words = new Uint32Array(WORDS * 1024);
  #doubles = new Float64Array(DOUBLES * 1024);
  #count = 0;
  readonly #names = new Map<string, number>();
  readonly #nameList: string[] = [];
  readonly #origins: Origin[] = [];

  /** Packs a span whose ids are hexadecimal; gives its number, from 0. */
  add(view: SpanView, seq: number): number {
    const number = this.#count;
    if (number * WORDS === this.#words.length) this.#grow();
    this.#count += 1;
    const words = this.#words;
    const word = number * WORDS;
    const { parent_id } = view;
    words[word + ID] = wordOf(view.span_id, 0);
    words[word + ID + 1] = wordOf(view.span_id, 8);
    words[word + PARENT] = parent_id === "" ? 0 : wordOf(parent_id, 0);
    words[word + PARENT + 1] = parent_id === "" ? 0 : wordOf(parent_id, 8);
    words[word + START_N] = view.start_n;
    words[word + END_N] = view.end_n;
    words[word + NAME] = this.#nameOf(view.name);
    words[word + ORIGIN] = this.#originOf(view);
    words[word + FLAGS] =
      view.trace_flags | (parent_id === "" ? 0 : HAS_PARENT) | (view.remote_parent ? REMOTE_PARENT : 0);
    const double = number * DOUBLES;
    this.#doubles[double + START_S] = view.start_s;
    this.#doubles[double + END_S] = view.end_s;
    this.#doubles[double + SEQ] = seq;
    return number;
  }

  /** The two halves of the span's id. */
  id(number: number, half: 0 | 1): number {
    return this.#words[number * WORDS + ID + half] as number;
  }

  /** The two halves of its parent's id. */
  parent(number: number, half: 0 | 1): number {
    return this.#words[number * WORDS + PARENT + half] as number;
  }

  hasParent(number: number): boolean {
    return ((this.#words[number * WORDS + FLAGS] as number) & HAS_PARENT) !== 0;
  }

  /** The span as it was, and as a reader gives it for a span of no kind. */
  facts(number: number, trace_id: string): SpanFacts {
    const word = (place: number): number => this.#words[number * WORDS + place] as number;
    const double = (place: number): number => this.#doubles[number * DOUBLES + place] as number;
    const { scope_name, scope_version, resource } = this.#origins[word(ORIGIN)] as Origin;
    const flags = word(FLAGS);
    return {
      trace_id,
      span_id: hexOf(word(ID), word(ID + 1)),
      parent_id: (flags & HAS_PARENT) === 0 ? "" : hexOf(word(PARENT), word(PARENT + 1)),
      remote_parent: (flags & REMOTE_PARENT) !== 0,
      trace_flags: flags & 0xff,
      name: this.#nameList[word(NAME)] as string,
      start_s: double(START_S),
      start_n: word(START_N),
      end_s: double(END_S),
      end_n: word(END_N),
      scope_name,
      scope_version,
      seq: double(SEQ),
      kind: undefined,
      facts: undefined,
      convention: "none",
      session: undefined,
      annotation: undefined,
      egress: undefined,
      session_end: false,
      attributes: undefined,
      resource,
      bytes: 0,
    };
  }

  #nameOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    this.#names.set(name, this.#nameList.length);
    return this.#nameList.push(name) - 1;
  }

  /** Spans of one scope come one after the other. */
  #originOf({ scope_name, scope_version, resource }: SpanView): number {
    const last = this.#origins.at(-1);
    const same = last?.resource === resource && last.scope_name === scope_name && last.scope_version === scope_version;
    return (same ? this.#origins.length : this.#origins.push({ scope_name, scope_version, resource })) - 1;
  }

  #grow(): void {
    const words = new Uint32Array(this.#words.length * 2);
    words.set(this.#words);
    this.#words = words;
    const doubles = new Float64Array(this.#doubles.length * 2);
    doubles.set(this.#doubles);
    this.#doubles = doubles;
  }
}

/** Eight hexadecimal digits of an id, as a number. */
export function wordOf(id: string, from: number): number {
  let word = 0;
  for (let index = from; index < from + 8; index += 1) {
    const code = id.charCodeAt(index);
    word = (word << 4) | (code < 0x3a ? code - 0x30 : code - 0x57);
  }
  return word >>> 0;
}

function hexOf(high: number, low: number): string {
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
