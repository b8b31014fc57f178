// A scorer goes away and comes back under load, the list of scorers changes, scorers are full: what becomes of the
// traces, counted. Which and how many depends on the moment; which may, does not, and that is checked.
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { evaluations } from "./answers.mjs";
import { startCluster } from "./cluster.mjs";
import { until } from "./processes.mjs";

const TOOLS = ["plan", "search", "read", "write", "check"];
const EXPECTATIONS = {
  expectations: [{ id: "load", match: { agent: "load_agent" }, status: "approved", expected_steps: TOOLS }],
};
const ENGINE = { idleMillis: 1_500, lateWindowMillis: 2_000 };
const TRACE_MILLIS = 2_000;
const SECONDS = 18;
/** When the trouble begins and ends, in seconds. */
const FROM = 6;
const TO = 11;
/** From the end of a span until it is in a scorer: the SDK's batch, the router's, and a busy machine. */
const UNDERWAY_MILLIS = 2_000;

const GROUPED_MILLIS = 4_000;
const GROUPED = {
  processors: { groupbytrace: { wait_duration: `${GROUPED_MILLIS}ms` } },
  service: { pipelines: { traces: { processors: ["groupbytrace"] } } },
};
const hostnames = (list) => ({ exporters: { load_balancing: { resolver: { static: { hostnames: list } } } } });
const merged = (one, other) => ({ ...one, ...other });

/** A scorer ends by a signal, and another takes its place five seconds later. */
const away = (signal) => async (cluster) => {
  await cluster.scorers[1].end(signal);
  return () => cluster.scorers[1].start();
};

/** The list of scorers loses one, which goes on, and gets it back. */
const resized = (overlay) => async (cluster) => {
  const all = cluster.replicas.map(({ address }) => address);
  cluster.reload(merged(overlay, hostnames(all.filter((_, index) => index !== 1))));
  return async () => cluster.reload(merged(overlay, hostnames(all)));
};

/** The router reads its configuration again, which is what it was. */
const reloaded = (overlay) => async (cluster) => {
  cluster.reload(overlay);
  return async () => cluster.reload(overlay);
};

const SCENARIOS = [
  { name: "nothing happens", trouble: async () => async () => {} },
  { name: "kill -9, back after 5 s", trouble: away("SIGKILL") },
  { name: "SIGTERM, back after 5 s", trouble: away("SIGTERM") },
  { name: "SIGTERM, back after 5 s; group-by-trace in front", trouble: away("SIGTERM"), overlay: GROUPED },
  { name: "kill -9, back after 5 s; group-by-trace in front", trouble: away("SIGKILL"), overlay: GROUPED },
  { name: "list of three, two, three", trouble: resized({}) },
  {
    name: "the router reads its file again, twice; group-by-trace in front",
    trouble: reloaded(GROUPED),
    overlay: GROUPED,
  },
];

/** Runs all of them; prints a table in Markdown; returns checks: what, and what speaks against it. */
export async function figures(binary, perSecond = Number(process.env.COLLECTOR_TRACES_PER_SECOND ?? 40)) {
  console.log(`\n${perSecond} traces/s of ${TRACE_MILLIS / 1_000} s and ${TOOLS.length + 1} spans, ${SECONDS} s:\n`);
  const head = ["what happens", "traces", ...KINDS, "requests refused (429)"];
  console.log(`| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`);
  const checks = [];
  for (const scenario of SCENARIOS) checks.push(...(await played(binary, scenario, perSecond)));
  return checks;
}

async function played(binary, { name, trouble, overlay }, perSecond) {
  const cluster = await startCluster(binary, {
    router: "by-trace.yaml",
    expectations: EXPECTATIONS,
    scorers: { step_accuracy: {} },
    engine: ENGINE,
    overlay,
  });
  try {
    const started = Date.now();
    const loaded = load(cluster.url, perSecond);
    await sleep(FROM * 1_000);
    const from = Date.now();
    const mend = await trouble(cluster);
    await sleep(started + TO * 1_000 - Date.now());
    await mend();
    const to = Date.now();
    const traces = await loaded;
    await settled(cluster, traces);
    const counters = await Promise.all(
      cluster.scorers.map((scorer) => scorer.counter("trajectory_serve_requests_refused")),
    );
    await cluster.stop();
    const kinds = classified(traces, cluster.rows());
    const refused = counters.reduce((sum, count) => sum + count, 0);
    const count = (kind) => kinds.filter((entry) => entry.kind === kind).length;
    const row = [name, traces.length, ...KINDS.map(count), refused];
    console.log(`| ${row.join(" | ")} |`);
    return checksOf(name, kinds, { from, to, waits: overlay === GROUPED ? GROUPED_MILLIS : 0 });
  } finally {
    cluster.remove();
  }
}

/** Until no trace is open any more, and no more results come. */
async function settled(cluster, traces) {
  let seen = -1;
  let since = Date.now();
  await until(
    `results of ${traces.length} traces`,
    () => {
      const { length } = cluster.rows();
      if (length !== seen) since = Date.now();
      seen = length;
      return Date.now() - since > ENGINE.idleMillis + 10_000;
    },
    180,
  );
}

/** Agents of a real SDK, each of which sends its spans over the time that it takes. */
async function load(url, perSecond) {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 100, maxQueueSize: 100_000 });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer("load");
  const runs = [];
  const from = Date.now();
  for (let index = 0; index < perSecond * SECONDS; index += 1) {
    await sleep(Math.max(0, from + (index * 1_000) / perSecond - Date.now()));
    runs.push(agent(tracer));
  }
  const traces = await Promise.all(runs);
  await provider.shutdown();
  return traces;
}

async function agent(tracer) {
  const started = Date.now();
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "load_agent" };
  const root = tracer.startSpan("invoke_agent load_agent", { attributes, root: true });
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const tool of TOOLS) {
    const call = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
    const span = tracer.startSpan(`execute_tool ${tool}`, { attributes: call }, within);
    await sleep(TRACE_MILLIS / TOOLS.length);
    span.end();
  }
  root.end();
  return { id: root.spanContext().traceId, started, ended: Date.now() };
}

const KINDS = [
  "whole",
  "flagged, all steps",
  "flagged, short",
  "in two evaluations",
  "short, not flagged",
  "not scored",
];

function classified(traces, rows) {
  const { byUnit } = evaluations(rows);
  return traces.map((entry) => ({ ...entry, kind: kindOf(byUnit.get(`trajectory:${entry.id} step_accuracy`) ?? []) }));
}

function kindOf(found) {
  if (found.length === 0) return "not scored";
  if (found.length > 1) return "in two evaluations";
  const [{ complete, score }] = found;
  if (!complete) return score === 1 ? "flagged, all steps" : "flagged, short";
  return score === 1 ? "whole" : "short, not flagged";
}

function checksOf(name, kinds, { from, to, waits }) {
  const broken = kinds
    .filter(({ kind }) => kind !== "whole")
    .map((entry) => ({ ...entry, what: `${entry.id}: ${entry.kind}` }));
  const longest = TRACE_MILLIS + waits + ENGINE.idleMillis + UNDERWAY_MILLIS;
  const outside = broken.filter(({ started }) => started + longest < from || started > to + longest);
  const checks = [
    [`${name}: traces before and after are whole`, outside.map(({ what }) => what)],
    [
      `${name}: most traces are whole`,
      broken.length * 2 < kinds.length ? [] : [`${broken.length} of ${kinds.length} are not`],
    ],
  ];
  if (name === "nothing happens") checks.push([`${name}: every trace is whole`, broken.map(({ what }) => what)]);
  return checks;
}
