import { stat } from "node:fs/promises";
import { failedFound } from "../expectation/found.ts";
import { RuleSet } from "../expectation/from-rules.ts";
import type { Found, Timers } from "../expectation/source.ts";
import type { ResolutionRequest } from "../model/resolution.ts";
import { loadExpectationFile, summaryOf } from "./load.ts";
import type { ExpectationFile, FileProblem } from "./options.ts";

/** Every option with its value. */
export interface ResolvedFileOptions {
  readonly pollMillis: number;
  readonly timeoutMillis: number;
  readonly onProblem: (problem: FileProblem) => void;
  readonly timers: Timers;
}

/**
 * Follows one file.
 *
 * | state | `find` | after a good load | after a bad load |
 * | --- | --- | --- | --- |
 * | loading | waits, at most its time limit | loaded | failed, one error |
 * | failed | `expectation_error` | loaded | failed, one error per edit |
 * | loaded | the rules | loaded | loaded with the last good rules, one warning per edit |
 *
 * A load that takes longer than the time limit is `expectation_timeout` until it ends.
 */
export class WatchedFile implements ExpectationFile {
  readonly name: string;
  readonly checked = true;
  readonly #options: ResolvedFileOptions;
  #rules: RuleSet | undefined;
  #failure: Found | undefined;
  #loading: Promise<void> | undefined;
  /** What the file looked like when it was last read; two looks that agree need no second reading. */
  #seen = "";
  #reported = "";
  #reading: Promise<void> | undefined;
  #timer: unknown;
  #closed = false;

  constructor(path: string, options: ResolvedFileOptions) {
    this.name = path;
    this.#options = options;
    this.#loading = this.#firstLoad();
  }

  find(request: ResolutionRequest): Found | Promise<Found> {
    return this.#loading === undefined ? this.#answer(request) : this.#loading.then(() => this.#answer(request));
  }

  answersAtOnce(): boolean {
    return this.#loading === undefined;
  }

  loading(): Promise<void> | undefined {
    return this.#loading;
  }

  hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  async refresh(): Promise<void> {
    // Two looks at one time could end in the wrong order.
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  close(): void {
    this.#closed = true;
    this.#options.timers.clearTimer(this.#timer);
  }

  #answer(request: ResolutionRequest): Found {
    return this.#rules?.find(request) ?? this.#failure ?? {};
  }

  #firstLoad(): Promise<void> {
    const { timers, timeoutMillis } = this.#options;
    return new Promise((resolve) => {
      const done = (): void => {
        this.#loading = undefined;
        resolve();
      };
      const limit = timers.setTimer(() => {
        const message = `${this.name}: not loaded within ${timeoutMillis} ms`;
        this.#failure = failedFound("expectation_timeout", message);
        done();
      }, timeoutMillis);
      void this.refresh().then(() => {
        timers.clearTimer(limit);
        done();
        this.#schedule();
      });
    });
  }

  #schedule(): void {
    if (this.#closed) return;
    // Set anew after each look, so that a slow file system never has two looks under way.
    this.#timer = this.#options.timers.setTimer(() => {
      void this.refresh().then(() => this.#schedule());
    }, this.#options.pollMillis);
  }

  async #look(): Promise<void> {
    const seen = await fingerprint(this.name);
    if (seen === this.#seen) return;
    const loaded = await loadExpectationFile(this.name);
    // Remembered as it was before the reading: what changed meanwhile is read at the next look.
    this.#seen = seen;
    if (loaded.ok) {
      this.#rules = new RuleSet(loaded.rules);
      this.#failure = undefined;
      this.#reported = "";
    } else {
      this.#failed(loaded.problems, seen);
    }
  }

  #failed(problems: readonly string[], seen: string): void {
    const message = summaryOf(problems, this.name);
    if (this.#rules === undefined) this.#failure = failedFound("expectation_error", message);
    if (this.#reported === seen) return;
    this.#reported = seen;
    const problem: FileProblem =
      this.#rules === undefined
        ? { level: "error", message }
        : { level: "warning", message: `${message}; the last good expectations stay in use` };
    try {
      this.#options.onProblem(problem);
    } catch {
      // Whoever is told must not stop us from following the file.
    }
  }
}

/** Changes whenever the file does: its identity, size and times to the nanosecond; or why it cannot be seen. */
async function fingerprint(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return `${ino}/${size}/${mtimeNs}/${ctimeNs}`;
  } catch (error) {
    return `unseen: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`;
  }
}
