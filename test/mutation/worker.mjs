// A process that evaluates the tests anew for each change, so that none sees what another left in a module, and runs
// those that come past it, the quickest first, until one fails. `watch.mjs` ends it where a change makes that take long.
import { readFileSync } from "node:fs";
import { compileFunction } from "node:vm";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { collector, runTest } from "./collect.mjs";

// That a property fails is enough: a smaller example of it is for people.
fc.configureGlobal({ endOnFailure: true });

const { code, imports } = JSON.parse(readFileSync(process.argv[2], "utf8"));
/** What all evaluations share: packages, which are not changed. */
const packages = new Map();
for (const name of imports) packages.set(name, await import(name));

/** The script cut at the switches: every other part is the number of one. */
const parts = code.split(/stryMutAct_9fa48\("(\d+)"\)/);
const PARAMETERS = ["require", "module", "exports", "hit", "passed"];

/** The script with one change on. What is never on is compiled to nothing, so the rest is as fast as it ever is. */
function scriptWith(id, covering) {
  const text = parts.map((part, index) => (index % 2 === 0 ? part : part === id ? "hit()" : "false")).join("");
  const counted = (_call, ids) => (covering ? `(${ids.replaceAll(/"(\d+)"/g, "passed[$1] += 1")})` : "0");
  return compileFunction(text.replaceAll(/stryCov_9fa48\(([^)]*)\)/g, counted), PARAMETERS);
}

/** What was thrown or rejected beside the tests: it fails a run of Vitest too. */
const strays = [];
for (const event of ["unhandledRejection", "uncaughtException"]) process.on(event, (error) => void strays.push(error));

/** A fresh evaluation of everything; the answer loads a file's tests when it is first asked for them. */
async function evaluate(script, hit, passed) {
  const { module: vitest, file } = collector();
  const required = (name) => (name === "vitest" ? vitest : packages.get(name));
  const module = { exports: {} };
  script(required, module, module.exports, hit, passed);
  await module.exports.load["test/setup.ts"]();
  const loaded = new Map();
  return async (name) => {
    if (!loaded.has(name)) loaded.set(name, await file(module.exports.load[name]));
    return loaded.get(name);
  };
}

/** Every test with its time, and the changes that it, or else the loading of its file, came past and how often. */
async function plan(files) {
  const tests = [];
  const loads = [];
  const covering = scriptWith(undefined, true);
  const plain = scriptWith();
  for (const file of files) {
    const passed = new Uint32Array(parts.length);
    const past = () => Object.fromEntries([...passed.entries()].filter(([, times]) => times > 0));
    const covered = await (await evaluate(covering, undefined, passed))(file);
    loads.push({ file, past: past() });
    const timed = await (await evaluate(plain))(file);
    for (const [index, test] of covered.entries()) {
      if (test.skip) continue;
      passed.fill(0);
      await runTest(test);
      const times = past();
      const start = process.cpuUsage();
      await runTest(timed[index]);
      const { user, system } = process.cpuUsage(start);
      tests.push({ file, index, name: test.name, millis: (user + system) / 1_000, past: times });
    }
  }
  if (strays.length > 0) throw strays[0];
  return { tests, loads };
}

/** Which of the tests is the first to fail with a change, if any does. */
async function firstFailing({ id, tests, hits }) {
  let left = hits;
  const hit = () => {
    left -= 1;
    if (left < 0) throw new Error("a loop without an end");
    return true;
  };
  strays.length = 0;
  let at = 0;
  try {
    const testsOf = await evaluate(scriptWith(id), hit);
    for (; at < tests.length; at += 1) {
      const { file, index, name, millis } = tests[at];
      watch.postMessage(1_000 + 5 * millis);
      const test = (await testsOf(file))[index];
      if (test?.name === name) await runTest(test);
      if (left < 0 || strays.length > 0) return at;
    }
    await new Promise(setImmediate);
    return strays.length > 0 ? tests.length - 1 : undefined;
  } catch {
    return at;
  } finally {
    watch.postMessage(0);
  }
}

const watch = new Worker(new URL("watch.mjs", import.meta.url));
process.on("message", async (message) => {
  try {
    process.send(message.files === undefined ? { by: await firstFailing(message) } : await plan(message.files));
  } catch (error) {
    process.send({ error: error.stack });
  }
});
process.on("disconnect", () => process.exit());
process.send("ready");
