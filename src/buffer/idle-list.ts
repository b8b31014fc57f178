/** An item of one {@link IdleList}. The two fields belong to the list. */
export interface Linked {
  idle_previous: Linked | undefined;
  idle_next: Linked | undefined;
}

/**
 * An intrusive doubly linked list from the longest idle to the most recently touched. Every operation is O(1) and
 * allocates nothing, so that it can run in a hook for every span.
 */
export class IdleList<T extends Linked> {
  #oldest: T | undefined;
  #newest: T | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that has been idle longest. */
  get oldest(): T | undefined {
    return this.#oldest;
  }

  add(item: T): void {
    item.idle_previous = this.#newest;
    item.idle_next = undefined;
    if (this.#newest === undefined) this.#oldest = item;
    else this.#newest.idle_next = item;
    this.#newest = item;
    this.#size += 1;
  }

  /** Makes `item`, which is in the list, the most recent. */
  touch(item: T): void {
    if (item === this.#newest) return;
    this.delete(item);
    this.add(item);
  }

  /** Takes `item`, which is in the list, out of it. */
  delete(item: T): void {
    const { idle_previous: previous, idle_next: next } = item;
    if (previous === undefined) this.#oldest = next as T | undefined;
    else previous.idle_next = next;
    if (next === undefined) this.#newest = previous as T | undefined;
    else next.idle_previous = previous;
    item.idle_previous = undefined;
    item.idle_next = undefined;
    this.#size -= 1;
  }
}
