// `npm run verify:collector`: a real Collector routes JavaScript, Python and captured agents to three real scorers.
// Asserts that every trace is scored once, sessions are whole, and answers are those of the file; then takes a scorer
// away under load and prints what becomes of its traces (--figures: only that; --routing: only the first part).
// COLLECTOR_SCENARIOS picks rows of that table by a part of their name, COLLECTOR_TRACES_PER_SECOND sets the load (40).
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { ensureBuilt } from "../../scripts/support/project.mjs";
import { check, finish, skip } from "../support/checks.mjs";
import { until } from "../support/processes.mjs";
import {
  capturedRequests,
  comparable,
  differences,
  evaluations,
  expectationsFor,
  fileRows,
  SCORERS,
} from "./answers.mjs";
import { collector } from "./build.mjs";
import { startCluster } from "./cluster.mjs";
import { figures } from "./failures.mjs";
import { python } from "./python.mjs";

const { values: options } = parseArgs({ options: { figures: { type: "boolean" }, routing: { type: "boolean" } } });

const SESSIONS = 40;
const TURNS = 3;
const REQUESTS = capturedRequests();
const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Short, and long enough for a busy machine. */
const ENGINE = { idleMillis: 4_000, lateWindowMillis: 3_000, sessionIdleMillis: 8_000 };

async function send(url, requests) {
  for (const { line } of requests) {
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body: line });
    if (status !== 200) throw new Error(`the router answers ${status}`);
  }
}

async function agents(url, interpreter) {
  const env = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_MAX_QUEUE_SIZE: "100000" };
  const play = (file, script) =>
    promisify(execFile)(file, [join(HERE, script), String(SESSIONS), String(TURNS)], { env, timeout: 120_000 });
  await Promise.all([play(process.execPath, "agents.mjs"), interpreter && play(interpreter, "agents.py")]);
}

/** One load through one configuration; returns what the file and the scorers say of it. */
async function routed(binary, router, requests, interpreter) {
  const cluster = await startCluster(binary, {
    router,
    expectations: expectationsFor(REQUESTS),
    scorers: SCORERS,
    engine: ENGINE,
    record: true,
  });
  try {
    await Promise.all([send(cluster.url, requests), agents(cluster.url, interpreter)]);
    await until("scorers are quiet", quiet(cluster, ENGINE.sessionIdleMillis + 4_000), 120);
    await cluster.stop();
    return { file: await fileRows(cluster.folder, "recorded"), live: cluster.rows(), scorers: cluster.scorers };
  } finally {
    cluster.remove();
  }
}

/** Holds once nothing has been printed for a while. */
function quiet(cluster, millis) {
  let seen = -1;
  let since = performance.now();
  return () => {
    const rows = cluster.rows().length;
    if (rows !== seen) since = performance.now();
    seen = rows;
    return performance.now() - since > millis;
  };
}

function checkRouting(router, { file, live, scorers }, metrics) {
  const about = (rows) => rows.filter(({ metric }) => metrics.includes(metric));
  const expected = comparable(about(file));
  const { last, several } = evaluations(about(live));
  const shares = scorers.map((scorer) => new Set(scorer.rows().flatMap(({ trace_ids }) => trace_ids)).size);
  const kinds = ["trajectory", "session"].map(
    (unit) => [...expected.keys()].filter((key) => key.startsWith(`${unit}:`)).length,
  );
  console.log(
    `\n${router}: answers about traces ${kinds[0]}, about sessions ${kinds[1]}; traces by scorer ${shares.join(", ")}`,
  );
  const idle = shares.filter((share) => share === 0).map(() => "a scorer got nothing");
  check(`${router}: all three scorers take part`, idle);
  check(
    `${router}: everything is scored once`,
    several.map((key) => `${key}: more than once`),
  );
  const cut = last.filter(({ incomplete_reasons: reasons }) => reasons.includes("shutdown"));
  check(
    `${router}: nothing had to be scored early`,
    cut.map(({ unit_id }) => unit_id),
  );
  check(`${router}: ${expected.size} answers are those of the file`, differences(expected, comparable(last)));
  return { sessions: kinds[1], traces: kinds[0] };
}

const built = await collector("balancing");
if (built.skipped !== undefined) {
  skip("replicas behind the Collector", built.skipped);
} else {
  await ensureBuilt();
  const interpreter = await python();
  if (interpreter.skipped !== undefined) skip("Python agents", interpreter.skipped);

  if (!options.figures) {
    const byTrace = await routed(built.binary, "by-trace.yaml", REQUESTS, interpreter.binary);
    const { traces } = checkRouting("by-trace.yaml", byTrace, ["step_accuracy", "tool_selection_accuracy"]);
    check("by-trace.yaml: there was enough to compare", traces > 500 ? [] : [`only ${traces} answers`]);

    const torn = evaluations(byTrace.live.filter(({ unit_id }) => unit_id.startsWith("session:"))).several;
    console.log(`  sessions that lie with several scorers when traces are routed: ${torn.length}`);
    check("by-trace.yaml: sessions are not whole, as documented", torn.length > 0 ? [] : ["all are"]);

    const sessionless = REQUESTS.filter(({ session }) => !session);
    const carrying = new Set(REQUESTS.filter(({ session }) => session).flatMap(({ traces: ids }) => ids));
    const routable = sessionless.filter(({ traces: ids }) => !ids.some((id) => carrying.has(id)));
    const bySession = await routed(built.binary, "by-session.yaml", routable, interpreter.binary);
    const { sessions } = checkRouting("by-session.yaml", bySession, Object.keys(SCORERS));
    const least = (interpreter.binary === undefined ? 1 : 2) * (SESSIONS / 2);
    check("by-session.yaml: every session has an answer", sessions >= least ? [] : [`only ${sessions} of ${least}`]);
  }
  if (!options.routing) {
    for (const [what, failures] of await figures(built.binary)) {
      if (failures === undefined) skip(what, "this machine gives no process a hosts file of its own");
      else check(what, failures);
    }
  }
}
finish();
