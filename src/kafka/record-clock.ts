import type { Clock } from "../pipeline/timers.ts";

/**
 * How long nothing came before time goes by without records. A record may be under way for as long without being found to
 * be from before something that has fallen due already; read again, it will be.
 */
const GRACE_MILLIS = 1_000;

/**
 * The time of one partition: that of its records. Whoever reads them again, at whatever speed, sees the same traces fall
 * quiet; a reader that lags behind holds as much as one that keeps up, and its traces are not torn. Where everything has
 * been read, and a second has passed, time goes by as it does outside.
 *
 * Whole milliseconds; starts at 0 with the first record, and never goes back.
 */
export class RecordClock implements Clock {
  readonly #wall: () => number;
  #base: number | undefined;
  #now = 0;
  #quietSince: number | undefined;

  /** @param wall the time outside, in ms since the epoch: no record is from later than that, whatever it says */
  constructor(wall: () => number = Date.now) {
    this.#wall = wall;
  }

  now(): number {
    return this.#now;
  }

  /** Times that spans say are their senders' and decide nothing. */
  wall(): number {
    return Number.NaN;
  }

  /** {@link now} in ms since the epoch. */
  get timestamp(): number {
    return (this.#base ?? this.#wall()) + this.#now;
  }

  /** What time it is with a record of this timestamp. */
  withRecord(timestamp: number): number {
    this.#quietSince = undefined;
    const at = Math.min(timestamp, this.#wall());
    this.#base ??= at;
    return Math.max(this.#now, at - this.#base);
  }

  /** What time it is while there is nothing to be read, as of a monotonic clock at `millis`. */
  withQuiet(millis: number): number {
    const since = this.#quietSince ?? millis + GRACE_MILLIS;
    const passed = Math.max(0, Math.floor(millis - since));
    this.#quietSince = since + passed;
    return this.#now + passed;
  }

  /** It is that late now; an earlier time changes nothing. */
  advance(now: number): void {
    if (now > this.#now) this.#now = now;
  }
}
