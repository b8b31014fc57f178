import type { SpanReader } from "../conventions/read-span.ts";

/** Different names or keys that are remembered; an export has a few hundred. */
const MAX_REMEMBERED = 10_000;

/**
 * Tells spans that are nothing but places in the tree by their scope, name and attribute keys. The reader is asked once
 * for each of them: a span says nothing when none of its parts does.
 */
export class PlainSpans {
  readonly #reader: Pick<SpanReader, "look">;
  readonly #scopes = new Map<string, boolean>();
  readonly #names = new Map<string, boolean>();
  readonly #keys = new Map<string, boolean>();

  /** `wanted`: attributes that somebody asks for, so that a span that has one is not plain. */
  constructor(reader: Pick<SpanReader, "look">, wanted: readonly string[]) {
    this.#reader = reader;
    for (const key of wanted) this.#keys.set(key, false);
  }

  /** Whether a span with these parts is plain. */
  has(scope: string, name: string, keys: readonly string[]): boolean {
    if (!this.#ask(this.#scopes, scope, scope, "", undefined)) return false;
    if (!this.#ask(this.#names, name, "", name, undefined)) return false;
    for (const key of keys) if (!this.#ask(this.#keys, key, "", "", key)) return false;
    return true;
  }

  #ask(known: Map<string, boolean>, part: string, scope: string, name: string, key: string | undefined): boolean {
    const remembered = known.get(part);
    if (remembered !== undefined) return remembered;
    const attributes = key === undefined ? {} : { [key]: "" };
    const plain = this.#reader.look({ name, attributes, instrumentationScope: { name: scope } }) === 0;
    if (known.size < MAX_REMEMBERED) known.set(part, plain);
    return plain;
  }
}
