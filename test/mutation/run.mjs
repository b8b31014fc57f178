// `npm run mutation`: changes the alignment and the scorers in many small ways, one at a time, and names the changes
// that no test of their folder notices. `npm run mutation src/score/path` changes one folder or file; with `-- --again`
// before it, those alone that were not noticed the last time. Its tool is installed beside this file when it is first
// asked for, so that nobody else has to wait for it.
import { fork } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { ensureInstalled, npm, rootPath } from "../../scripts/support/project.mjs";
import { bundle, INSTRUMENTER, instrument } from "./instrument.mjs";

// Properties try fewer examples than usual: each runs for thousands of changes.
process.env.PROPERTY_SCALE ??= "0.1";
// Counted comparisons, of lists that are long enough to be sliced.
process.env.SLICES_LENGTH ??= "240";
const WORKERS = Number(process.env.MUTATION_WORKERS ?? availableParallelism());
// `MUTATION_MOST_MILLIS=50` leaves out slower tests where there are others: a first, quick answer, never too good.
const MOST_MILLIS = Number(process.env.MUTATION_MOST_MILLIS ?? Number.POSITIVE_INFINITY);
const AGAIN = process.argv.includes("--again");
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

/** What the last run said of changes that were noticed, or made at load. */
function knownResults() {
  if (!AGAIN || !existsSync(`${OUT}/results.jsonl`)) return new Map();
  const lines = readFileSync(`${OUT}/results.jsonl`, "utf8").trim().split("\n");
  const settled = lines.map((line) => JSON.parse(line)).filter(({ outcome }) => !outcome.startsWith("not "));
  return new Map(settled.map((result) => [keyOf(result), result]));
}

function keyOf({ file, start, end, mutatorName, replacement }) {
  return JSON.stringify([file, start, end, mutatorName, replacement]);
}

/**
 * The tests that come past a change, those first that are quick and have noticed many; and how often it may be met. What
 * is passed while but few test files are loaded is no constant of a module: their tests prepare with it.
 */
function shownTo(id, { tests, loads }) {
  const preparing = loads.filter(({ past }) => id in past).map(({ file }) => file);
  const chosen = tests.filter(({ past, file }) => id in past || (preparing.length <= 3 && preparing.includes(file)));
  const quick = chosen.filter(({ millis }) => millis <= MOST_MILLIS);
  const shown = quick.length > 0 ? quick : chosen;
  const sum = (of) => chosen.reduce((total, test) => total + of(test), 0);
  const cost = ({ millis, noticed }) => millis / (1 + noticed);
  return {
    hits: 1_000 + 10 * sum(({ past }) => past[id] ?? 0),
    tests: shown.sort((left, right) => cost(left) - cost(right)),
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
  const record = (result) => {
    results.push(result);
    appendFileSync(`${OUT}/results.jsonl`, `${JSON.stringify(result)}\n`);
  };
  const queue = mutants.values();
  await Promise.all(
    workers.map(async ({ ask, end }) => {
      for (const { id, fileName, location, mutatorName, replacement } of queue) {
        const change = { file: fileName, ...location, mutatorName, replacement };
        const before = known.get(keyOf(change));
        if (before !== undefined) {
          record(before);
          continue;
        }
        const { tests, hits } = shownTo(id, plan);
        const shown = tests.map(({ file, index, name, millis }) => ({ file, index, name, millis }));
        let { by } = tests.length > 0 ? await ask({ id, tests: shown, hits }) : {};
        if (tests[by] !== undefined) {
          tests[by].noticed += 1;
          by = `${tests[by].file} > ${tests[by].name}`;
        }
        const unreached = plan.loads.some(({ past }) => id in past) ? "made at load" : "not reached";
        const outcome = by !== undefined ? "noticed" : tests.length > 0 ? "not noticed" : unreached;
        record({ ...change, outcome, by });
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
  const share = ((100 * noticed) / Math.max(1, noticed + not + unreached)).toFixed(1);
  return `| ${[name, results.length, noticed, not, unreached, atLoad, `${share} %`].join(" | ")} |`;
}

mkdirSync(OUT, { recursive: true });
const known = knownResults();
writeFileSync(`${OUT}/results.jsonl`, "");
const started = performance.now();
const paths = process.argv.slice(2).filter((argument) => argument !== "--again");
const asked = paths.length > 0 ? paths : ["src/align", "src/score"];
const rows = [];
const all = [];
for (const folder of new Set(asked.map((path) => path.split("/")[1]))) {
  const sources = asked.filter((path) => path.split("/")[1] === folder).flatMap((path) => filesBelow(path, ".ts"));
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
