/**
 * Ids of spans that were let go, each with its parent's. Adding is all that usually happens, and costs two pushes; the
 * index is built when somebody asks for the first time, which is when a span comes again or comes late.
 */
export class Leaves {
  readonly #pairs: string[] = [];
  #parents: Map<string, string> | undefined = undefined;
  #indexed = 0;

  get size(): number {
    return this.#pairs.length / 2;
  }

  add(spanId: string, parentId: string): void {
    this.#pairs.push(spanId, parentId);
  }

  /** The parent of a span that was let go; undefined for any other span. */
  parentOf(spanId: string): string | undefined {
    if (this.#pairs.length === 0) return undefined;
    this.#parents ??= new Map();
    for (; this.#indexed < this.#pairs.length; this.#indexed += 2) {
      this.#parents.set(this.#pairs[this.#indexed] as string, this.#pairs[this.#indexed + 1] as string);
    }
    return this.#parents.get(spanId);
  }
}
