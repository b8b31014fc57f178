import { type HeldSpan, LiveSpanView } from "./held-span.ts";
import { PlainFacts } from "./plain-facts.ts";
import type { AttributeMap, SpanFacts } from "./span.ts";

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

/** By how much a table that is full grows. */
const GROWTH = 1.5;

/** Estimated bytes of a packed span, the room that a table has grown by in advance included. */
export const PACKED_BYTES: number = 80;

/** What spans that come one after the other mostly share. */
interface Origin {
  readonly scope_name: string;
  readonly scope_version: string;
  readonly resource: AttributeMap;
  readonly session: SpanFacts["session"];
}

/** What of a span is packed. */
type PackableSpan = Pick<
  SpanFacts,
  | "span_id"
  | "parent_id"
  | "remote_parent"
  | "trace_flags"
  | "name"
  | "start_s"
  | "start_n"
  | "end_s"
  | "end_n"
  | "scope_name"
  | "scope_version"
  | "resource"
>;

export interface PackedSpansOptions {
  /** Spans there is room for from the start. @defaultValue 1024 */
  readonly rows?: number | undefined;
  /**
   * Texts of names are the same objects wherever they are the same, as those that a program writes are, so that only
   * the last few are compared; by default each text is kept once. @defaultValue false
   */
  readonly ownNames?: boolean | undefined;
}

/**
 * Spans that are nothing but places in the trees of their traces, at 60 bytes each and out of the garbage collector's
 * sight: there may be many times more of them than steps, and any of them may turn out to be a parent.
 */
export class PackedSpans {
  #words: Uint32Array;
  #doubles: Float64Array;
  #count = 0;
  readonly #numbers: Map<string, number> | undefined;
  readonly #names: string[] = [];
  readonly #origins: Origin[] = [];

  constructor({ rows = 1024, ownNames = false }: PackedSpansOptions = {}) {
    this.#words = new Uint32Array(WORDS * rows);
    this.#doubles = new Float64Array(DOUBLES * rows);
    this.#numbers = ownNames ? undefined : new Map();
  }

  /** How many spans are packed. */
  get count(): number {
    return this.#count;
  }

  /**
   * Packs a span whose ids are 16 hexadecimal digits ({@link isPackable}), with the session id that it says, if any;
   * gives its number, from 0.
   */
  add(view: PackableSpan, seq: number, session?: SpanFacts["session"]): number {
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
    words[word + ORIGIN] = this.#originOf(view, session);
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

  spanId(number: number): string {
    return hexOf(this.id(number, 0), this.id(number, 1));
  }

  /** Empty where it has none. */
  parentId(number: number): string {
    return this.hasParent(number) ? hexOf(this.parent(number, 0), this.parent(number, 1)) : "";
  }

  /** The span as it was, and as a reader gives it for a span of no kind. */
  facts(number: number, trace_id: string): SpanFacts {
    const word = (place: number): number => this.#words[number * WORDS + place] as number;
    const double = (place: number): number => this.#doubles[number * DOUBLES + place] as number;
    const { scope_name, scope_version, resource, session } = this.#origins[word(ORIGIN)] as Origin;
    const flags = word(FLAGS);
    return {
      trace_id,
      span_id: this.spanId(number),
      parent_id: this.parentId(number),
      remote_parent: (flags & REMOTE_PARENT) !== 0,
      trace_flags: flags & 0xff,
      name: this.#names[word(NAME)] as string,
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
      session,
      annotation: undefined,
      egress: undefined,
      session_end: false,
      attributes: undefined,
      resource,
      bytes: PACKED_BYTES,
    };
  }

  #nameOf(name: string): number {
    const names = this.#names;
    const known = this.#numbers === undefined ? recent(names, (one) => one === name) : (this.#numbers.get(name) ?? -1);
    if (known >= 0) return known;
    this.#numbers?.set(name, names.length);
    return names.push(name) - 1;
  }

  #originOf({ scope_name, scope_version, resource }: PackableSpan, session: SpanFacts["session"]): number {
    const known = recent(
      this.#origins,
      (one) =>
        one.resource === resource &&
        one.scope_name === scope_name &&
        one.scope_version === scope_version &&
        one.session?.rank === session?.rank &&
        one.session?.value === session?.value,
    );
    return known >= 0 ? known : this.#origins.push({ scope_name, scope_version, resource, session }) - 1;
  }

  #grow(): void {
    const rows = Math.ceil(this.#count * GROWTH);
    const words = new Uint32Array(rows * WORDS);
    words.set(this.#words);
    this.#words = words;
    const doubles = new Float64Array(rows * DOUBLES);
    doubles.set(this.#doubles);
    this.#doubles = doubles;
  }
}

/** How many of the last ones are compared: spans of a few scopes and names alternate. */
const RECENT = 8;

/** The place of one that is the same among the last ones, or -1. */
function recent<T>(list: readonly T[], isSame: (one: T) => boolean): number {
  const last = Math.max(0, list.length - RECENT);
  for (let place = list.length - 1; place >= last; place -= 1) if (isSame(list[place] as T)) return place;
  return -1;
}

/** Whether a span says nothing, but perhaps its session, and has numbers and ids as SDKs make them. */
export function isPackable(span: HeldSpan): span is SpanFacts {
  return !(span instanceof LiveSpanView) && (span instanceof PlainFacts || saysNothing(span)) && hasUsualNumbers(span);
}

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

function hasUsualNumbers({ span_id, parent_id, trace_flags, start_n, end_n }: SpanFacts): boolean {
  return (
    isHexId(span_id) &&
    (parent_id === "" || isHexId(parent_id)) &&
    start_n >>> 0 === start_n &&
    end_n >>> 0 === end_n &&
    (trace_flags & 0xff) === trace_flags
  );
}

/** Compared, not matched: it runs where spans end. */
function isHexId(id: string): boolean {
  if (id.length !== 16) return false;
  for (let index = 0; index < 16; index += 1) {
    const code = id.charCodeAt(index);
    if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return false;
  }
  return true;
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
