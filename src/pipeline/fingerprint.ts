import type { Sliced } from "../align/sliced.ts";

/** More values than this, or deeper ones, are not told apart. */
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 100;

/** Texts up to this length are hashed once: results name the same steps over and over. */
const LONGEST_REMEMBERED = 128;
const MOST_REMEMBERED = 4_096;

/** Longer lists are hashed in parts of so many items. */
const PART = 256;
/** Lists whose parts have been hashed beforehand, by {@link hashLists}. */
const PARTS = new WeakMap<readonly unknown[], readonly number[]>();

interface TextHash {
  readonly high: number;
  readonly low: number;
}

const REMEMBERED = new Map<string, TextHash>();
const DOUBLE = new Float64Array(1);
const WORDS = new Uint32Array(DOUBLE.buffer);

/**
 * A 53-bit hash of plain data, such that equal data have equal hashes and others hardly ever (the mixing is that of
 * cyrb53, public domain). It names nothing outside of the process. O(size); no text of the whole is made.
 *
 * @throws RangeError for rings, and for data of more than a million values
 */
export function fingerprint(value: unknown): number {
  const hash = new Hash();
  hash.add(value, 0);
  return hash.finish();
}

/**
 * Hashes the long lists among the members of `value`, which is plain data and changes no more, in slices, so that
 * {@link fingerprint} of it, or of what it is part of, finds that done.
 */
export function* hashLists(value: object): Sliced<undefined> {
  for (const list of Object.values(value)) {
    if (!Array.isArray(list) || list.length <= PART) continue;
    const parts: number[] = [];
    try {
      for (let from = 0; from < list.length; from += PART) {
        parts.push(new Hash().part(list, from, 0));
        yield;
      }
      PARTS.set(list, parts);
    } catch {
      // Whoever takes the fingerprint is told.
    }
  }
  return undefined;
}

/** What has no content of its own. */
const WORDS_OF: readonly unknown[] = [null, undefined, false, true];

/** What is mixed in is told apart by kind: a number's bits may be those of anything. */
const [WORD, NUMBER, TEXT, LIST, END] = [1, 2, 3, 4, 5] as const;

class Hash {
  #high = 0xdeadbeef;
  #low = 0x41c6ce57;
  #left = MAX_VALUES;

  add(value: unknown, depth: number): void {
    this.#left -= 1;
    if (this.#left < 0 || depth > MAX_DEPTH) throw new RangeError("too much to hash");
    if (typeof value === "string") this.#text(value);
    else if (typeof value === "number") this.#number(value);
    else if (Array.isArray(value)) this.#list(value, depth);
    else if (typeof value === "object" && value !== null) this.#members(value, depth);
    else if (typeof value === "bigint") this.#text(value.toString());
    else this.#mix(WORD, WORDS_OF.indexOf(value));
  }

  /** The hash of some items of a long list, by itself; what they are counts towards the limit. */
  part(list: readonly unknown[], from: number, depth: number): number {
    const hash = new Hash();
    hash.#left = this.#left;
    const end = Math.min(from + PART, list.length);
    for (let index = from; index < end; index += 1) hash.add(list[index], depth + 1);
    this.#left = hash.#left;
    return hash.finish();
  }

  finish(): number {
    const high =
      Math.imul(this.#high ^ (this.#high >>> 16), 2246822507) ^ Math.imul(this.#low ^ (this.#low >>> 13), 3266489909);
    const low = Math.imul(this.#low ^ (this.#low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return 4294967296 * (2097151 & low) + (high >>> 0);
  }

  #number(value: number): void {
    DOUBLE[0] = value;
    this.#mix(NUMBER, WORDS[0] as number);
    this.#mix(NUMBER, WORDS[1] as number);
  }

  #list(list: readonly unknown[], depth: number): void {
    this.#mix(LIST, list.length);
    if (list.length <= PART) {
      for (const item of list) this.add(item, depth + 1);
      return;
    }
    const known = PARTS.get(list);
    for (let from = 0; from < list.length; from += PART) {
      this.#number(known?.[from / PART] ?? this.part(list, from, depth));
    }
  }

  #members(value: object, depth: number): void {
    // Plain data inherit nothing; a list of the keys would be made for every entry of every result.
    for (const key in value) {
      this.#text(key);
      this.add((value as Readonly<Record<string, unknown>>)[key], depth + 1);
    }
    this.#mix(END, END);
  }

  #text(text: string): void {
    const { high, low } = hashOf(text);
    this.#mix(TEXT, high);
    this.#mix(TEXT, low);
  }

  #mix(kind: number, value: number): void {
    this.#high = Math.imul(this.#high ^ value, 2654435761) + kind;
    this.#low = Math.imul(this.#low ^ value ^ kind, 1597334677);
    // Without this the upper bits of what was mixed in would never reach the lower ones.
    this.#high ^= this.#low >>> 15;
    this.#low ^= this.#high >>> 13;
  }
}

function hashOf(text: string): TextHash {
  const known = REMEMBERED.get(text);
  if (known !== undefined) return known;
  let high = text.length;
  let low = 0x9e3779b1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  const hash = { high: high ^ (high >>> 16), low: low ^ (low >>> 16) };
  if (text.length > LONGEST_REMEMBERED) return hash;
  if (REMEMBERED.size >= MOST_REMEMBERED) REMEMBERED.clear();
  REMEMBERED.set(text, hash);
  return hash;
}
