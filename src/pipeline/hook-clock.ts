import type { Runtime } from "./timers.ts";

/** How far ahead of what was last known a span's own time is believed. */
const TRUSTED_AHEAD_MILLIS = 1_000;
/** Start times are whole milliseconds, so that they may lie this much behind an end that was seen before. */
const TRUSTED_BEHIND_MILLIS = 2;
/** The clock is read at least once in so many questions, so that made-up times cannot lead it far astray. */
const QUESTIONS = 64;

/**
 * The time in a hook, taken from the span that the hook is about: reading a clock costs as much as everything else that
 * a hook does. A span's own time is believed where it lies just ahead of the time that was known before. Any other time
 * (of the past, as spans have that are written after the fact; far ahead, after a quiet while, a frozen process or a
 * jump of the clock) leads to a look at the clock.
 */
export class HookClock {
  readonly #runtime: Runtime;
  /** Wall clock minus `runtime.now()`, in ms. */
  #offset = 0;
  /** In `runtime.now()` milliseconds; whole ones, which engines keep without a box. */
  #known = 0;
  #questions = QUESTIONS;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Looks at the clock. */
  read(): number {
    this.#known = Math.floor(this.#runtime.now());
    this.#offset = this.#runtime.wall() - this.#known;
    this.#questions = 0;
    return this.#known;
  }

  /** The time, given that a span says it is `seconds` and `nanos` since the epoch. */
  at(seconds: number, nanos: number): number {
    this.#questions += 1;
    const ahead = this.timeOf(seconds, nanos) - this.#known;
    if (this.#questions > QUESTIONS || !(ahead >= -TRUSTED_BEHIND_MILLIS && ahead <= TRUSTED_AHEAD_MILLIS))
      return this.read();
    if (ahead >= 1) this.#known += Math.floor(ahead);
    return this.#known;
  }

  /** A span's time in `runtime.now()` milliseconds, believed or not. */
  timeOf(seconds: number, nanos: number): number {
    return seconds * 1_000 + nanos / 1_000_000 - this.#offset;
  }
}
