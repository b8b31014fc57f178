// Builds `dist/` from `src/` with the TypeScript compiler. Node only; installs what is missing first.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { ensureInstalled, root, run, tool } from "./support/project.mjs";

await ensureInstalled();
rmSync(new URL("dist", root), { recursive: true, force: true });
const { code, output } = await run(process.execPath, [tool("typescript", "tsc"), "-p", "tsconfig.build.json"]);
if (output.trim() !== "") console.error(output.trim());
const command = new URL("dist/cli/main.js", root);
if (existsSync(command)) chmodSync(command, 0o755);
process.exitCode = code;
