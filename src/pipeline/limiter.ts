/**
 * Lets at most `limit` asynchronous jobs run at once; the others wait in order of arrival.
 * Only asynchronous scorers pass through it, so that synchronous results stay synchronous.
 */
export class Limiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = Math.max(1, limit);
  }

  /** Jobs that run or wait. */
  get size(): number {
    return this.#running + this.#waiting.length;
  }

  /** Whether the next job would have to wait. */
  get full(): boolean {
    return this.#running >= this.#limit;
  }

  async run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await job();
    } finally {
      // The place is handed over rather than freed, so that a newcomer cannot overtake a waiter.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
