// `npm run demo`: a real instrumented agent, twice. Both runs give the same answer; only one of them did the work.
import { existsSync } from "node:fs";
import { ensureInstalled, root, run } from "./support/project.mjs";

await ensureInstalled();
if (process.env.CI !== "true" || !existsSync(new URL("dist/index.js", root))) {
  console.log("Building …");
  const { code, output } = await run(process.execPath, ["scripts/build.mjs"]);
  if (code !== 0) {
    console.error(output);
    process.exit(code);
  }
}
const { showDemo } = await import("./support/show-demo.mjs");
process.exitCode = (await showDemo()) ? 0 : 1;
