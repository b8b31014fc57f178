import type { Column } from "../model/expectation.ts";
import type { ColumnResolution, ResolutionRequest } from "../model/resolution.ts";

/** What one source says about one unit; a column that is absent is one it does not speak for. */
export type Found = Readonly<Partial<Record<Column, ColumnResolution>>>;

/**
 * A configured source of expectations (source 4): a file, a list of rules, a function.
 *
 * `find` never throws and never rejects: what goes wrong is a `failed` column. It returns a promise only where
 * `answersAtOnce` may be false.
 */
export interface ExpectationSource {
  /** For messages: the path of a file, the name of a function. */
  readonly name: string;
  /** What is found is validated already. Sources that lack this mark are taken for host code and guarded. */
  readonly checked: true;
  find(request: ResolutionRequest): Found | Promise<Found>;
  /**
   * True when `find` answers by return. A function is taken to do so until it has first returned a promise; a file
   * does once it has loaded, or failed to.
   */
  answersAtOnce(): boolean;
  /**
   * Settles when the source has loaded, has failed to, or has used up its time; it never rejects. Undefined when
   * there is nothing (more) to wait for.
   */
  loading(): Promise<void> | undefined;
  /** True for one that has failed to load, and has nothing to answer with. @defaultValue false */
  hasFailed?(): boolean;
  /** False where `find` never looks at attributes, so that none need to be kept. @defaultValue true */
  readonly readsAttributes?: boolean;
  /** Lets go of timers; idempotent. */
  close?(): void;
}

/** Timers, as the owner of the runtime gives them; they are asked for only when one is needed. */
export interface Timers {
  /** Calls back once after `millis`, without keeping the process alive. */
  setTimer(callback: () => void, millis: number): unknown;
  clearTimer(handle: unknown): void;
}
