import type { Timers } from "../expectation/source.ts";
import { show, TrajectoryError } from "../model/errors.ts";
import type { ExpectationFile, ExpectationFileOptions } from "./options.ts";
import { WatchedFile } from "./watch.ts";

export { loadExpectationFile } from "./load.ts";
export type { ExpectationFile, ExpectationFileOptions, FileProblem, LoadedExpectations } from "./options.ts";

/**
 * Opens a YAML or JSON file of expectations and follows it: it is looked at every `pollMillis`, a broken edit keeps
 * the last good content. Reading is asynchronous and starts at once.
 *
 * @throws TrajectoryError `invalid_option` for a path or an option of the wrong type; the file itself never throws
 */
export function openExpectationFile(path: string, options: ExpectationFileOptions = {}): ExpectationFile {
  if (typeof path !== "string" || path === "") {
    throw new TrajectoryError("invalid_option", "path", `path: expected the path of a file, got ${show(path)}`);
  }
  return new WatchedFile(path, {
    pollMillis: positive("pollMillis", options.pollMillis ?? 5_000),
    timeoutMillis: positive("timeoutMillis", options.timeoutMillis ?? 5_000),
    onProblem: options.onProblem ?? (() => undefined),
    timers: options.timers ?? nodeTimers,
  });
}

const nodeTimers: Timers = {
  setTimer: (callback, millis) => setTimeout(callback, millis).unref(),
  clearTimer: (handle) => clearTimeout(handle as NodeJS.Timeout | undefined),
};

function positive(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 1) return value;
  throw new TrajectoryError("invalid_option", name, `${name}: expected a number of at least 1, got ${show(value)}`);
}
