// Builds `dist/` from `src/`: each entry is one file of JavaScript with what it alone needs, beside chunks that entries
// share, since Node takes a millisecond for every two modules it loads; types are the TypeScript compiler's, file by
// file. Node only; installs what is missing first.
import { chmodSync, rmSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ensureInstalled, root, rootPath, run, tool } from "./support/project.mjs";

const ENTRIES = ["index", "core", "vitest/index", "cli/main", "files/index", "files/unsupported"];

await ensureInstalled();
rmSync(new URL("dist", root), { recursive: true, force: true });
const { rolldown } = await import("rolldown");
const bundle = await rolldown({
  cwd: rootPath,
  input: Object.fromEntries(ENTRIES.map((entry) => [entry, `src/${entry}.ts`])),
  platform: "neutral",
  tsconfig: "tsconfig.build.json",
  // Packages stay what they are, and `#files` is one of two entries, whichever the runtime takes.
  external: (id) => !id.startsWith(".") && !isAbsolute(id),
});
await bundle.write({
  dir: "dist",
  format: "esm",
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
await bundle.close();
const { code, output } = await run(process.execPath, [tool("typescript", "tsc"), "-p", "tsconfig.build.json"]);
if (output.trim() !== "") console.error(output.trim());
chmodSync(new URL("dist/cli/main.js", root), 0o755);
process.exitCode = code;
