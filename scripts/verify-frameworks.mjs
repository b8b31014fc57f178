// `npm run verify:frameworks`: real instrumented agents of every framework we know of, live against a scripted model,
// with our processor before and after the vendor's own. Prints a table; a framework that cannot be installed or run
// here is named as skipped.
//   --only a,b      these folders of test/compat/frameworks
//   --record DIR    keep the spans of every run as OTLP/JSON
//   --tarball FILE  a package that is packed already
//   --docs          put the table into docs/frameworks.md
//   --fixtures      put the spans of the runs with ours before the vendor's into test/fixtures/frameworks
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { countsOf, findingsOf, markdownOf, tableOf } from "../test/compat/frameworks/report.mjs";
import { frameworks, runFrameworks } from "../test/compat/frameworks/run.mjs";
import { ensureBuilt, packed, root } from "./support/project.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    record: { type: "string" },
    tarball: { type: "string" },
    docs: { type: "boolean", default: false },
    fixtures: { type: "boolean", default: false },
  },
});

const all = await frameworks();
const wanted = values.only?.split(",");
const unknown = wanted?.filter((id) => !all.some((framework) => framework.id === id)) ?? [];
if (unknown.length > 0) {
  console.error(`--only: no such framework: ${unknown.join(", ")}. There are: ${all.map(({ id }) => id).join(", ")}.`);
  process.exit(2);
}
const chosen = all.filter(({ id }) => wanted?.includes(id) ?? true);

const started = Date.now();
const tarball = values.tarball === undefined ? await ensureBuilt().then(packed) : resolve(values.tarball);
console.log(`${chosen.length} frameworks, two at a time; each is installed, and plays its scenarios twice.\n`);
const kept = values.fixtures ? mkdtempSync(join(tmpdir(), "trajectory-spans-")) : undefined;
const record = kept ?? (values.record === undefined ? undefined : resolve(values.record));
const outcomes = await runFrameworks(chosen, tarball, {
  record,
  done: ({ framework, skipped, seconds }) =>
    console.log(`${skipped === undefined ? "done" : "skipped"}: ${framework.title} (${seconds.toFixed(1)} s)`),
});

console.log(`\n${tableOf(outcomes).join("\n")}`);
for (const finding of findingsOf(outcomes)) console.log(`\n${finding}`);
for (const { framework, skipped } of outcomes) {
  if (skipped !== undefined) console.log(`\nSkipped: ${framework.title}: ${skipped}`);
}
if (values.docs) writeDocs();
if (kept !== undefined) writeFixtures(kept);

const { passed, failed, skipped } = countsOf(outcomes);
console.log(`\nTook ${((Date.now() - started) / 1_000).toFixed(0)} s.`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

/** Replaces what stands between the two marks. */
function writeDocs() {
  const file = new URL("docs/frameworks.md", root);
  const text = readFileSync(file, "utf8");
  const [head, rest] = text.split("<!-- table -->\n");
  const [, tail] = rest.split("<!-- end of table -->");
  const table = markdownOf(outcomes).join("\n");
  writeFileSync(file, `${head}<!-- table -->\n${table}\n<!-- end of table -->${tail}`);
}

/** Keeps the spans of the frameworks that were run, compressed without a time stamp. */
function writeFixtures(from) {
  for (const { framework, rows } of outcomes.filter(({ rows: played }) => played.length > 0)) {
    const to = fileURLToPath(new URL(`test/fixtures/frameworks/${framework.id}/`, root));
    rmSync(to, { recursive: true, force: true });
    mkdirSync(to, { recursive: true });
    const source = join(from, framework.id, rows[0].order);
    for (const file of readdirSync(source)) {
      writeFileSync(join(to, `${file}.gz`), gzipSync(readFileSync(join(source, file)), { level: 9 }));
    }
  }
  rmSync(from, { recursive: true, force: true });
}
