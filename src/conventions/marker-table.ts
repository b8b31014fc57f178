import type { AttributeMap, SpanView } from "../model/span.ts";
import type { Allowance } from "./content.ts";
import type { Convention, KindRule } from "./convention.ts";
import { type Collected, KeyPaths, type KeyTraits } from "./key-paths.ts";
import { SESSION_KEYS } from "./session-keys.ts";

/** Set for keys that the reader itself looks for; the bits below say which conventions are concerned. */
export const OWN_BIT: number = 1 << 29;
/** Set for keys that carry session ids. */
export const SESSION_BIT: number = 1 << 30;

/**
 * Conventions beyond this number share bits. A shared bit asks one convention too many and never one too few, and a
 * convention that finds none of its keys has no opinion, so that the number of conventions is not limited.
 */
const CONVENTION_BITS = 29;

function bitOf(index: number): number {
  return 1 << (index % CONVENTION_BITS);
}

/** Combinations of conventions that are remembered; hosts see a few dozen. */
const MAX_PLANS = 1_024;

/** A kind rule with the convention that it belongs to. */
export interface CompiledRule extends KindRule {
  readonly convention: Convention;
  readonly bit: number;
}

/** Whom to ask about spans with certain bits. */
export interface Plan {
  /** By precedence. */
  readonly rules: readonly CompiledRule[];
  /** In the order of the list. */
  readonly conventions: readonly Convention[];
}

/** What one pass over a span's attribute keys found. */
export interface Scan {
  /** Bits of the conventions that should be asked, and {@link OWN_BIT}. */
  readonly bits: number;
  readonly session: RankedSession | undefined;
}

/** A session id with the rank of its key. */
export interface RankedSession {
  readonly rank: number;
  readonly value: string;
}

/** Asks `sessionOf` for the value of each session key, best first, up to the first that has one. */
export function bestSession(
  attributes: AttributeMap,
  sessionOf: (attributes: AttributeMap, key: string) => string | undefined,
): RankedSession | undefined {
  for (let rank = 0; rank < SESSION_KEYS.length; rank += 1) {
    const value = sessionOf(attributes, SESSION_KEYS[rank] as string);
    if (value !== undefined) return { rank, value };
  }
  return undefined;
}

const NOTHING: Scan = Object.freeze({ bits: 0, session: undefined });

/** The marker keys of all conventions in one table, so that their number does not multiply what a span costs. */
export class MarkerTable {
  readonly #conventions: readonly Convention[];
  readonly #rules: readonly CompiledRule[];
  readonly #plans = new Map<number, Plan>();
  readonly #keys = new Map<string, number>();
  readonly #content = new Set<string>();
  /** A convention that does not say what it reads may read anything. */
  readonly #readsAll: boolean;
  readonly #paths: KeyPaths;
  /** The scope and the name that were asked about last, and what they say: spans of one kind come in runs. */
  #scope = "";
  #scopeBits = 0;
  #name = "";
  #nameBits = 0;
  readonly #scopes = new Map<string, number>();
  readonly #prefixes = new Beginnings();
  readonly #spanNames = new Beginnings();
  readonly #events = new Set<string>(["exception"]);

  constructor(conventions: readonly Convention[], ownKeys: readonly string[]) {
    conventions.forEach((convention, index) => {
      this.#add(convention, bitOf(index));
    });
    for (const key of ownKeys) this.#mark(this.#keys, key, OWN_BIT);
    for (const key of SESSION_KEYS) this.#mark(this.#keys, key, SESSION_BIT);
    this.#conventions = conventions;
    this.#readsAll = conventions.some(({ content }) => content === undefined);
    this.#paths = new KeyPaths((key) => this.#traitsOf(key));
    this.#rules = conventions
      .flatMap((convention, index) => convention.rules.map((rule) => ({ ...rule, convention, bit: bitOf(index) })))
      .sort((a, b) => a.precedence - b.precedence);
  }

  /** Bits of everything that asks for a closer look: 0 for a span of which nothing will ever be read. */
  bitsOf(scope: string, name: string, attributes: object): number {
    return this.#namesOf(scope, name) | this.#paths.walk(attributes).bits;
  }

  /** The same, or as much of it as the span's names say, where they say anything: enough to know that more is to be read. */
  firstBitsOf(scope: string, name: string, attributes: object): number {
    const names = this.#namesOf(scope, name);
    return names === 0 ? this.#paths.walk(attributes).bits : names;
  }

  /** The keys of `attributes`, and what is held of their values, in order. */
  collect(attributes: object, allowance: Allowance): Collected {
    return this.#paths.collect(attributes, allowance);
  }

  /** Whether somebody reads long or nested values under that key. */
  readsContent(key: string): boolean {
    return this.#traitsOf(key).content;
  }

  /** Whether somebody reads events of that name. */
  readsEvent(name: unknown): boolean {
    return this.#readsAll || this.#events.has(name as string);
  }

  /** Goes over the span's keys, and asks for its session id where one of them may carry it. */
  scan(view: SpanView, sessionOf: (attributes: AttributeMap, key: string) => string | undefined): Scan {
    const bits = this.bitsOf(view.scope_name, view.name, view.attributes);
    if (bits === 0) return NOTHING;
    const session = (bits & SESSION_BIT) === 0 ? undefined : bestSession(view.attributes, sessionOf);
    return { bits: bits & ~SESSION_BIT, session };
  }

  /** Whom to ask about a span with these bits, so that the number of conventions does not multiply the asking. */
  planOf(bits: number): Plan {
    const known = this.#plans.get(bits);
    if (known !== undefined) return known;
    const plan = {
      rules: this.#rules.filter((rule) => (rule.bit & bits) !== 0),
      conventions: this.#conventions.filter((_, index) => (bitOf(index) & bits) !== 0),
    };
    if (this.#plans.size < MAX_PLANS) this.#plans.set(bits, plan);
    return plan;
  }

  #namesOf(scope: string, name: string): number {
    if (scope !== this.#scope) {
      this.#scope = scope;
      this.#scopeBits = this.#scopes.get(scope) ?? 0;
    }
    if (name !== this.#name) {
      this.#name = name;
      this.#nameBits = this.#spanNames.bitsOf(name);
    }
    return this.#scopeBits | this.#nameBits;
  }

  #traitsOf(key: string): KeyTraits {
    const bits = (this.#keys.get(key) ?? 0) | this.#prefixes.bitsOf(key);
    return { bits, content: bits !== 0 || this.#readsAll || this.#content.has(key) };
  }

  #add(convention: Convention, bit: number): void {
    for (const key of convention.markers) this.#mark(this.#keys, key, bit);
    for (const scope of convention.scopes ?? []) this.#mark(this.#scopes, scope, bit);
    for (const prefix of convention.markerPrefixes ?? []) this.#prefixes.add(prefix, bit);
    for (const prefix of convention.spanNames ?? []) this.#spanNames.add(prefix, bit);
    for (const key of convention.content ?? []) this.#content.add(key);
    for (const event of convention.events ?? []) this.#events.add(event);
  }

  #mark(table: Map<string, number>, key: string, bit: number): void {
    table.set(key, (table.get(key) ?? 0) | bit);
  }
}

interface Beginning {
  readonly prefix: string;
  readonly bit: number;
}

/** Beginnings of names, by their first letter, which tells most of them apart. */
class Beginnings {
  readonly #byFirst: (Beginning[] | undefined)[] = new Array<Beginning[] | undefined>(128).fill(undefined);

  add(prefix: string, bit: number): void {
    const first = prefix.charCodeAt(0);
    const known = this.#byFirst[first];
    if (known === undefined) this.#byFirst[first] = [{ prefix, bit }];
    else known.push({ prefix, bit });
  }

  bitsOf(name: string): number {
    const candidates = this.#byFirst[name.charCodeAt(0)];
    if (candidates === undefined) return 0;
    let bits = 0;
    for (let index = 0; index < candidates.length; index += 1) {
      const { prefix, bit } = candidates[index] as Beginning;
      const last = prefix.length - 1;
      // The last letter tells apart what shares the first; a look at one letter costs next to nothing.
      if (name.charCodeAt(last) === prefix.charCodeAt(last) && name.startsWith(prefix)) bits |= bit;
    }
    return bits;
  }
}
