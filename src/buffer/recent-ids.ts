/** A bounded memory of ids, in two generations: O(1), and it forgets the oldest half at a time. */
export class RecentIds {
  readonly #half: number;
  #young = new Set<string>();
  #old = new Set<string>();

  /** Remembers at least the last `capacity / 2` ids and at most `capacity`. */
  constructor(capacity: number) {
    this.#half = Math.max(1, Math.floor(capacity / 2));
  }

  add(id: string): void {
    if (this.#young.size >= this.#half) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(id);
  }

  has(id: string): boolean {
    return this.#young.has(id) || this.#old.has(id);
  }
}
