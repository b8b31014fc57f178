import { failedFound } from "../expectation/found.ts";
import type { ExpectationFile, ExpectationFileOptions, LoadedExpectations } from "./options.ts";

export type { ExpectationFile, ExpectationFileOptions, FileProblem, LoadedExpectations } from "./options.ts";

const UNSUPPORTED =
  "expectation files need Node.js and this runtime has no file system; give the expectations as an array or a function";

/** Where there is no file system: every unit is `expectation_error`, and the reason is said once. */
export function openExpectationFile(path: string, options: ExpectationFileOptions = {}): ExpectationFile {
  const message = `${path}: ${UNSUPPORTED}`;
  const found = failedFound("expectation_error", message);
  try {
    options.onProblem?.({ level: "error", message });
  } catch {
    // Whoever is told must not stop the processor from starting.
  }
  return {
    name: path,
    checked: true,
    find: () => found,
    answersAtOnce: () => true,
    loading: () => undefined,
    refresh: async () => undefined,
    close: () => undefined,
  };
}

/** Where there is no file system: says so. */
export async function loadExpectationFile(path: string, name: string = path): Promise<LoadedExpectations> {
  return { ok: false, problems: [`${name}: ${UNSUPPORTED}`] };
}
