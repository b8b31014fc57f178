// `otel-trajectory score` over a large file against JSON.parse over the same lines, which are in memory already. The
// command runs in this process: its start-up is the same for every file. By itself (`node bench/score-file.mjs 200`, in
// megabytes, default 200) it also measures peak memory in processes of their own, and with four times as much around
// the same steps.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { internals } from "./internals.mjs";
import { writeOtlpFile } from "./otlp-file.mjs";
import { consume, interleave, ratio } from "./support.mjs";

const [{ run }] = await internals("cli/run");

const FOLDER = fileURLToPath(new URL("../.tmp/", import.meta.url));
const EXPECTATIONS = `expectations:
  - match: { agent: support_agent }
    status: approved
    expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]
    expected_tools: [authenticate, issue_refund]
`;

/** Writes the file unless it is there. */
function fileOf(name, bytes, shape) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}expectations.yaml`, EXPECTATIONS);
  const counts = `${FOLDER}${name}.json`;
  if (!existsSync(counts)) writeFileSync(counts, JSON.stringify(writeOtlpFile(`${FOLDER}${name}`, bytes, shape)));
  return JSON.parse(readFileSync(counts, "utf8"));
}

/** The command as `main.js` runs it, its output counted. */
async function score(name) {
  const output = { write: (text) => consume(text.length) ?? true };
  const args = ["score", name, "--expectations", "expectations.yaml", "--format", "jsonl"];
  const code = await run(args, { stdout: output, stderr: output, stdin: process.stdin, cwd: FOLDER });
  if (code !== 0) throw new Error(`score ended with ${code}`);
}

function linesOf(name) {
  const bytes = readFileSync(`${FOLDER}${name}`);
  const lines = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    lines.push(bytes.toString("latin1", from, end));
    from = end + 1;
  }
  return lines;
}

function parseAll(lines) {
  for (const line of lines) consume(JSON.parse(line).resourceSpans.length);
}

/** @returns rows of the report */
export async function benchScoreFile(megabytes = 20, rounds = 9) {
  const name = `spans-${megabytes}.jsonl`;
  fileOf(name, megabytes * 1e6);
  const lines = linesOf(name);
  const cases = { parse: () => parseAll(lines), score: () => score(name) };
  const times = await interleave(cases, { rounds, warmUp: 2 });
  return [
    {
      work: `score of ${megabytes} MB of OTLP/JSON lines`,
      against: "JSON.parse of its lines, in memory",
      ratio: ratio(times, "score", "parse"),
    },
  ];
}

/** Peak resident memory of one run in a process of its own, in MB. */
function peakOf(name) {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "--peak", name], {
    encoding: "utf8",
  });
  return Number(stdout);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [first = "200", second] = process.argv.slice(2);
  if (first === "--peak") {
    await score(second);
    console.log(process.resourceUsage().maxRSS / 1024);
  } else {
    const megabytes = Number(first);
    const [row] = await benchScoreFile(megabytes, 5);
    console.log(`${row.work}: ${row.ratio.toFixed(2)}x of ${row.against}`);
    const shapes = {
      [`${megabytes / 4} MB`]: [megabytes / 4, {}],
      [`${megabytes} MB`]: [megabytes, {}],
      [`${megabytes} MB, as many steps as in ${megabytes / 4} MB`]: [megabytes, { around: 4 }],
    };
    for (const [said, [size, shape]] of Object.entries(shapes)) {
      const name = shape.around === undefined ? `spans-${size}.jsonl` : `spans-${size}-around.jsonl`;
      const { steps, spans } = fileOf(name, size * 1e6, shape);
      console.log(`${said}: ${spans} spans, ${steps} steps, peak ${peakOf(name).toFixed(0)} MB`);
    }
  }
}
