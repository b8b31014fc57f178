// `npm run verify:serve`: the built `serve` in a process of its own, on loopback, under what bad clients do, at full size:
// crowds of idle connections, slow ones, bodies that are meant to break it, wrong clocks. Senders that behave well go on all
// the while, and everything that they sent is accounted for; a real Prometheus scrapes it, where there is one.
// SERVE_PARTS picks parts by a part of their name.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "../../scripts/support/project.mjs";
import { check, finish, skip } from "../support/checks.mjs";
import { freePort, sleep, until } from "../support/processes.mjs";
import { Scorer } from "../support/scorer.mjs";
import { broken } from "./hostile/broken.mjs";
import { crowd } from "./hostile/crowd.mjs";
import { mayOpen, peak, resident, tells } from "./hostile/process.mjs";
import { documented, has, lint, Prometheus, seriesOf } from "./hostile/prometheus.mjs";
import { ask, Senders } from "./hostile/senders.mjs";
import { skewed } from "./hostile/skewed.mjs";
import { slow } from "./hostile/slow.mjs";

const TOKEN = "t0ken";
/** What the service takes by default. */
const CONNECTIONS = 10_000;
/** Besides connections: pipes, modules, the other port. */
const FILES = 500;
const MOST_MEBIBYTES = 1_536;
/** Until a trace is scored after its last span; while bombs are inflated that takes as long as they do. */
const MOST_WAIT_MILLIS = 15_000;
const MOST_WAIT_AMONG_BOMBS = 60_000;
const ENGINE = { idleMillis: 5_000, lateWindowMillis: 5_000 };
/** The defaults, but for times: so long that a crowd is there before its first is let go, and no longer. */
const LIMITS = {
  headersTimeoutMillis: 18_000,
  requestTimeoutMillis: 18_000,
  keepAliveMillis: 24_000,
  maxRequestBytes: 20_971_520,
};
/** HTTP/2's preface, and settings that say nothing. */
const H2 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00";

if (mayOpen() < CONNECTIONS + FILES && process.env.SERVE_RAISED === undefined) {
  const again = ["-c", `ulimit -n ${CONNECTIONS + FILES} && exec "$0" "$@"`];
  const self = [process.execPath, fileURLToPath(import.meta.url)];
  const env = { ...process.env, SERVE_RAISED: "1" };
  const { status } = spawnSync("sh", [...again, ...self], { stdio: ["ignore", "inherit", "ignore"], env });
  if (status === 0 || status === 1) process.exit(status);
}

async function main() {
  await ensureBuilt();
  const wanted = (part) => part.includes(process.env.SERVE_PARTS ?? "");
  const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-serve-"));
  const [port, grpcPort] = [await freePort(), await freePort()];
  const config = join(folder, "config.json");
  writeFileSync(config, JSON.stringify({ scorers: { step_accuracy: {} }, engine: ENGINE, serve: LIMITS }));
  const args = ["serve", "--grpc-port", String(grpcPort), "--output", "jsonl", "--config", config];
  const scorer = new Scorer({ host: "127.0.0.1", port, args, env: { TRAJECTORY_TOKEN: TOKEN } });
  const given = { port, grpcPort, token: TOKEN, limits: LIMITS };
  const prometheus = has("prometheus") ? new Prometheus() : undefined;
  try {
    await scorer.start();
    const { pid } = scorer;
    await prometheus?.start(port, TOKEN);
    const senders = new Senders(given);
    senders.start();
    await sleep(3_000);
    if (wanted("crowd")) await crowds({ ...given, pid, senders });
    if (wanted("slow")) for (const [what, failures] of await slow({ ...given, senders })) check(what, failures);
    const before = tells ? Math.round(resident(pid)) : 0;
    const calmUntil = performance.now() - MOST_WAIT_MILLIS;
    if (wanted("broken")) for (const [what, failures] of await broken({ ...given, senders })) check(what, failures);
    if (tells) {
      const most = Math.round(peak(pid));
      const failures = most <= MOST_MEBIBYTES ? [] : [`more than ${MOST_MEBIBYTES}`];
      check(`memory: at most ${most} MiB were resident, ${before} before the wrong requests`, failures);
    } else skip("memory", "this system does not tell of it as Linux does");
    const { ids, failures } = await skewed(given);
    check(`${ids.length} traces with wrong clocks are taken, and those without a time are refused`, failures);
    await senders.stop();
    await accounts(scorer, senders, ids, calmUntil);
    await metrics(port, prometheus);
    const code = await scorer.end();
    check(`it ends with ${code}`, code === 0 ? [] : [scorer.log]);
  } finally {
    await scorer.end("SIGKILL");
    await prometheus?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function crowds(given) {
  if (!tells) {
    skip("crowds of connections", "this system does not tell of processes as Linux does");
    return;
  }
  const possible = mayOpen() - FILES;
  const limited = possible >= CONNECTIONS;
  if (!limited) skip(`${CONNECTIONS} connections`, `this system allows a process ${possible}`);
  const count = Math.min(CONNECTIONS, possible);
  const http = { name: "HTTP", port: given.port, goneMillis: LIMITS.headersTimeoutMillis };
  const h2 = { name: "gRPC", port: given.grpcPort, text: H2, goneMillis: 2 * LIMITS.keepAliveMillis };
  for (const kind of [http, h2]) {
    for (const [what, failures] of await crowd({ ...given, ...kind, count, limited })) check(what, failures);
  }
}

const metricsPage = async (port) =>
  (await ask(port, { method: "GET", path: "/metrics", headers: { authorization: `Bearer ${TOKEN}` } })).body.toString();

/** The sum of a metric over its series. */
const sum = (series, name) =>
  [...series].filter(([key]) => key.startsWith(`${name} `)).reduce((total, [, value]) => total + value, 0);

async function accounts(scorer, senders, skewedIds, calmUntil) {
  const wanted = [...senders.taken.keys(), ...skewedIds];
  const missing = () => {
    const scored = new Set(scorer.rows().flatMap(({ trace_ids: ids }) => ids));
    return wanted.filter((id) => !scored.has(id));
  };
  await until("everything has been scored", () => missing().length === 0, 30).catch(() => undefined);
  const rows = new Map(scorer.rowsByTime().map(({ at, row }) => [row.trace_ids[0], { at, row }]));
  const wrong = wanted
    .map((id) => rows.get(id)?.row)
    .filter((row) => row === undefined || row.score !== 1 || !row.complete);
  check(
    `${senders.taken.size} traces of senders and ${skewedIds.length} with wrong clocks are scored, whole, with 1`,
    wrong.map((row) => JSON.stringify(row) ?? "not scored"),
    5,
  );
  const longest = (isCalm) => {
    const traces = [...senders.taken].filter(([, at]) => at < calmUntil === isCalm);
    return Math.round(Math.max(0, ...traces.map(([id, at]) => (rows.get(id)?.at ?? Number.POSITIVE_INFINITY) - at)));
  };
  const [calm, bombs] = [longest(true), longest(false)];
  check(
    `each is scored in time: at most ${calm} ms after its last span, and ${bombs} ms once there are bombs`,
    calm < MOST_WAIT_MILLIS && bombs < MOST_WAIT_AMONG_BOMBS ? [] : ["too late"],
  );
  check(`answers to senders: ${JSON.stringify(senders.statuses)}`, senders.wrong);
  const series = seriesOf(await metricsPage(scorer.port));
  const received = sum(series, "trajectory_serve_spans_received_total");
  const done = sum(series, "otel_sdk_processor_span_processed_total");
  const dropped = sum(series, "trajectory_spans_dropped_total");
  const held = sum(series, "otel_sdk_processor_queue_size");
  const enough = received >= senders.spans + skewedIds.length * 3;
  check(
    `spans: ${senders.spans} of senders among ${received} received = ${done - dropped} scored + ${held} held + ${dropped} dropped`,
    received === done + held && enough ? [] : [`${done} are done with`],
  );
}

async function metrics(port, prometheus) {
  if (prometheus === undefined) skip("metrics in Prometheus", "there is no prometheus on the PATH");
  else {
    let there = new Map();
    let steady = [];
    let other = [];
    // Until it has scraped what the page says now.
    for (let tries = 0; tries === 0 || (other.length > 0 && tries < 5); tries += 1) {
      there = await prometheus.series();
      // Looking changes what is told of looks.
      steady = [...seriesOf(await metricsPage(port))].filter(([key]) => !key.includes('"/metrics"'));
      other = steady.filter(([key, value]) => there.get(key) !== value);
    }
    const up = Number((await prometheus.query("avg_over_time(up[10m])"))[0]?.value[1]);
    const scrapes = `${Math.round(up * 100)} % of its scrapes came through`;
    check(`Prometheus: ${scrapes}; bombs may cost some`, up > 0.75 ? [] : ["too few"]);
    const names = documented();
    const missing = names.filter((name) => ![...there.keys()].some((key) => key.startsWith(name)));
    check(`Prometheus: has all ${names.length} metrics that docs/serve.md names`, [
      ...missing,
      ...(names.length < 8 ? ["too few names were found"] : []),
    ]);
    check(
      `Prometheus: ${steady.length} series are those of the service's own page`,
      other.map(([key, value]) => `${key}: ${value}, in Prometheus ${there.get(key)}`),
      5,
    );
  }
  if (!has("promtool")) skip("the page of metrics", "there is no promtool on the PATH");
  else check("promtool has no complaint about the page of metrics", lint(await metricsPage(port)));
}

await main();
finish();
