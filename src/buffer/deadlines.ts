/** Something with at most one deadline. The fields belong to {@link Deadlines}. */
export interface Due {
  /** The key under which it stands in the heap: never later than its deadline. */
  heap_key: number;
  /** Its place in the heap; -1 when it has no deadline. */
  heap_index: number;
}

/**
 * A binary heap of deadlines, at most one per item, without a clock of its own.
 *
 * A deadline that has moved later costs nothing at all: the item keeps its old key, and what it is due at is asked
 * (`dueOf`) when that key comes up. So the usual case on the hot path (a span came, the idle deadline moves on) is
 * free; an earlier deadline, an insertion or a removal costs O(log n). A wake-up that finds nothing due is harmless.
 */
export class Deadlines<T extends Due> {
  readonly #heap: T[] = [];
  readonly #dueOf: (item: T) => number;

  /** @param dueOf - When an item is due now, in the clock of whoever passes `now`. */
  constructor(dueOf: (item: T) => number) {
    this.#dueOf = dueOf;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** When to look again: a lower bound of the earliest deadline, or undefined when there is none. */
  get next(): number | undefined {
    return this.#heap[0]?.heap_key;
  }

  /** To be called for a new item, and whenever a deadline may have become earlier. */
  set(item: T): void {
    const due = this.#dueOf(item);
    if (item.heap_index < 0) {
      item.heap_key = due;
      item.heap_index = this.#heap.length;
      this.#heap.push(item);
      this.#up(item);
    } else if (due < item.heap_key) {
      item.heap_key = due;
      this.#up(item);
    }
  }

  delete(item: T): void {
    const index = item.heap_index;
    if (index < 0) return;
    item.heap_index = -1;
    const last = this.#heap.pop() as T;
    if (last === item) return;
    last.heap_index = index;
    this.#heap[index] = last;
    this.#up(last);
    this.#down(last);
  }

  /** Takes out the earliest item that is due at `now`, or gives undefined. */
  take(now: number): T | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (top === undefined || top.heap_key > now) return undefined;
      const due = this.#dueOf(top);
      if (due <= now) {
        this.delete(top);
        return top;
      }
      top.heap_key = due;
      this.#down(top);
    }
  }

  #up(item: T): void {
    let index = item.heap_index;
    while (index > 0) {
      const parent = this.#heap[(index - 1) >> 1] as T;
      if (parent.heap_key <= item.heap_key) break;
      this.#heap[index] = parent;
      parent.heap_index = index;
      index = (index - 1) >> 1;
    }
    this.#heap[index] = item;
    item.heap_index = index;
  }

  #down(item: T): void {
    let index = item.heap_index;
    for (;;) {
      const left = 2 * index + 1;
      if (left >= this.#heap.length) break;
      const right = left + 1;
      const child =
        right < this.#heap.length && (this.#heap[right] as T).heap_key < (this.#heap[left] as T).heap_key
          ? right
          : left;
      const other = this.#heap[child] as T;
      if (other.heap_key >= item.heap_key) break;
      this.#heap[index] = other;
      other.heap_index = index;
      index = child;
    }
    this.#heap[index] = item;
    item.heap_index = index;
  }
}
