import type { Timers } from "../../src/expectation/source.ts";

/** Timers that fire when a test says so. */
export class ManualTimers implements Timers {
  readonly #pending = new Map<number, { readonly callback: () => void; readonly millis: number }>();
  #next = 1;

  setTimer(callback: () => void, millis: number): unknown {
    const handle = this.#next;
    this.#next += 1;
    this.#pending.set(handle, { callback, millis });
    return handle;
  }

  clearTimer(handle: unknown): void {
    this.#pending.delete(handle as number);
  }

  /** Delays of the timers that wait, in the order in which they were set. */
  get waiting(): number[] {
    return [...this.#pending.values()].map(({ millis }) => millis);
  }

  /** Fires every timer of this delay. */
  fire(millis: number): void {
    for (const [handle, timer] of [...this.#pending]) {
      if (timer.millis !== millis) continue;
      this.#pending.delete(handle);
      timer.callback();
    }
  }
}
