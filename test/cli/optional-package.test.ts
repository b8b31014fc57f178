import { expect, test } from "vitest";
import { UsageError } from "../../src/cli/io.ts";
import { loadOptional } from "../../src/cli/optional-package.ts";

/** As Node says it; here a test runner resolves imports. */
const missing = () => Promise.reject(Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" }));

test("a package that is missing is told with the command that installs it", async () => {
  const refused = loadOptional("fzstd", "zstd", missing);
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow("zstd needs a package that is not installed; run: npm install fzstd");
});

test("what a package throws by itself is not taken for its absence", async () => {
  await expect(loadOptional("x", "y", () => Promise.reject(new Error("broken")))).rejects.toThrow(/^broken$/);
});
