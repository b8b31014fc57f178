// A scorer goes away and comes back under load, the list of scorers changes, scorers are full: what becomes of the
// traces, counted. Which and how many depends on the moment; which may, does not, and that is checked.
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { load, TOOLS, TRACE_MILLIS } from "../support/load.mjs";
import { until } from "../support/processes.mjs";
import { evaluations } from "./answers.mjs";
import { startCluster } from "./cluster.mjs";
import { canOwnHosts } from "./processes.mjs";

const EXPECTATIONS = {
  expectations: [{ id: "load", match: { agent: "load_agent" }, status: "approved", expected_steps: TOOLS }],
};
const ENGINE = { idleMillis: 1_500, lateWindowMillis: 2_000 };
const SECONDS = 18;
/** When the trouble begins and ends, in seconds. */
const FROM = 6;
const TO = 11;
/** From the end of a span until it is in a scorer: the SDK's batch, the router's, and a busy machine. */
const UNDERWAY_MILLIS = 2_000;

const GROUPED_MILLIS = 4_000;
const GROUPED = "group-by-trace.yaml";
/** A scorer ends by a signal, and another takes its place five seconds later. */
const away = (signal) => async (cluster) => {
  await cluster.scorers[1].end(signal);
  return () => cluster.scorers[1].start();
};

/** The name stands for two scorers instead of three for a while; the third goes on. */
const resized = async (cluster) => {
  cluster.resolve([1, 3]);
  return async () => cluster.resolve([1, 2, 3]);
};

/** Results cannot be exported for a while. */
const closed = async ({ backend }) => {
  backend.open = false;
  return async () => {
    backend.open = true;
  };
};

/** The router reads its configuration again, which is what it was. */
const reloaded = async (cluster) => {
  cluster.reload();
  return async () => cluster.reload();
};

const KINDS = [
  "whole",
  "flagged, all steps",
  "flagged, short",
  "in two evaluations",
  "short, not flagged",
  "not scored",
];
const [, FLAGGED, FLAGGED_SHORT, TWICE, SHORT, LOST] = KINDS;
const TORN = [FLAGGED_SHORT, TWICE, SHORT];

/** `may`: what a trace that the trouble met may be, other than whole. */
const SCENARIOS = [
  { name: "nothing happens", trouble: async () => async () => {}, may: [] },
  { name: "SIGTERM, back after 5 s", trouble: away("SIGTERM"), may: [FLAGGED, ...TORN] },
  { name: "SIGTERM, back after 5 s; group-by-trace", trouble: away("SIGTERM"), over: GROUPED, may: [FLAGGED] },
  { name: "kill -9, back after 5 s", trouble: away("SIGKILL"), may: [...TORN, LOST] },
  { name: "kill -9, back after 5 s; group-by-trace", trouble: away("SIGKILL"), over: GROUPED, may: [LOST] },
  { name: "dns: three, two, three", trouble: resized, dns: true, may: TORN },
  { name: "dns: three, two, three; group-by-trace", trouble: resized, dns: true, over: GROUPED, may: [] },
  { name: "the router reloads, twice", trouble: reloaded, may: [] },
  { name: "the router reloads, twice; group-by-trace", trouble: reloaded, over: GROUPED, may: [...TORN, LOST] },
  {
    name: "results cannot be exported for 5 s",
    trouble: closed,
    // Longer than spans wait, so that no trace is finished without them.
    engine: { idleMillis: 8_000, lateWindowMillis: 8_000 },
    serve: { maxExportQueue: 20 },
    from: 9,
    to: 14,
    may: [],
    refuses: true,
  },
];

/** Runs all of them; prints a table in Markdown; returns checks: what, and what speaks against it. */
export async function figures(binary, perSecond = Number(process.env.COLLECTOR_TRACES_PER_SECOND ?? 40)) {
  console.log(`\n${perSecond} traces/s of ${TRACE_MILLIS / 1_000} s and ${TOOLS.length + 1} spans, ${SECONDS} s:\n`);
  const head = ["what happens", "traces", ...KINDS, "requests refused (429)"];
  console.log(`| ${head.join(" | ")} |\n|${" --- |".repeat(head.length)}`);
  const checks = [];
  const wanted = process.env.COLLECTOR_SCENARIOS ?? "";
  for (const scenario of SCENARIOS.filter(({ name }) => name.includes(wanted)))
    checks.push(...(await played(binary, scenario, perSecond)));
  return checks;
}

async function played(binary, scenario, perSecond) {
  const { name, trouble, over, dns, serve, from: begin = FROM, to: mended = TO } = scenario;
  if (dns && !(await canOwnHosts())) return [[name, undefined]];
  const engine = { ...ENGINE, ...scenario.engine };
  const backend = await startBackend();
  const cluster = await startCluster(binary, {
    router: "by-trace.yaml",
    expectations: EXPECTATIONS,
    scorers: { step_accuracy: {} },
    engine,
    serve,
    over,
    env: { TRACE_WAIT: `${GROUPED_MILLIS}ms` },
    dns,
    backend: serve && backend.url,
  });
  try {
    const started = Date.now();
    const loaded = load(cluster.url, { perSecond, seconds: SECONDS });
    await sleep(begin * 1_000);
    const from = Date.now();
    const mend = await trouble({ ...cluster, backend });
    await sleep(Math.max(0, started + mended * 1_000 - Date.now()));
    await mend();
    const to = Date.now();
    const traces = await loaded;
    await settled(cluster, engine);
    const counts = await Promise.all(
      cluster.scorers.map((scorer) => scorer.counter("trajectory_serve_requests_refused")),
    );
    await cluster.stop();
    const kinds = classified(traces, cluster.rows());
    const refused = counts.reduce((sum, count) => sum + count, 0);
    const cells = KINDS.map((wanted) => kinds.filter(({ kind }) => kind === wanted).length);
    console.log(`| ${[name, traces.length, ...cells, refused].join(" | ")} |`);
    const held = engine.idleMillis + (over === GROUPED ? GROUPED_MILLIS : 0);
    return checksOf(scenario, kinds, { from, to, held, refused });
  } finally {
    backend.close();
    cluster.remove();
  }
}

/** Where results go: takes them, or says 503. */
async function startBackend() {
  const state = { open: true };
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(state.open ? 200 : 503).end());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  state.url = `http://127.0.0.1:${server.address().port}`;
  state.close = () => server.close().closeAllConnections();
  return state;
}

/** Until no trace is open any more, and no more results come. */
async function settled(cluster, { idleMillis }) {
  let seen = -1;
  let since = Date.now();
  const rest = () => {
    const { length } = cluster.rows();
    if (length !== seen) since = Date.now();
    seen = length;
    return Date.now() - since > idleMillis + 8_000;
  };
  await until("no more results", rest, 180);
}

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

function checksOf({ name, may, refuses }, kinds, { from, to, held, refused }) {
  const broken = kinds.filter(({ kind }) => kind !== "whole");
  const longest = TRACE_MILLIS + held + UNDERWAY_MILLIS;
  const wrong = broken.filter(
    ({ kind, started }) => !may.includes(kind) || started + longest < from || started > to + longest,
  );
  const others = may.length === 0 ? "" : `, but for some that are ${may.join(" or ")}`;
  return [
    [`${name}: traces are whole${others}`, wrong.map(({ id, kind }) => `${id}: ${kind}`)],
    ...(refuses ? [[`${name}: requests were refused`, refused > 0 ? [] : ["none was"]]] : []),
  ];
}
