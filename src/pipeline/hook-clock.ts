import type { Runtime } from "./timers.ts";

/** How far ahead of what was last known a span's own time is believed. */
const TRUSTED_AHEAD_MILLIS = 1_000;
/** Start times are whole milliseconds, so that they may lie this much behind an end that was seen before. */
const TRUSTED_BEHIND_MILLIS = 2;
/** The clock is read at least once in so many questions, so that made-up times cannot lead it far astray. */
const QUESTIONS = 64;

/**
 * The time in a hook, taken from the span that the hook is about: reading a clock costs as much as everything else that
 * a hook does. A span's own time is believed where it lies just ahead of the time that was known before. A time far
 * ahead (a quiet while, a frozen process, a clock that jumped) leads to a look at the clock; a time of the past, which
 * only spans written after the fact have, leaves the answer unsure: not later than now, and good enough to go on with.
 */
export class HookClock {
  readonly #runtime: Runtime;
  /** Wall clock minus `runtime.now()`, in ms. */
  #offset = 0;
  /** In `runtime.now()` milliseconds; whole ones, which engines keep without a box. */
  #known = 0;
  #questions = QUESTIONS;
  /** Whether the last answer is the time, and not just a time before it. */
  sure = true;
  /** Whether the last answer came from the clock itself. */
  fresh = true;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Looks at the clock. */
  read(): number {
    this.#known = Math.floor(this.#runtime.now());
    this.#offset = this.#runtime.wall() - this.#known;
    this.#questions = 0;
    this.sure = true;
    this.fresh = true;
    return this.#known;
  }

  /** {@link at}, for what must not be unsure. */
  exactly(seconds: number, nanos: number): number {
    const known = this.at(seconds, nanos);
    return this.sure ? known : this.read();
  }

  /** The time, given that a span says it is `seconds` and `nanos` since the epoch. */
  at(seconds: number, nanos: number): number {
    this.#questions += 1;
    if (this.#questions > QUESTIONS) return this.read();
    const ahead = seconds * 1_000 + nanos / 1_000_000 - this.#offset - this.#known;
    if (ahead > TRUSTED_AHEAD_MILLIS) return this.read();
    this.fresh = false;
    this.sure = ahead >= -TRUSTED_BEHIND_MILLIS;
    if (ahead >= 1) this.#known += Math.floor(ahead);
    return this.#known;
  }
}
