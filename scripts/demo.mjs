// `npm run demo`: a real instrumented agent, twice. Both runs give the same answer; only one of them did the work.
import { ensureBuilt } from "./support/project.mjs";

await ensureBuilt();
const { showDemo } = await import("./support/show-demo.mjs");
process.exitCode = (await showDemo()) ? 0 : 1;
