import type { Clock, Runtime } from "./timers.ts";

/** The event loop is given back after this many milliseconds of work. */
const TURN_MILLIS = 5;

/** A timer this late was held up: the process was frozen, and its timers with it. */
const OVERDUE_MILLIS = 1_000;

/** Who is scheduled. */
export interface Worker {
  /** Lets everything that is due take effect. */
  advance(): void;
  /** Does one piece of work; false when there is none. Never throws. */
  step(): boolean;
  /** When to look again, at the latest; infinite when nothing is waited for. */
  nextDeadline(): number;
  /** What has to happen before any work; undefined when nothing has. Never rejects. */
  blockedBy(): Promise<void> | undefined;
}

/**
 * One timer for everything. Hooks only arm it; a turn does what is due for at most {@link TURN_MILLIS}, so
 * that the host's event loop is never held longer by more than one piece of work. A wake-up that finds nothing due is
 * harmless.
 */
export class Scheduler {
  readonly #runtime: Runtime;
  readonly #worker: Worker;
  /** What deadlines go by; turns and patience go by the runtime's own clock. */
  readonly #clock: Pick<Clock, "now">;
  #timer: unknown;
  #armedFor = Number.POSITIVE_INFINITY;
  #blocked: Promise<void> | undefined;
  #stopped = false;
  /** Since when turns have ended with work left over. */
  #behindSince: number | undefined;

  constructor(runtime: Runtime, worker: Worker, clock: Pick<Clock, "now"> = runtime) {
    this.#runtime = runtime;
    this.#worker = worker;
    this.#clock = clock;
  }

  /** Wakes up at `at`, or earlier where an earlier time is already set. */
  arm(at: number): void {
    if (this.#stopped || (this.#timer !== undefined && this.#armedFor <= at)) return;
    this.#disarm();
    this.#armedFor = at;
    this.#timer = this.#runtime.setTimer(() => this.#turn(), Math.max(0, at - this.#clock.now()));
  }

  /**
   * {@link arm} for hooks: costs a comparison when the timer is set already. A timer that should have fired long ago is
   * replaced, since a thawed process has stale ones.
   */
  wakeBy(at: number, now: number): void {
    if (this.#armedFor <= at && now <= this.#armedFor + OVERDUE_MILLIS) return;
    if (at === Number.POSITIVE_INFINITY) return;
    if (now > this.#armedFor + OVERDUE_MILLIS) this.#disarm();
    this.arm(at);
  }

  /** For how many milliseconds every turn has ended with work left over; 0 where the last one did not. */
  get behindMillis(): number {
    return this.#behindSince === undefined ? 0 : this.#runtime.now() - this.#behindSince;
  }

  /** Works until nothing is left and `pending` is empty, for a limited time. */
  async settle(pending: ReadonlySet<Promise<void>>, timeoutMillis: number): Promise<void> {
    const deadline = this.#runtime.now() + timeoutMillis;
    for (;;) {
      const blocked = this.#block();
      if (blocked !== undefined) await this.within(blocked, deadline);
      else if (this.#slice()) await this.pause();
      else if (pending.size > 0) await this.within(Promise.all(pending), deadline);
      else return;
      if (this.#runtime.now() >= deadline) return;
    }
  }

  /** Gives the event loop back for one turn. Somebody awaits it, so it keeps the process alive. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#runtime.setTimer(resolve, 0, true) === undefined) resolve();
    });
  }

  /** No timer any more; `settle` still works. */
  stop(): void {
    this.#stopped = true;
    this.#disarm();
  }

  #turn(): void {
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
    if (this.#stopped || this.#block() !== undefined) return;
    if (this.#slice()) this.arm(this.#clock.now());
    else {
      const next = this.#worker.nextDeadline();
      if (next !== Number.POSITIVE_INFINITY) this.arm(next);
    }
  }

  #block(): Promise<void> | undefined {
    if (this.#blocked !== undefined) return this.#blocked;
    const blocked = this.#worker.blockedBy();
    if (blocked === undefined) return undefined;
    this.#blocked = blocked.then(() => {
      this.#blocked = undefined;
      this.arm(this.#clock.now());
    });
    return this.#blocked;
  }

  /** True when work is left. */
  #slice(): boolean {
    const started = this.#runtime.now();
    this.#worker.advance();
    while (this.#worker.step()) {
      if (this.#runtime.now() - started < TURN_MILLIS) continue;
      this.#behindSince ??= started;
      return true;
    }
    this.#behindSince = undefined;
    return false;
  }

  #disarm(): void {
    if (this.#timer !== undefined) this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
    this.#armedFor = Number.POSITIVE_INFINITY;
  }

  /** Settles with the work, or at the deadline. Somebody awaits it, so it keeps the process alive. Never rejects. */
  within(work: Promise<unknown>, deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#runtime.setTimer(resolve, Math.max(0, deadline - this.#runtime.now()), true);
      const done = (): void => {
        this.#runtime.clearTimer(timer);
        resolve();
      };
      work.then(done, done);
    });
  }
}
