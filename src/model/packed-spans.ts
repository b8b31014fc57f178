import type { PlainPlace } from "./plain-facts.ts";
import type { AttributeMap, SpanFacts } from "./span.ts";

/** Words of a span: its id and its parent's (two each), times in seconds and nanoseconds, and what it shares. */
const WORDS = 13;
const ID = 0;
const PARENT = 2;
const START_S = 4;
const START_N = 5;
const END_S = 6;
const END_N = 7;
/** Position in the input, which goes beyond 32 bits: low word, then high. */
const SEQ = 8;
const NAME = 10;
const ORIGIN = 11;
/** Trace flags in the low byte, then whether there is a parent, and a remote one. */
const FLAGS = 12;
const HAS_PARENT = 0x100;
const REMOTE_PARENT = 0x200;

const TWO_32 = 2 ** 32;

const NO_DIGIT = 0x80;

/** Estimated bytes of a packed span, with the room for more that a trace may have. */
export const PACKED_BYTES: number = 72;

/** What spans that come one after the other mostly share. */
interface Origin {
  readonly scope_name: string;
  readonly scope_version: string;
  readonly resource: AttributeMap;
  readonly session: SpanFacts["session"];
}

export interface PackedSpansOptions {
  /** So many spans share a table, as a power of two: of few spans a part of one is empty. @defaultValue 10 */
  readonly bits?: number | undefined;
  /**
   * Texts of names are the same objects wherever they are the same, as those that a program writes are, so that only
   * the last few are compared; by default each text is kept once. @defaultValue false
   */
  readonly ownNames?: boolean | undefined;
  /**
   * Tables of that size that nobody uses, to be used again, at most {@link MOST_SPARE}: to make one takes as long as to
   * fill it. @defaultValue none
   */
  readonly spare?: Uint32Array[] | undefined;
}

const MOST_SPARE = 64;

/**
 * Spans that are nothing but places in the trees of their traces, at 52 bytes each and out of the garbage collector's
 * sight: there may be many times more of them than steps, and any of them may turn out to be a parent.
 */
export class PackedSpans {
  readonly #bits: number;
  readonly #mask: number;
  readonly #tables: Uint32Array[] = [];
  readonly #spare: Uint32Array[] | undefined;
  #count = 0;
  readonly #numbers: Map<string, number> | undefined;
  readonly #names: string[] = [];
  readonly #origins: Origin[] = [];
  /** The parent of the span before, which is that of its siblings. */
  #parentId = "";
  #parentHigh = 0;
  #parentLow = 0;

  constructor({ bits = 10, ownNames = false, spare }: PackedSpansOptions = {}) {
    this.#bits = bits;
    this.#mask = (1 << bits) - 1;
    this.#spare = spare;
    this.#numbers = ownNames ? undefined : new Map();
  }

  /** How many spans are packed. */
  get count(): number {
    return this.#count;
  }

  /**
   * Packs a span, with the session id that it says, if any; gives its number, from 0. Where its ids are not 16 hexadecimal
   * digits, or its numbers none that SDKs make, it is not packed, and -1 is given.
   */
  add(span: PlainPlace, seq: number, session?: SpanFacts["session"]): number {
    const { span_id, parent_id, trace_flags, start_s, start_n, end_s, end_n } = span;
    const high = wordOf(span_id, 0);
    const low = wordOf(span_id, 8);
    if (high < 0 || low < 0 || !(parent_id === this.#parentId || this.#readParent(parent_id))) return -1;
    if (start_s >>> 0 !== start_s || start_n >>> 0 !== start_n || end_s >>> 0 !== end_s || end_n >>> 0 !== end_n)
      return -1;
    if ((trace_flags & 0xff) !== trace_flags) return -1;
    const number = this.#count;
    const row = number & this.#mask;
    if (row === 0) this.#tables.push(this.#spare?.pop() ?? new Uint32Array(WORDS << this.#bits));
    const words = this.#tables[number >>> this.#bits] as Uint32Array;
    const word = row * WORDS;
    words[word + ID] = high;
    words[word + ID + 1] = low;
    words[word + PARENT] = this.#parentHigh;
    words[word + PARENT + 1] = this.#parentLow;
    words[word + START_S] = start_s;
    words[word + START_N] = start_n;
    words[word + END_S] = end_s;
    words[word + END_N] = end_n;
    words[word + SEQ] = seq;
    words[word + SEQ + 1] = seq / TWO_32;
    words[word + NAME] = this.#nameOf(span.name);
    words[word + ORIGIN] = this.#originOf(span, session);
    words[word + FLAGS] = trace_flags | (parent_id === "" ? 0 : HAS_PARENT) | (span.remote_parent ? REMOTE_PARENT : 0);
    this.#count = number + 1;
    return number;
  }

  /** The two halves of the span's id. */
  id(number: number, half: 0 | 1): number {
    return this.#word(number, ID + half);
  }

  /** The two halves of its parent's id. */
  parent(number: number, half: 0 | 1): number {
    return this.#word(number, PARENT + half);
  }

  hasParent(number: number): boolean {
    return (this.#word(number, FLAGS) & HAS_PARENT) !== 0;
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
    const word = (place: number): number => this.#word(number, place);
    const { scope_name, scope_version, resource, session } = this.#origins[word(ORIGIN)] as Origin;
    const flags = word(FLAGS);
    return {
      trace_id,
      span_id: this.spanId(number),
      parent_id: this.parentId(number),
      remote_parent: (flags & REMOTE_PARENT) !== 0,
      trace_flags: flags & 0xff,
      name: this.#names[word(NAME)] as string,
      start_s: word(START_S),
      start_n: word(START_N),
      end_s: word(END_S),
      end_n: word(END_N),
      scope_name,
      scope_version,
      seq: word(SEQ + 1) * TWO_32 + word(SEQ),
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

  /** Nothing is packed any more, and the tables are others'. */
  release(): void {
    this.#count = 0;
    for (const table of this.#tables.splice(0)) {
      if (this.#spare !== undefined && this.#spare.length < MOST_SPARE) this.#spare.push(table);
    }
  }

  #word(number: number, place: number): number {
    const words = this.#tables[number >>> this.#bits] as Uint32Array;
    return words[(number & this.#mask) * WORDS + place] as number;
  }

  /** False where the id is not empty, and none of an SDK. */
  #readParent(id: string): boolean {
    const high = id === "" ? 0 : wordOf(id, 0);
    const low = id === "" ? 0 : wordOf(id, 8);
    if (high < 0 || low < 0) return false;
    this.#parentId = id;
    this.#parentHigh = high;
    this.#parentLow = low;
    return true;
  }

  #nameOf(name: string): number {
    const names = this.#names;
    const last = names.length - 1;
    if (names[last] === name) return last;
    const known = this.#numbers === undefined ? recent(names, (one) => one === name) : (this.#numbers.get(name) ?? -1);
    if (known >= 0) return known;
    this.#numbers?.set(name, names.length);
    return names.push(name) - 1;
  }

  #originOf(span: PlainPlace, session: SpanFacts["session"]): number {
    const last = this.#origins.length - 1;
    if (last >= 0 && isFrom(this.#origins[last] as Origin, span, session)) return last;
    const known = recent(this.#origins, (one) => isFrom(one, span, session));
    if (known >= 0) return known;
    const { scope_name, scope_version, resource } = span;
    return this.#origins.push({ scope_name, scope_version, resource, session }) - 1;
  }
}

function isFrom(origin: Origin, span: PlainPlace, session: SpanFacts["session"]): boolean {
  return (
    origin.resource === span.resource &&
    origin.scope_name === span.scope_name &&
    origin.scope_version === span.scope_version &&
    origin.session?.rank === session?.rank &&
    origin.session?.value === session?.value
  );
}

/** How many of the last ones are compared: spans of a few scopes and names alternate. */
const RECENT = 8;

/** The place of one that is the same among the last ones, or -1. */
function recent<T>(list: readonly T[], isSame: (one: T) => boolean): number {
  const last = Math.max(0, list.length - RECENT);
  for (let place = list.length - 1; place >= last; place -= 1) if (isSame(list[place] as T)) return place;
  return -1;
}

/** By code of a character: the value of a hexadecimal digit as SDKs write them, or {@link NO_DIGIT}. */
const DIGITS = new Uint8Array(128).fill(NO_DIGIT);
for (let value = 0; value < 16; value += 1) DIGITS[value.toString(16).charCodeAt(0)] = value;

/**
 * Eight hexadecimal digits of an id, as a number; -1 where they are none, or where the id is not 16 long. Looked up, not
 * compared: which digit comes next is anybody's guess, and it runs where spans end.
 */
export function wordOf(id: string, from: number): number {
  if (id.length !== 16) return -1;
  let word = 0;
  let bad = 0;
  for (let index = from; index < from + 8; index += 1) {
    const code = id.charCodeAt(index);
    const digit = code < 128 ? (DIGITS[code] as number) : NO_DIGIT;
    bad |= digit;
    word = (word << 4) | digit;
  }
  return bad < NO_DIGIT ? word >>> 0 : -1;
}

function hexOf(high: number, low: number): string {
  return high.toString(16).padStart(8, "0") + low.toString(16).padStart(8, "0");
}
