import type { Runtime } from "../../src/pipeline/timers.ts";

/** A clock and timers that move only when told to. */
export class ManualRuntime implements Runtime {
  #now = 0;
  #jumped = 0;
  #timers: { at: number; callback: () => void; keepAlive: boolean }[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return 1_700_000_000_000 + this.#now + this.#jumped;
  }

  setTimer(callback: () => void, millis: number, keepAlive = false): unknown {
    const timer = { at: this.#now + millis, callback, keepAlive };
    this.#timers.push(timer);
    return timer;
  }

  clearTimer(handle: unknown): void {
    this.#timers = this.#timers.filter((timer) => timer !== handle);
  }

  get waiting(): number {
    return this.#timers.length;
  }

  /** How many timers keep the process alive. */
  get keepingAlive(): number {
    return this.#timers.filter(({ keepAlive }) => keepAlive).length;
  }

  /** Moves the clock, and fires what falls due on the way, in order. */
  advance(millis: number): void {
    const until = this.#now + millis;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.clearTimer(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = until;
  }

  /** Fires the timer that falls due next, and no other. */
  step(): void {
    const next = [...this.#timers].sort((a, b) => a.at - b.at)[0];
    if (next === undefined) return;
    this.clearTimer(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
  }

  /** Somebody sets the wall clock; no time passes. */
  jump(millis: number): void {
    this.#jumped += millis;
  }

  /** A process that was thawed elsewhere: its timers never fire. */
  lose(): void {
    this.#timers = [];
  }

  /** A frozen process: time passes, timers do not fire. */
  freeze(millis: number): void {
    this.#now += millis;
  }
}
