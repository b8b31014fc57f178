// `npm run verify`: every check and test of the project, from a fresh clone with nothing but Node.
// The last line is the sum over all of them; the exit code is 0 only when nothing failed.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ensureInstalled, packed, root, run, tool } from "./support/project.mjs";

const benchRunner = fileURLToPath(new URL("bench/run.mjs", root));
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const skips = [];
const started = Date.now();
/** The section whose line has been begun and not ended; sections may run side by side. */
let unfinished = "";

console.log("Verifying otel-trajectory: build, checks, tests, package, examples, both OpenTelemetry SDK lines.");
console.log("This takes a few minutes; a section prints its output only when it fails.\n");
if (!(await installed())) finish();

const built = await section("build", () => script("scripts/build.mjs"));
await Promise.all([
  section("typecheck", () => node(tool("typescript", "tsc"), "-p", "tsconfig.json", "--noEmit")),
  section("format and lint (biome)", () =>
    node(tool("@biomejs/biome"), "ci", "--error-on-warnings", "--colors=off", "."),
  ),
  section("unused code and dependencies (knip)", () => node(tool("knip"), "--no-progress")),
]);
await section("unit tests (vitest)", () => vitest("unit", ["--project=shared", "--project=alone"]));
if (built) {
  await Promise.all([frontDoor(), packageRules()]);
  await section("bench gate (npm run bench -- --gate)", () => node(benchRunner, "--gate"));
  await compat();
} else {
  console.log("\nThe build failed, so nothing that needs the built package was run.");
}
finish();

async function installed() {
  try {
    await ensureInstalled();
    return true;
  } catch (error) {
    return section("install", () => ({ failed: 1, output: error.message })).then(() => false);
  }
}

async function frontDoor() {
  await section("package (vitest)", () => vitest("package", ["--project=built", "test/package.test.ts"]));
  await section("README and examples (vitest)", () =>
    vitest("docs", ["--project=built", "test/docs.test.ts", "test/examples"]),
  );
  await section("demo", () => script("scripts/demo.mjs"));
}

async function packageRules() {
  await section("package rules (publint)", () => node(tool("publint"), "--strict"));
  await section("package types (attw)", () =>
    node(tool("@arethetypeswrong/cli"), "--pack", ".", "--profile", "esm-only"),
  );
}

async function compat() {
  const { LINES, runLine } = await import("../test/compat/run.mjs");
  let tarball;
  const pack = async () => {
    tarball = await packed();
  };
  if (!(await section("pack", pack))) return;
  // Much of what these do is to wait, for installs and for time limits to pass.
  await Promise.all(LINES.map((line) => section(`${line.title}, packed and installed`, () => runLine(line, tarball))));
  await Promise.all([
    section("frameworks, real agents of each (npm run verify:frameworks)", () => frameworkRuns(tarball)),
    otherPlaces(tarball),
  ]);
}

async function otherPlaces(tarball) {
  const { imageRun } = await import("../test/deploy/image.mjs");
  await section("image, its steps done here", async () => ({ note: await imageRun(tarball) }));
  const { runEdge } = await import("../test/compat/edge/run.mjs");
  await section("without Node: a bare context, an edge runtime", () => runEdge(tarball));
}

/**
 * Every framework of the compatibility suite, or with `--few-frameworks` those that install quickly. What is left out,
 * or cannot be installed here, is skipped by name.
 */
async function frameworkRuns(tarball) {
  const { frameworks, runFrameworks } = await import("../test/compat/frameworks/run.mjs");
  const { countsOf, findingsOf } = await import("../test/compat/frameworks/report.mjs");
  const all = await frameworks();
  const chosen = process.argv.includes("--few-frameworks") ? all.filter(({ quick }) => quick === true) : all;
  const leftOut = all
    .filter((framework) => !chosen.includes(framework))
    .map((framework) => ({ framework, rows: [], skipped: "left out by --few-frameworks" }));
  const outcomes = [...(await runFrameworks(chosen, tarball)), ...leftOut];
  const skipped = outcomes.filter((outcome) => outcome.skipped !== undefined);
  const named = skipped.map(({ framework, skipped: reason }) => `${framework.title}: ${reason}`);
  return { ...countsOf(outcomes), output: findingsOf(outcomes).join("\n"), note: named.join("; ") };
}

/**
 * Runs one section and books its counts. A section that gives none counts as one check.
 * Returns whether nothing in it failed.
 */
async function section(name, body) {
  process.stdout.write(`${unfinished === "" ? "" : "\n"}▶ ${name} … `);
  unfinished = name;
  const from = Date.now();
  let result;
  try {
    result = (await body()) ?? {};
  } catch (error) {
    result = { failed: 1, output: String(error?.stack ?? error) };
  }
  const { failed = 0, skipped = 0, output = "", note = "" } = result;
  const passed = result.passed ?? (failed === 0 && skipped === 0 ? 1 : 0);
  total.passed += passed;
  total.failed += failed;
  total.skipped += skipped;
  const seconds = ((Date.now() - from) / 1_000).toFixed(1);
  const verdict = failed > 0 ? "FAILED" : passed > 0 ? "ok" : "skipped";
  const skippedText = skipped > 0 ? `, ${skipped} skipped` : "";
  // Another section has begun since, or ended.
  if (unfinished !== name) process.stdout.write(`${unfinished === "" ? "" : "\n"}▶ ${name} … `);
  unfinished = "";
  console.log(`${verdict}: ${passed} passed, ${failed} failed${skippedText} (${seconds} s)${note ? `. ${note}` : ""}`);
  if (failed > 0) {
    failures.push(name);
    console.log(output.trimEnd().replaceAll(/^/gm, "  | "));
  }
  if (skipped > 0) skips.push(`${name}: ${skipped}${note ? ` (${note})` : ""}`);
  return failed === 0;
}

async function node(...args) {
  const { code, output } = await run(process.execPath, args, { env: { CI: "true", NO_COLOR: "1" } });
  return code === 0 ? {} : { failed: 1, output };
}

function script(path) {
  return node(fileURLToPath(new URL(path, root)));
}

async function vitest(name, args) {
  const folder = new URL(".tmp/reports/", root);
  mkdirSync(folder, { recursive: true });
  const report = fileURLToPath(new URL(`${name}.json`, folder));
  rmSync(report, { force: true });
  const reporters = ["--reporter=dot", "--reporter=json", `--outputFile.json=${report}`];
  const { code, output } = await run(process.execPath, [tool("vitest"), "run", ...reporters, ...args], {
    env: { CI: "true", NO_COLOR: "1" },
    timeoutMillis: 1_200_000,
  });
  if (!existsSync(report)) return { failed: 1, output };
  const counts = JSON.parse(readFileSync(report, "utf8"));
  const passed = counts.numPassedTests;
  const skipped = counts.numPendingTests + counts.numTodoTests;
  // A suite that does not load, or an error outside of any test, fails the run without a failed test.
  const failed = code !== 0 && counts.numFailedTests === 0 ? 1 : counts.numFailedTests;
  return passed + failed === 0 ? { failed: 1, output: `no test ran\n${output}` } : { passed, failed, skipped, output };
}

function finish() {
  const minutes = ((Date.now() - started) / 60_000).toFixed(1);
  console.log("");
  for (const skip of skips) console.log(`Skipped: ${skip}`);
  if (failures.length > 0)
    console.log(`Verdict after ${minutes} min: NOT fit to land. Failed: ${failures.join("; ")}.`);
  else console.log(`Verdict after ${minutes} min: everything that ran passed.`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1);
}
