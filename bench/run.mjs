// `npm run bench`: prints a table and writes bench/results/latest.json. Ratios, and bytes: machines differ, those less so.
// `--gate`: fewer rounds, only the rows that have a gate, and exit code 1 where one is broken three times in a row.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";

if (globalThis.gc === undefined) {
  const { status } = spawnSync(
    process.execPath,
    ["--expose-gc", new URL(import.meta.url).pathname, ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  process.exit(status ?? 1);
}
if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
  console.error("bench: dist/ is missing; run `npm run build` first");
  process.exit(1);
}

const GATE = process.argv.includes("--gate");
if (GATE) process.env.BENCH_ROUNDS ??= "15";

const { benchHooks } = await import("./hooks.mjs");
const { benchWholeSpans } = await import("./whole-span.mjs");
const { benchConventions } = await import("./conventions.mjs");
const { benchMemory } = await import("./memory.mjs");
const { benchAlignment } = await import("./alignment.mjs");
const { benchEventLoop } = await import("./event-loop.mjs");
const { benchEvaluation } = await import("./evaluation.mjs");
const { benchScoreFile } = await import("./score-file.mjs");
const { benchStartUp } = await import("./start-up.mjs");
const { ROUNDS } = await import("./support.mjs");
const { TARGETS } = await import("./targets.mjs");

const benches = [
  ...[benchHooks, benchWholeSpans, benchConventions, benchMemory, benchAlignment, benchEvaluation],
  ...(GATE ? [] : [benchEventLoop, benchStartUp, () => benchScoreFile()]),
];

/** Rows of one bench; where a gate is broken, of a second or third run, since anybody may have taken the machine for a while. */
async function rowsOf(bench) {
  for (let run = 1; ; run += 1) {
    const rows = await bench();
    if (!GATE || run === 3 || !rows.some(isBroken)) return rows;
  }
}

function isBroken(row) {
  const target = TARGETS[row.work];
  if (target === undefined) return false;
  const value = row.bytes ?? row.ratio;
  return target.least === undefined ? value > target.gate : value < target.gate;
}

/** What the row is to reach, and whether it does. */
function targetOf(row) {
  const { most, least } = TARGETS[row.work] ?? {};
  const value = row.bytes ?? row.ratio;
  if (most !== undefined) return `at most ${most}: ${value <= most ? "met" : "not met"}`;
  if (least !== undefined) return `at least ${least}: ${value >= least ? "met" : "not met"}`;
  return "";
}

const rows = [];
for (const bench of benches) rows.push(...(await rowsOf(bench)));
const width = Math.max(...rows.map((row) => row.work.length));
console.log(`Node ${process.version}, ${ROUNDS} interleaved rounds, medians of ratios\n`);
for (const row of rows) {
  const value = row.bytes === undefined ? `${row.ratio.toFixed(2)}x` : `${row.bytes.toFixed(0)} B`;
  console.log(`${row.work.padEnd(width)} ${value.padStart(8)}  ${targetOf(row).padEnd(22)}  ${row.against}`);
}
const folder = new URL("results/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(
  new URL("latest.json", folder),
  `${JSON.stringify({ node: process.version, rounds: ROUNDS, rows }, null, 2)}\n`,
);
console.log("\nwritten to bench/results/latest.json");
if (GATE) {
  const unknown = Object.keys(TARGETS).filter((work) => !rows.some((row) => row.work === work));
  const broken = rows.filter(isBroken).map(({ work }) => work);
  for (const work of unknown) console.error(`bench: no row for the target "${work}"`);
  for (const work of broken) console.error(`bench: the gate of "${work}" is broken (${TARGETS[work].gate})`);
  if (unknown.length + broken.length > 0) process.exit(1);
}
