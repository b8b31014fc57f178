/**
 * Lets at most `limit` asynchronous jobs run at once; at most `maxWaiting` others wait, in order of arrival. One more
 * sends away the job that has waited longest: when nothing gets through, what is newest is worth most.
 * Only asynchronous scorers pass through it, so that synchronous results stay synchronous.
 */
export class Limiter {
  readonly #limit: number;
  readonly #maxWaiting: number;
  /** Called with whether the job may run. */
  readonly #waiting: ((mayRun: boolean) => void)[] = [];
  #running = 0;

  constructor(limit: number, maxWaiting: number) {
    this.#limit = Math.max(1, limit);
    this.#maxWaiting = maxWaiting;
  }

  /** Jobs that run or wait. */
  get size(): number {
    return this.#running + this.#waiting.length;
  }

  /** Whether the next job would have to wait. */
  get full(): boolean {
    return this.#running >= this.#limit;
  }

  /** Runs the job when its turn comes; `sentAway` answers for one that had to make room. */
  async run<T>(job: () => Promise<T>, sentAway: () => T): Promise<T> {
    if (this.#running < this.#limit) this.#running += 1;
    else if (!(await this.#turn())) return sentAway();
    try {
      return await job();
    } finally {
      // The place is handed over rather than freed, so that a newcomer cannot overtake a waiter.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next(true);
    }
  }

  #turn(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length > this.#maxWaiting) this.#waiting.shift()?.(false);
    });
  }
}
