/** What time it is. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Wall clock, in milliseconds since the epoch; it may jump. NaN where no time that a span says is to be believed. */
  wall(): number;
}

/** The little of a runtime that the engine needs. Timers and clocks are looked up when used, never at load. */
export interface Runtime extends Clock {
  /** Calls back once after `millis`. Keeps the process alive only where `keepAlive` says so (somebody awaits it). */
  setTimer(callback: () => void, millis: number, keepAlive?: boolean): unknown;
  clearTimer(handle: unknown): void;
}

interface Host {
  readonly performance?: { now(): number };
  readonly setTimeout?: (callback: () => void, millis: number) => unknown;
  readonly clearTimeout?: (handle: unknown) => void;
}

/** A longer timer fires at once in Node; a wake-up that comes early finds nothing due and is harmless. */
const LONGEST = 2_147_483_647;

/** The runtime of the process we are in. Where there are no timers, work is done at the next hook or flush. */
export const hostRuntime: Runtime = {
  now(): number {
    const host = globalThis as Host;
    return host.performance === undefined ? Date.now() : host.performance.now();
  },
  wall(): number {
    return Date.now();
  },
  setTimer(callback: () => void, millis: number, keepAlive = false): unknown {
    const host = globalThis as Host;
    if (host.setTimeout === undefined) return undefined;
    const handle = host.setTimeout(callback, Math.min(Math.max(0, millis), LONGEST));
    // Workers' timers are numbers; there is nothing to unref.
    if (!keepAlive) (handle as { unref?: () => void } | undefined)?.unref?.();
    return handle;
  },
  clearTimer(handle: unknown): void {
    if (handle !== undefined) (globalThis as Host).clearTimeout?.(handle);
  },
};
