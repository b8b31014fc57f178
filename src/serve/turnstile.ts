interface Waiting {
  readonly since: number;
  readonly pass: (mayPass: boolean) => void;
}

/** One request is let in after this part of the time for which scoring has been behind. */
const PART_OF_BEHIND = 1 / 10;

/**
 * Lets requests in one after the other while scoring is behind, and the longer it has been, the more rarely. Who takes and
 * who scores share one event loop; without this the former would have nearly all of it, since each request is longer than
 * a turn of scoring, and what waits to be scored would grow until memory is full. As it is, senders are slowed down to
 * what can be scored.
 */
export class Turnstile {
  readonly #behindMillis: () => number;
  readonly #longestMillis: number;
  readonly #waiting: Waiting[] = [];
  #lastAt = Number.NEGATIVE_INFINITY;
  #open = false;

  /**
   * @param behindMillis for how long there has always been something left to score
   * @param longestMillis how long a request waits at most
   */
  constructor(behindMillis: () => number, longestMillis: number) {
    this.#behindMillis = behindMillis;
    this.#longestMillis = longestMillis;
  }

  /** Resolves with whether a request may come in, or has waited for too long; undefined: it may, at once. */
  turn(): Promise<boolean> | undefined {
    if (this.#open || (this.#waiting.length === 0 && this.#mayPass())) return undefined;
    return new Promise((pass) => {
      this.#waiting.push({ since: performance.now(), pass });
      if (this.#waiting.length === 1) this.#look();
    });
  }

  /** From now on nobody waits. */
  open(): void {
    this.#open = true;
    for (const { pass } of this.#waiting.splice(0)) pass(true);
  }

  #mayPass(): boolean {
    const now = performance.now();
    if (now - this.#lastAt < this.#behindMillis() * PART_OF_BEHIND) return false;
    this.#lastAt = now;
    return true;
  }

  #look(): void {
    setTimeout(() => {
      const [oldest] = this.#waiting;
      if (oldest === undefined) return;
      const mayPass = this.#mayPass();
      if (mayPass || performance.now() - oldest.since > this.#longestMillis) {
        this.#waiting.shift();
        oldest.pass(mayPass);
      }
      if (this.#waiting.length > 0) this.#look();
    }, 0);
  }
}
