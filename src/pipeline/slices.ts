import { finish, type Sliced } from "../align/sliced.ts";
import type { Runtime } from "./timers.ts";

interface Waiting {
  readonly work: Sliced<object>;
  readonly done: (result: object) => void;
  readonly failed: (error: unknown) => void;
}

/** After so many milliseconds of slices the event loop is given back. */
const TURN_MILLIS = 2;

/**
 * Work that takes more than one slice. What is over within a turn's time is done at once; the rest oldest first, for that
 * time in each turn of the event loop, however much there is. How long a slice takes is told by the clock alone: code that
 * has not been compiled yet takes ten times as long. Its timer does not keep the process alive; whoever awaits the results
 * does. Where there are no timers all is done at once.
 */
export class Slices {
  readonly #runtime: Runtime;
  readonly #waiting: Waiting[] = [];
  #timer: unknown;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The result of work, or where it takes longer, a promise of it. */
  add<T extends object>(work: Sliced<T>): T | Promise<T> {
    const result = this.#goOn(work, this.#runtime.now());
    if (result !== undefined) return result;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, done: (late) => resolve(late as T), failed: reject });
      this.#arm();
      if (this.#timer === undefined) for (const waiting of this.#waiting.splice(0)) this.#do(waiting, finish);
    });
  }

  /** Lets go of all work that is left; what awaits it is never told. */
  stop(): void {
    this.#waiting.length = 0;
    this.#runtime.clearTimer(this.#timer);
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer ??= this.#runtime.setTimer(() => this.#turn(), 0);
  }

  #turn(): void {
    this.#timer = undefined;
    const started = this.#runtime.now();
    do {
      const oldest = this.#waiting[0];
      if (oldest === undefined || !this.#do(oldest, (work) => this.#goOn(work, started))) break;
      this.#waiting.shift();
    } while (this.#hasTime(started));
    if (this.#waiting.length > 0) this.#arm();
  }

  /** One slice at least, and as many as there is time for since `started`; undefined where there are more. */
  #goOn<T extends object>(work: Sliced<T>, started: number): T | undefined {
    do {
      const slice = work.next();
      if (slice.done === true) return slice.value;
    } while (this.#hasTime(started));
    return undefined;
  }

  #hasTime(started: number): boolean {
    return this.#runtime.now() - started < TURN_MILLIS;
  }

  /** True when the work is over. */
  #do({ work, done, failed }: Waiting, how: (work: Sliced<object>) => object | undefined): boolean {
    try {
      const result = how(work);
      if (result === undefined) return false;
      done(result);
    } catch (error) {
      failed(error);
    }
    return true;
  }
}
