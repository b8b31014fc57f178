// `npm run mutation`: changes the sources of one folder in many small ways, and names the changes that no test notices.
// Takes hours, hence no part of `npm run verify`; its tool is installed beside this file when it is first asked for, so
// that nobody else has to wait for it.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureInstalled, npm, rootPath, run } from "../../scripts/support/project.mjs";

await ensureInstalled();
const folder = fileURLToPath(new URL("stryker/", import.meta.url));
const stryker = fileURLToPath(new URL("stryker/node_modules/@stryker-mutator/core/bin/stryker.js", import.meta.url));
if (!existsSync(stryker)) {
  const { code, output } = await npm(["ci", "--legacy-peer-deps"], { cwd: folder });
  if (code !== 0) {
    console.error(output);
    process.exit(1);
  }
}
const args = [stryker, "run", "test/mutation/stryker.config.mjs", ...process.argv.slice(2)];
const { code } = await run(process.execPath, args, { cwd: rootPath, live: true, timeoutMillis: 86_400_000 });
process.exit(code);
