// What the file says, what the scorers say, and how the two are compared.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { run } from "../../scripts/support/project.mjs";

const command = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const captures = new URL("../fixtures/captures/", import.meta.url);

const linesOf = (text) => text.split("\n").filter((line) => line !== "");
const spansOf = (request) =>
  request.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans ?? []));

/** The requests of all captures, each with its spans' trace ids, and the ids that some of its traces have as session. */
export function capturedRequests() {
  const index = JSON.parse(readFileSync(new URL("index.json", captures), "utf8"));
  return index.flatMap(({ file, truth }) =>
    linesOf(gunzipSync(readFileSync(new URL(`${file}.gz`, captures))).toString("utf8")).map((written) => {
      // OpenTelemetry JS writes null for what is not finite, for which the Collector refuses the whole request.
      const line = written.replaceAll('"doubleValue":null', '"doubleValue":"NaN"');
      const spans = spansOf(JSON.parse(line));
      const traces = [...new Set(spans.map(({ traceId }) => traceId.toLowerCase()))];
      const session = spans.some(({ attributes }) => attributes?.some(({ key }) => key === "session.id"));
      return { line, traces, session, names: truth.map(({ name }) => name).slice(1) };
    }),
  );
}

/** What every trace and session is held to: by trace id for what was captured, by agent for the others. */
export function expectationsFor(requests) {
  const rules = new Map();
  for (const { traces, names } of requests) {
    for (const trace_id of traces) {
      const expected_steps = [...names, "no_such_step"];
      rules.set(trace_id, {
        match: { trace_id },
        status: "approved",
        expected_steps,
        expected_tools: ["no_such_tool", ...names],
      });
    }
  }
  const refund = ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"];
  const agents = { support_agent: refund, python_agent: ["lookup", "reply"] };
  const live = Object.entries(agents).flatMap(([agent, expected_steps]) => [
    { match: { agent }, status: "approved", expected_steps },
    {
      match: { agent },
      unit: "session",
      status: "approved",
      expected_steps: [...expected_steps, ...expected_steps].flat(),
    },
  ]);
  return { expectations: [...rules.values(), ...live].map((rule, index) => ({ id: `rule-${index}`, ...rule })) };
}

/** Traces by one metric, sessions by another, so that one run of a program scores both. */
export const SCORERS = {
  step_accuracy: { threshold: 0.6 },
  tool_selection_accuracy: {},
  order_aware: { unit: "session" },
};

/** The rows of `otel-trajectory score` on what the Collector's file exporter has written into a folder. */
export async function fileRows(folder, recorded, scorers = SCORERS) {
  const files = readdirSync(folder).filter((name) => name.startsWith(recorded));
  writeFileSync(join(folder, "score.yaml"), JSON.stringify({ scorers }));
  const settings = ["--expectations", "expectations.json", "--config", "score.yaml", "--format", "jsonl", "--quiet"];
  const { code, stdout, output } = await run(process.execPath, [command, "score", ...files, ...settings], {
    cwd: folder,
  });
  // 1: a gate failed, which failing agents are here to do.
  if (code > 1) throw new Error(`score: ${output}`);
  return linesOf(stdout).map((line) => JSON.parse(line));
}

/** Live, results that say nothing are only counted. */
const SILENT = ["no_expectation", "kinds_missing"];
const keyOf = ({ unit_id, metric }) => `${unit_id} ${metric}`;

/** What a row of the file and one of a scorer have in common. A live session has no trace without session id. */
export function comparable(rows) {
  const told = rows.filter(({ reason }) => !SILENT.includes(reason));
  const answers = told.map(({ unit_id, metric, version, status, score, label, reason, metadata }) => {
    const numbers = Object.entries(metadata ?? {}).filter(([, value]) => typeof value === "number");
    const detail = status === "scored" ? numbers.sort() : [];
    return [keyOf({ unit_id, metric }), JSON.stringify([version, status, score, label, reason, detail])];
  });
  return new Map(answers.filter(([key]) => !/^session:[0-9a-f]{32} /.test(key)));
}

/** Units of which the scorers made more than one evaluation, and the last word of every evaluation: its last revision. */
export function evaluations(rows) {
  const last = new Map();
  for (const row of rows)
    if ((last.get(row.evaluation_id)?.revision ?? -1) <= row.revision) last.set(row.evaluation_id, row);
  const byUnit = grouped(last.values());
  const several = [...byUnit].filter(([, found]) => found.length > 1).map(([key]) => key);
  return { last: [...last.values()], byUnit, several };
}

function grouped(rows) {
  const groups = new Map();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** How many answers differ, with the first few. */
export function differences(file, live) {
  const found = [];
  for (const [key, answer] of file)
    if (live.get(key) !== answer) found.push(`${key}: file ${answer}, live ${live.get(key)}`);
  for (const key of live.keys()) if (!file.has(key)) found.push(`${key}: only live`);
  return found;
}
