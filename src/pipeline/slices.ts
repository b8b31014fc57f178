import { finish, type Sliced } from "../align/sliced.ts";
import type { Runtime } from "./timers.ts";

interface Waiting {
  readonly work: Sliced<object>;
  readonly done: (result: object) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Work that takes more than one slice, oldest first: one slice a turn of the event loop, however much there is. Its
 * timer does not keep the process alive; whoever awaits the results does. Where there are no timers it is done at once.
 */
export class Slices {
  readonly #runtime: Runtime;
  readonly #waiting: Waiting[] = [];
  #timer: unknown;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** The result of work, once its turn has come. */
  add<T extends object>(work: Sliced<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, done: (result) => resolve(result as T), failed: reject });
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
    const oldest = this.#waiting[0];
    if (oldest === undefined) return;
    if (this.#do(oldest, oneSlice)) this.#waiting.shift();
    if (this.#waiting.length > 0) this.#arm();
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

function oneSlice(work: Sliced<object>): object | undefined {
  const slice = work.next();
  return slice.done === true ? slice.value : undefined;
}
