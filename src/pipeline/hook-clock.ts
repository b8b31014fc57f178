import type { Clock } from "./timers.ts";

/** How far a span's own time may lie from what was last known. */
const TRUSTED_MILLIS = 1_000;
/** The clock is read at least once in so many questions, so that made-up times cannot lead it far astray. */
const QUESTIONS = 64;

/**
 * The time in a hook, taken from the span that the hook is about: reading a clock costs as much as everything else that
 * a hook does. A span's own time is believed where it lies just ahead of the time that was known before; where it lies
 * just behind (start times are whole milliseconds, and some spans are written a little after the fact), what was known
 * stands. Any other time (long past; far ahead, after a quiet while, a frozen process or a jump of the clock) leads to a
 * look at the clock.
 */
export class HookClock {
  readonly #clock: Clock;
  /** Wall clock minus `runtime.now()`, in ms. */
  #offset = 0;
  /** In `runtime.now()` milliseconds; whole ones, which engines keep without a box. */
  #known = 0;
  #questions = QUESTIONS;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Looks at the clock. */
  read(): number {
    this.#known = Math.floor(this.#clock.now());
    this.#offset = this.#clock.wall() - this.#known;
    this.#questions = 0;
    return this.#known;
  }

  /** The time, given that a span says it is `seconds` and `nanos` since the epoch. */
  at(seconds: number, nanos: number): number {
    this.#questions += 1;
    const ahead = this.timeOf(seconds, nanos) - this.#known;
    if (this.#questions > QUESTIONS || !(Math.abs(ahead) <= TRUSTED_MILLIS)) return this.read();
    if (ahead >= 1) this.#known += Math.floor(ahead);
    return this.#known;
  }

  /** A span's time in `runtime.now()` milliseconds, believed or not. */
  timeOf(seconds: number, nanos: number): number {
    return seconds * 1_000 + nanos / 1_000_000 - this.#offset;
  }
}
