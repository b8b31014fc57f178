import type { SpanView } from "../model/span.ts";
import type { Convention, KindRule } from "./convention.ts";
import { SESSION_KEYS } from "./session-keys.ts";

/** Set for keys that the reader itself looks for; the bits below say which conventions are concerned. */
export const OWN_BIT: number = 1 << 29;
const SESSION_BIT = 1 << 30;

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
  readonly session: { readonly rank: number; readonly value: string } | undefined;
}

const NOTHING: Scan = Object.freeze({ bits: 0, session: undefined });

/**
 * The marker keys of all conventions in one table, so that a span of no kind costs one pass over its own keys: O(keys)
 * look-ups, no allocation.
 */
export class MarkerTable {
  readonly #conventions: readonly Convention[];
  readonly #rules: readonly CompiledRule[];
  readonly #plans = new Map<number, Plan>();
  readonly #keys = new Map<string, number>();
  readonly #sessionRanks = new Map<string, number>();
  #silentScope: string | undefined = undefined;
  /** Which keys may be in the tables at all, by {@link sieveOf}: a look-up costs several times as much. */
  readonly #sieve = new Uint8Array(SIEVE_SIZE);
  readonly #scopes = new Map<string, number>();
  readonly #prefixes = new Beginnings();
  readonly #spanNames = new Beginnings();

  constructor(conventions: readonly Convention[], ownKeys: readonly string[]) {
    conventions.forEach((convention, index) => {
      this.#add(convention, bitOf(index));
    });
    for (const key of ownKeys) this.#markKey(key, OWN_BIT);
    SESSION_KEYS.forEach((key, rank) => {
      this.#markKey(key, SESSION_BIT);
      this.#sessionRanks.set(key, rank);
    });
    this.#conventions = conventions;
    this.#rules = conventions
      .flatMap((convention, index) => convention.rules.map((rule) => ({ ...rule, convention, bit: bitOf(index) })))
      .sort((a, b) => a.precedence - b.precedence);
  }

  /** Whether {@link scan} would find nothing; it stops at the first key that says something. */
  isSilent(scope: string, name: string, attributes: object): boolean {
    // Most spans of a run share their scope, as the same string.
    if (scope !== this.#silentScope) {
      if (this.#scopes.has(scope)) return false;
      this.#silentScope = scope;
    }
    if (this.#spanNames.bitsOf(name) !== 0) return false;
    for (const key in attributes) {
      if (this.#sieve[sieveOf(key)] === 1 && (this.#keys.has(key) || this.#prefixes.bitsOf(key) !== 0)) return false;
    }
    return true;
  }

  /** Asks `sessionOf` for the value of each session key that beats the best one so far. */
  scan(view: SpanView, sessionOf: (view: SpanView, key: string) => string | undefined): Scan {
    let bits = (this.#scopes.get(view.scope_name) ?? 0) | this.#spanNames.bitsOf(view.name);
    let rank = SESSION_KEYS.length;
    let value: string | undefined;
    for (const key in view.attributes) {
      if (this.#sieve[sieveOf(key)] === 0) continue;
      const found = this.#keys.get(key);
      if (found === undefined) {
        bits |= this.#prefixes.bitsOf(key);
        continue;
      }
      bits |= found;
      if ((found & SESSION_BIT) === 0) continue;
      const candidate = this.#sessionRanks.get(key) ?? rank;
      if (candidate >= rank) continue;
      const session = sessionOf(view, key);
      if (session === undefined) continue;
      rank = candidate;
      value = session;
    }
    bits &= ~SESSION_BIT;
    if (value !== undefined) return { bits, session: { rank, value } };
    return bits === 0 ? NOTHING : { bits, session: undefined };
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

  #add(convention: Convention, bit: number): void {
    for (const key of convention.markers) this.#markKey(key, bit);
    for (const scope of convention.scopes ?? []) this.#mark(this.#scopes, scope, bit);
    for (const prefix of convention.markerPrefixes ?? []) {
      this.#prefixes.add(prefix, bit);
      this.#sieve[sieveOf(prefix)] = 1;
    }
    for (const prefix of convention.spanNames ?? []) this.#spanNames.add(prefix, bit);
  }

  #markKey(key: string, bit: number): void {
    this.#mark(this.#keys, key, bit);
    this.#sieve[sieveOf(key)] = 1;
  }

  #mark(table: Map<string, number>, key: string, bit: number): void {
    table.set(key, (table.get(key) ?? 0) | bit);
  }
}

const SIEVE_SIZE = 1_024;

/** A hash of the first three characters, so that a key and every beginning of three characters or more share it. */
function sieveOf(key: string): number {
  return ((key.charCodeAt(0) * 31) ^ (key.charCodeAt(1) * 7) ^ key.charCodeAt(2)) & (SIEVE_SIZE - 1);
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
    for (const { prefix, bit } of candidates) if (name.startsWith(prefix)) bits |= bit;
    return bits;
  }
}
