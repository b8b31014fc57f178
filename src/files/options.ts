import type { ExpectationSource, Timers } from "../expectation/source.ts";
import type { ExpectationRule } from "../model/expectation.ts";

/** Something about a file that its owner should say once. */
export interface FileProblem {
  /** `error`: nothing is loaded, results are `expectation_error`. `warning`: the last good content stays in use. */
  readonly level: "error" | "warning";
  /** One line that names the file. */
  readonly message: string;
}

/** Options of {@link OpenExpectationFile}. */
export interface ExpectationFileOptions {
  /** How often the file is looked at, in ms, from 1 up. @defaultValue 5000 */
  readonly pollMillis?: number | undefined;
  /** How long units may wait for the first load, in ms, from 1 up. @defaultValue 5000 */
  readonly timeoutMillis?: number | undefined;
  /** Called once per problem, not once per look. @defaultValue says nothing */
  readonly onProblem?: ((problem: FileProblem) => void) | undefined;
  /** @defaultValue the process's own timers, unref'd */
  readonly timers?: Timers | undefined;
}

/** A source that follows a file. */
export interface ExpectationFile extends ExpectationSource {
  /** Looks at the file now instead of at the next poll; settles when what is found is in use. Never rejects. */
  refresh(): Promise<void>;
  /** Stops looking; idempotent. What is loaded stays in use. */
  close(): void;
}

/** What a file holds, or one line per problem, each naming the file. */
export type LoadedExpectations =
  | { readonly ok: true; readonly rules: readonly ExpectationRule[] }
  | { readonly ok: false; readonly problems: readonly string[] };
