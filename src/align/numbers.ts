/** Numbers in one part; a power of two. */
const PART = 65_536;
const MASK = PART - 1;
const SHIFT = 16;

/**
 * A list of whole numbers that may grow to millions: kept in parts, so that growing never copies more than one of them,
 * and none is so large that making it takes long.
 */
export class Numbers {
  readonly #parts: number[][] = [[]];
  #last: number[] = this.#parts[0] as number[];

  get length(): number {
    return (this.#parts.length - 1) * PART + this.#last.length;
  }

  push(value: number): void {
    if (this.#last.length === PART) {
      this.#last = [];
      this.#parts.push(this.#last);
    }
    this.#last.push(value);
  }

  at(index: number): number {
    return (this.#parts[index >>> SHIFT] as number[])[index & MASK] as number;
  }
}
