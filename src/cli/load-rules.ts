import { loadExpectationFile, summaryOf } from "../files/load.ts";
import type { ExpectationRule } from "../model/expectation.ts";
import { fromFolder } from "./input-files.ts";
import { UsageError } from "./io.ts";

/** The rules of a file of expectations. @throws UsageError (rejects) naming the file, the place and what is expected */
export async function loadRules(file: string, cwd: string): Promise<readonly ExpectationRule[]> {
  const loaded = await loadExpectationFile(fromFolder(cwd, file), file);
  if (loaded.ok) return loaded.rules;
  throw new UsageError(summaryOf(loaded.problems, file));
}
