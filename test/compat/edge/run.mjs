// The packed package where there is no Node: in a bare context of the language, and in edge runtimes.
// `node test/compat/edge/run.mjs [--workerd]` packs the built package first; `npm run verify` hands its tarball over.
// Cloudflare's workerd is a download of 150 MB, and runs only when it is asked for.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createContext, runInContext } from "node:vm";
import { rolldown } from "rolldown";
import { npm, packed, run } from "../../../scripts/support/project.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const WORKERD = "@cloudflare/workerd-linux-64@1.20261117.1";

const WANTED = {
  scores: [1, 0.5],
  judged: [1, 0.5],
  sessions: [1],
  attributes: [1, 0.5],
  held: 1,
  from_file: ["expectation_error"],
  problems: {},
  diff: "!! 0: expected search  actual (none)",
};

/** Globals that a bare context must not have, lest it prove nothing. */
const FOREIGN = ["process", "Buffer", "setImmediate", "setTimeout", "require", "performance"];

/**
 * Runs them all.
 *
 * @returns {Promise<{ passed: number, failed: number, output: string }>}
 */
export async function runEdge(tarball, { workerd = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "trajectory-edge-"));
  try {
    cpSync(here, folder, { recursive: true });
    for (const args of [
      ["ci"],
      ["install", "--no-save", "--no-package-lock", tarball, ...(workerd ? [WORKERD] : [])],
    ]) {
      const { code, output } = await npm([...args, "--ignore-scripts"], { cwd: folder, timeoutMillis: 240_000 });
      if (code !== 0) return { passed: 0, failed: 1, output: `npm ${args[0]} failed:\n${output}` };
    }
    const code = await bundled(join(folder, "agent.mjs"), "iife");
    const runtimes = { "a bare context": inBareContext, "Vercel's edge runtime": inEdgeRuntime };
    if (workerd) runtimes["Cloudflare's workerd"] = inWorkerd;
    const outcome = { passed: 0, failed: 0, output: "" };
    for (const [name, play] of Object.entries(runtimes)) {
      try {
        await play(code, folder);
        outcome.passed += 1;
        outcome.output += `ok: ${name}\n`;
      } catch (error) {
        outcome.failed += 1;
        outcome.output += `FAILED: ${name}: ${error.stack ?? error}\n`;
      }
    }
    return outcome;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The agent with the installed package, resolved as bundlers for edge runtimes do. */
async function bundled(input, format) {
  const bundle = await rolldown({
    input,
    platform: "neutral",
    resolve: { conditionNames: ["edge-light", "worker", "import", "default"], mainFields: ["module", "main"] },
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format, name: "edge" });
  await bundle.close();
  assert.equal(output.length, 1, "one chunk, nothing that is loaded later");
  assert.deepEqual(output[0].imports, []);
  return output[0].code;
}

async function inBareContext(code) {
  const context = createContext(Object.create(null));
  for (const name of FOREIGN) assert.equal(runInContext(`typeof ${name}`, context), "undefined");
  const text = await runInContext(`${code};edge.runAgents({ timers: false }).then(JSON.stringify);`, context);
  check(JSON.parse(text), []);
}

async function inEdgeRuntime(code, folder) {
  const { EdgeVM } = createRequire(join(folder, "package.json"))("@edge-runtime/vm");
  const runtime = new EdgeVM();
  for (const name of ["process", "Buffer", "setImmediate", "require"])
    assert.equal(runtime.evaluate(`typeof ${name}`), "undefined");
  const text = await runtime.evaluate(`${code};edge.runAgents({ timers: true }).then(JSON.stringify);`);
  check(JSON.parse(text), [1]);
}

async function inWorkerd(_, folder) {
  const code = await bundled(join(folder, "agent.mjs"), "esm");
  writeFileSync(
    join(folder, "worker.js"),
    `${code}\nexport default { async test() { throw new Error("RESULT" + JSON.stringify(await runAgents({ timers: true })) + "END"); } };\n`,
  );
  writeFileSync(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01"))]);\n`,
  );
  const binary = join(folder, "node_modules/@cloudflare/workerd-linux-64/bin/workerd");
  // A test's only way to say something is to fail.
  const { output } = await run(binary, ["test", join(folder, "config.capnp")], { cwd: folder });
  const text = /RESULT(\{.*\})END/.exec(output)?.[1];
  assert.ok(text, output);
  check(JSON.parse(text), [1]);
}

function check({ later, ...seen }, wantedLater) {
  assert.deepEqual({ ...seen, diff: seen.diff.trim() }, WANTED);
  assert.deepEqual(later, wantedLater);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed, output } = await runEdge(await packed(), { workerd: process.argv.includes("--workerd") });
  console.log(`${output}${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
