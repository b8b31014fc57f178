// `npm run mutation`: changes the alignment and the scorers in many small ways, one at a time, and names the changes
// that no test of their folder notices. `npm run mutation src/score/path` changes one folder or file. Its tool is
// installed beside this file when it is first asked for, so that nobody else has to wait for it.
import { fork } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ensureInstalled, npm, rootPath } from "../../scripts/support/project.mjs";
import { bundle, INSTRUMENTER, instrument } from "./instrument.mjs";

// Properties try fewer examples than usual: each runs for thousands of changes.
process.env.PROPERTY_SCALE ??= "0.1";
// Counted comparisons, of lists that are long enough to be sliced.
process.env.SLICES_LENGTH ??= "240";
const WORKERS = Number(process.env.MUTATION_WORKERS ?? availableParallelism());
const OUT = `${rootPath}.tmp/mutation`;

await ensureInstalled();
if (!existsSync(new URL(INSTRUMENTER, import.meta.url))) {
  const cwd = fileURLToPath(new URL("stryker/", import.meta.url));
  const { code, output } = await npm(["ci"], { cwd });
  if (code !== 0) {
    console.error(output);
    process.exit(1);
  }
}

/** @returns {string[]} the files below a folder, in order; of a file, itself */
function filesBelow(path, ending) {
  if (path.endsWith(ending)) return [path];
  const files = readdirSync(`${rootPath}${path}`, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(ending))
    .map((file) => `${path}/${file}`)
    .sort();
}

/** A process that is started again after a change ended it. */
function worker(file) {
  let child;
  const answer = () =>
    new Promise((resolve) => {
      const ended = (_code, signal) => {
        child = undefined;
        resolve({ by: signal === "SIGKILL" ? "no end" : "a crash" });
      };
      child.once("exit", ended);
      child.once("message", (message) => {
        child.off("exit", ended);
        resolve(message);
      });
    });
  const ask = async (message) => {
    if (child === undefined) {
      child = fork(new URL("worker.mjs", import.meta.url), [file], { execArgv: ["--max-old-space-size=384"] });
      await answer();
    }
    child.send(message);
    return answer();
  };
  return { ask, end: () => child?.disconnect() };
}

/** The tests that come past a change, those first that are quick and have noticed many; and how often it may be met. */
function shownTo(id, tests) {
  const chosen = tests.filter(({ past }) => id in past);
  const sum = (of) => chosen.reduce((total, test) => total + of(test), 0);
  const cost = ({ millis, noticed }) => millis / (1 + noticed);
  return {
    hits: 1_000 + 10 * sum(({ past }) => past[id]),
    tests: chosen.sort((left, right) => cost(left) - cost(right)),
  };
}

/** @returns the changes of some sources, each with its outcome */
async function mutate(sources, testFolder) {
  const tests = filesBelow(testFolder, ".test.ts");
  const { mutants, texts } = await instrument(sources);
  writeFileSync(`${OUT}/bundle.json`, JSON.stringify(await bundle(tests, texts)));
  const workers = Array.from({ length: WORKERS }, () => worker(`${OUT}/bundle.json`));
  const plan = await workers[0].ask({ files: tests });
  if (plan.tests === undefined) throw new Error(`without any change: ${plan.error ?? plan.by}`);
  for (const test of plan.tests) test.noticed = 0;
  console.log(`${mutants.length} changes, ${plan.tests.length} tests`);
  const results = [];
  const queue = mutants.values();
  await Promise.all(
    workers.map(async ({ ask, end }) => {
      for (const { id, fileName, location, mutatorName, replacement } of queue) {
        const { tests, hits } = shownTo(id, plan.tests);
        const shown = tests.map(({ file, index, name, millis }) => ({ file, index, name, millis }));
        let { by } = tests.length > 0 ? await ask({ id, tests: shown, hits }) : {};
        if (tests[by] !== undefined) {
          tests[by].noticed += 1;
          by = `${tests[by].file} > ${tests[by].name}`;
        }
        const unreached = plan.loads.some(({ past }) => id in past) ? "made at load" : "not reached";
        const outcome = by !== undefined ? "noticed" : tests.length > 0 ? "not noticed" : unreached;
        const result = { file: fileName, ...location, mutatorName, replacement, outcome, by };
        results.push(result);
        appendFileSync(`${OUT}/results.jsonl`, `${JSON.stringify(result)}\n`);
        if (results.length % 100 === 0) console.log(`${results.length} of ${mutants.length}`);
      }
      end();
    }),
  );
  return results;
}

/** A row of the table for a file or folder. */
function row(name, results) {
  const count = (wanted) => results.filter(({ outcome }) => outcome === wanted).length;
  const [noticed, not, unreached, atLoad] = ["noticed", "not noticed", "not reached", "made at load"].map(count);
  const share = ((100 * noticed) / (noticed + not + unreached)).toFixed(1);
  return `| ${[name, results.length, noticed, not, unreached, atLoad, `${share} %`].join(" | ")} |`;
}

mkdirSync(OUT, { recursive: true });
writeFileSync(`${OUT}/results.jsonl`, "");
const started = performance.now();
const asked = process.argv.length > 2 ? process.argv.slice(2) : ["src/align", "src/score"];
const rows = [];
const all = [];
for (const folder of new Set(asked.map((path) => path.split("/")[1]))) {
  const paths = asked.filter((path) => path.split("/")[1] === folder);
  const sources = paths.flatMap((path) => filesBelow(path, ".ts"));
  const results = await mutate(sources, `test/${folder}`);
  all.push(...results);
  for (const file of new Set(results.map((result) => result.file))) {
    const of = results.filter((result) => result.file === file);
    rows.push(row(file, of));
  }
  rows.push(row(`src/${folder}`, results));
}
for (const { file, start, outcome, mutatorName, replacement } of all) {
  if (outcome === "noticed" || outcome === "made at load") continue;
  console.log(`${file}:${start.line + 1}:${start.column + 1} ${outcome}: ${mutatorName} ${replacement}`);
}
console.log("\n| file | changed | noticed | not noticed | not reached | made at load | score |");
console.log(`| --- | --- | --- | --- | --- | --- | --- |\n${rows.join("\n")}`);
console.log(
  `\n${((performance.now() - started) / 1000 / all.length).toFixed(2)} s a change; all in .tmp/mutation/results.jsonl`,
);
