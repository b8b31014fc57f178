// Runs inside a framework's own folder: attaches our processor, plays every scenario with the real agent, and compares
// what a scorer was handed with what really happened. The report is the last line of standard output.
// node harness.mjs '{"model":"http://127.0.0.1:PORT","vendorFirst":false,"record":"folder"}'
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { defineScorer, stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { attach, run } from "./agent.mjs";
import { collectingExporter, toOtlp } from "./collect.mjs";
import { compareFlags, compareRuns, compareSession, expectedOf, shown } from "./compare.mjs";
import { framework } from "./framework.mjs";
import { scenariosOf, toolsNamed } from "./scenarios.mjs";

const { model, vendorFirst = false, record } = JSON.parse(process.argv[2] ?? "{}");
const LIMIT_MILLIS = 60_000;
/** A busy machine takes its time to end what is streamed. */
const SETTLE_MILLIS = 15_000;

const occurrences = [];
const trajectory = new TrajectorySpanProcessor({
  scorers: [probe("trajectory"), probe("session"), stepAccuracy({ expected_steps: ["search", "open", "convert"] })],
});
const exporter = collectingExporter();
const attached = await attach(trajectory, exporter, { vendorFirst });

const results = [];
for (const [id, scenario] of scenariosOf(framework)) results.push(await play(id, scenario));
await attached.shutdown?.();
process.stdout.write(`\n${JSON.stringify({ results })}\n`, () => process.exit(0));

/** A scorer that keeps what it is handed. It needs no expectation. */
function probe(unit) {
  return defineScorer({
    name: `compat.probe_${unit}`,
    version: "1.0.0",
    metric_name: `probe_${unit}`,
    units: [unit],
    score: (occurrence) => {
      occurrences.push(occurrence);
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
}

async function play(id, scenario) {
  const executed = [];
  const from = occurrences.length;
  const agents = Object.fromEntries(
    Object.entries(scenario.agents).map(([name, { tools }]) => [name, toolsNamed(tools, executed)]),
  );
  let failure;
  try {
    for (const prompt of scenario.prompts) {
      await withLimit(run({ id, prompt, session: scenario.session, agents, baseURL: `${model}/${id}/v1` }));
    }
  } catch (error) {
    failure = String(error?.stack ?? error);
  }
  // Where a span is known never to end, waiting for it is of no use.
  await settled(expectedOf(id, scenario, framework).incomplete === undefined ? SETTLE_MILLIS : 500);
  await trajectory.drain();
  await attached.forceFlush();
  const spans = exporter.take();
  // Only now, so that nothing of this scenario is left for the next one.
  if (failure !== undefined) return { id, error: failure };
  if (record !== undefined) write(`${id}.otlp.jsonl`, toOtlp(spans));
  return { id, ...report(id, scenario, executed, occurrences.slice(from), spans) };
}

function report(id, scenario, executed, seen, spans) {
  const expected = expectedOf(id, scenario, framework);
  const byStart = (a, b) => startOf(a, spans) - startOf(b, spans);
  const runs = seen.filter(({ unit }) => unit === "trajectory").sort(byStart);
  const sessions = seen.filter(({ unit }) => unit === "session");
  const problems = [...compareRuns(expected, runs), ...compareFlags(expected, runs)];
  problems.push(...compareSession(expected, scenario.session, runs, sessions));
  // What the framework really ran is the ground truth; the scripted model makes it the same for all.
  const own = Object.values(scenario.agents).flatMap(({ tools }) => tools);
  const really = scenario.tools.flat().filter((name) => own.includes(name));
  if (!isDeepStrictEqual(executed, really)) {
    problems.push({ kind: "steps", what: "tools that really ran", actual: executed, wanted: really });
  }
  const scored = spans.some(({ attributes }) => attributes["trajectory.step_accuracy.score"] === 1);
  return {
    problems,
    scoreOnSpan: id === "S1" ? scored : undefined,
    spans: spans.length,
    steps: runs.map(({ steps }) => steps.map(shown)),
  };
}

/** When the earliest span of an occurrence's trace started. Export order is no order of traces. */
function startOf({ trace_ids: [trace] }, spans) {
  const own = spans.filter((span) => span.spanContext().traceId === trace);
  return Math.min(...own.map(({ startTime: [seconds, nanos] }) => seconds * 1_000 + nanos / 1_000_000));
}

/** A stream's last span may end a little after its text: wait until no trace is open, as a server would. */
async function settled(limitMillis) {
  for (const end = Date.now() + limitMillis; trajectory.stats().traces.open > 0 && Date.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function withLimit(work) {
  let timer;
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MILLIS} ms`)), LIMIT_MILLIS);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

function write(name, lines) {
  mkdirSync(record, { recursive: true });
  writeFileSync(join(record, name), lines);
}
