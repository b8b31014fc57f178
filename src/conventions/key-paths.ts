import type { AttributeKeys } from "../model/held-span.ts";
import type { AttributeMap } from "../model/span.ts";
import { type Allowance, bytesHeld, heldValue } from "./content.ts";

/** What a table of markers knows of one attribute key. */
export interface KeyTraits {
  /** What the key says of its span. */
  readonly bits: number;
  /** Its value may be long or nested, and is read. */
  readonly content: boolean;
}

/** Nobody has gone on yet; a string, since engines compare strings to strings fastest. A key like it leads nowhere. */
const NO_KEY = "\u0000";

/** The keys of a span in the order in which they were set. Spans of one place in a program share theirs. */
export class KeyPath implements AttributeKeys {
  /** What all keys up to here say together. */
  readonly bits: number;
  /** How many keys lead here. */
  readonly length: number;
  readonly key: string;
  readonly content: boolean;
  readonly before: KeyPath | undefined;
  /** The key that came next when somebody first went on from here, and where it leads. */
  next_key: string = NO_KEY;
  next: KeyPath = this;
  /** Where other keys lead. */
  others: Map<string, KeyPath> | undefined = undefined;

  constructor(before: KeyPath | undefined, key: string, traits: KeyTraits) {
    this.before = before;
    this.key = key;
    this.bits = before === undefined ? traits.bits : before.bits | traits.bits;
    this.content = traits.content;
    this.length = before === undefined ? 0 : before.length + 1;
  }

  toMap(values: readonly unknown[]): AttributeMap {
    const keys: string[] = [];
    for (let path: KeyPath = this; path.before !== undefined; path = path.before) keys.push(path.key);
    const attributes: Record<string, unknown> = {};
    for (const value of values) {
      const key = keys.pop() as string;
      if (value === undefined) continue;
      // Assigning to this one would set the prototype.
      if (key === "__proto__") Object.defineProperty(attributes, key, { value, enumerable: true });
      else attributes[key] = value;
    }
    return attributes;
  }
}

/** What is held of a span's attributes: values side by side, under keys that many spans share. */
export interface Collected {
  readonly keys: AttributeKeys;
  readonly values: readonly unknown[];
  /** What all keys say together. */
  readonly bits: number;
  /** Estimated. */
  readonly bytes: number;
}

/** Paths that are remembered; a host has some hundreds. Beyond, all are forgotten and learnt again. */
const MAX_PATHS = 4_096;
/** Of a span with more keys than SDKs take, those beyond that say nothing are passed over. */
const MOST_KEYS = 128;
/** Longer keys are not remembered. */
const MAX_KEY_LENGTH = 256;

const NO_TRAITS: KeyTraits = { bits: 0, content: false };

/**
 * What the keys of a span say, learnt once for each list of keys: a tree of keys, in which every step compares two
 * strings that usually are the same object. A span costs O(keys) such comparisons and allocates nothing; looking each
 * key up in a table costs several times as much.
 */
export class KeyPaths {
  readonly #traitsOf: (key: string) => KeyTraits;
  #start = new KeyPath(undefined, "", NO_TRAITS);
  #size = 0;
  #count = 0;

  constructor(traitsOf: (key: string) => KeyTraits) {
    this.#traitsOf = traitsOf;
  }

  /** Follows the keys of `attributes`; throws only what they throw. */
  walk(attributes: object): KeyPath {
    let path = this.#start;
    for (const key in attributes) path = path.next_key === key ? path.next : this.#step(path, key);
    return path;
  }

  /** Follows the keys of `attributes` and writes down what is held of their values. */
  collect(attributes: object, allowance: Allowance): Collected {
    // As many as there were last time: spans of one kind come in runs, and a list that has to grow costs as much again.
    const values = new Array<unknown>(this.#count);
    let bytes = 0;
    let path = this.#start;
    for (const key in attributes) {
      const place = path.length;
      const given = (attributes as Record<string, unknown>)[key];
      path = path.next_key === key ? path.next : this.#step(path, key);
      const value = heldValue(given, path.content, allowance);
      values[place] = value;
      bytes += bytesHeld(value);
    }
    this.#count = path.length;
    if (values.length !== path.length) values.length = path.length;
    return { keys: path, values, bits: path.bits, bytes };
  }

  #step(path: KeyPath, key: string): KeyPath {
    const known = path.others?.get(key);
    if (known !== undefined) return known;
    const traits = this.#traitsOf(key);
    if (path.length >= MOST_KEYS && traits.bits === 0 && !traits.content) return path;
    const next = new KeyPath(path, key, traits);
    if (key.length > MAX_KEY_LENGTH) return next;
    if (this.#size >= MAX_PATHS) {
      this.#start = new KeyPath(undefined, "", NO_TRAITS);
      this.#size = 0;
    }
    this.#size += 1;
    if (path.next_key === NO_KEY) {
      path.next_key = key;
      path.next = next;
    } else {
      path.others ??= new Map();
      path.others.set(key, next);
    }
    return next;
  }
}
