import { exportsOf } from "../model/loaded.ts";
import { UsageError } from "./io.ts";

/**
 * Loads a package that only some input needs, so that nobody else has to install it.
 *
 * @throws UsageError (rejects) with the command that installs it, where it is missing
 */
export async function loadOptional<T extends object>(
  name: string,
  purpose: string,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return exportsOf(await load());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new UsageError(`${purpose} needs a package that is not installed; run: npm install ${name}`);
  }
}
