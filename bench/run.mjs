// `npm run bench`: prints a table and writes bench/results/latest.json. Ratios only: machines differ, ratios less so.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

if (globalThis.gc === undefined) {
  const { status } = spawnSync(process.execPath, ["--expose-gc", new URL(import.meta.url).pathname], {
    stdio: "inherit",
  });
  process.exit(status ?? 1);
}
if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
  console.error("bench: dist/ is missing; run `npm run build` first");
  process.exit(1);
}

const { benchHooks } = await import("./hooks.mjs");
const { benchWholeSpans } = await import("./whole-span.mjs");
const { benchConventions } = await import("./conventions.mjs");
const { benchAlignment } = await import("./alignment.mjs");
const { benchEventLoop } = await import("./event-loop.mjs");
const { benchEvaluation } = await import("./evaluation.mjs");
const { benchScoreFile } = await import("./score-file.mjs");
const { ROUNDS } = await import("./support.mjs");

const benches = [
  benchHooks,
  benchWholeSpans,
  benchConventions,
  benchAlignment,
  benchEventLoop,
  benchEvaluation,
  () => benchScoreFile(),
];
const rows = [];
for (const bench of benches) rows.push(...(await bench()));
const width = Math.max(...rows.map((row) => row.work.length));
console.log(`Node ${process.version}, ${ROUNDS} interleaved rounds, medians of ratios\n`);
for (const row of rows) console.log(`${row.work.padEnd(width)}  ${row.ratio.toFixed(2).padStart(8)}x  ${row.against}`);
const folder = new URL("results/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(
  new URL("latest.json", folder),
  `${JSON.stringify({ node: process.version, rounds: ROUNDS, rows }, null, 2)}\n`,
);
console.log("\nwritten to bench/results/latest.json");
