// `otel-trajectory serve` under a load that does not end, in a process of its own: is every span accounted for, is nobody
// told to wait, does its memory stay what it is?
//
//   node bench/serve-soak.mjs [minutes, default 30] [share of its capacity, default 0.8]
//
// 1. Capacity: after a warm-up it is sent as much as it takes, for 20 s, over four connections: spans a second in requests
//    that were taken.
// 2. The share of that, steadily: each request has its time, whether those before have been answered or not. OTLP/HTTP in
//    protobuf, 512 spans a request, bench/serve-mix.mjs: traces of agents, a quarter of traces without any, sessions of three
//    traces; spans that come late, after the window, twice or never. Traces, windows and sessions last for seconds here, so
//    that half an hour holds hundreds of generations of each.
// 3. Every 10 s: resident memory of the process; what is alive on its heap after a full collection of garbage, as the process
//    says itself (bench/heap-reporter.mjs); and its /metrics, in which received = scored + held + dropped has to hold.
// 4. At the end it is sent nothing more until nothing is held, and told to end.
//
// Fails where a span is unaccounted for, a trace was not scored, memory is not flat (bench/steadiness.mjs has the rule), or
// somebody was told to wait (up to a share of 0.9), or the
// service does not end with 0. Ctrl-C ends the load early and judges what there is. Needs /proc (Linux) and a build.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FOLDER, memoryOf, processorSeconds } from "./serve-load.mjs";
import { Mix, mixTemplates } from "./serve-mix.mjs";
import { ServeProcess } from "./serve-process.mjs";
import { Sender } from "./serve-sender.mjs";
import { MOST_PER_HOUR, MOST_RESIDENT, steadiness } from "./steadiness.mjs";

const [minutes, share] = [Number(process.argv[2] ?? 30), Number(process.argv[3] ?? 0.8)];
if (!(minutes > 0 && minutes <= 1_440 && share > 0 && share <= 1)) {
  console.error(
    "usage: node bench/serve-soak.mjs [minutes, up to 1440, default 30] [share of capacity, up to 1, default 0.8]",
  );
  process.exit(2);
}
const WARM_UP_SECONDS = 15;
const CAPACITY_SECONDS = 20;
const SAMPLE_SECONDS = 10;
/** Of the steady load, what is left out of the verdict on memory; at most a fifth. */
const SETTLE_SECONDS = Math.min(120, minutes * 12);
/** How long it may take until nothing is held, once nothing is sent. */
const EMPTY_SECONDS = 60;

const ENGINE = {
  maxFinishedTraces: 20_000,
  idleMillis: 2_000,
  lateWindowMillis: 4_000,
  sessionIdleMillis: 5_000,
  maxTraceMillis: 60_000,
};
const DELAYS = {
  lateMillis: ENGINE.idleMillis + 1_000,
  tooLateMillis: ENGINE.idleMillis + ENGINE.lateWindowMillis + 6_000,
};
const CONFIG = {
  engine: ENGINE,
  scorers: { step_accuracy: [{}, { unit: "session", metric_name: "session_step_accuracy" }] },
};
const EXPECTATIONS = `expectations:
  - match: { agent: support_agent }
    expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]
    expected_tools: [authenticate, issue_refund]
  - match: { agent: support_agent }
    unit: session
    expected_steps: [authenticate, fetch_order, fetch_policy, issue_refund]
`;

const sleep = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const seconds = () => performance.now() / 1_000;
const shown = (value, digits = 0) => value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, digits > 0 ? "" : " ");

if (memoryOf(process.pid, "VmRSS") === undefined) throw new Error("needs /proc");
let [stopped, ending] = [false, false];
process.on("SIGINT", () => {
  if (stopped) process.exit(130);
  stopped = true;
  console.log("ending the load early");
});
const until = (end) => () => !stopped && seconds() < end;

const mix = new Mix(mixTemplates(), DELAYS);
writeFileSync(join(FOLDER, "serve-soak.json"), JSON.stringify(CONFIG));
writeFileSync(join(FOLDER, "serve-soak.yaml"), EXPECTATIONS);
const service = await ServeProcess.start({
  cwd: FOLDER,
  args: ["--config", "serve-soak.json", "--expectations", "serve-soak.yaml"],
  nodeArgs: ["--import", fileURLToPath(new URL("./heap-reporter.mjs", import.meta.url))],
});
service.exited.then((code) => {
  if (ending) return;
  console.error(`serve ended with ${code} under load:\n${service.log.slice(-2_000)}`);
  process.exit(1);
});
/** What collections of garbage have left alive since this was last looked at, in bytes. */
let alive = [];
service.onMessage = ({ live }) => alive.push(live);
const sender = new Sender({ port: service.port, next: () => mix.next() });

/** What the service says of its spans, all at one moment. */
async function books() {
  const of = await service.metrics();
  const dropped = (reason) => of("trajectory_spans_dropped_total", reason && { error_type: reason });
  const results = (labels) => of("trajectory_evaluation_results_total", labels);
  return {
    received: of("trajectory_serve_spans_received_total"),
    rejected: of("trajectory_serve_spans_rejected_total"),
    scored: of("otel_sdk_processor_span_processed_total") - dropped(),
    held: of("otel_sdk_processor_span_queue_size"),
    dropped: dropped(),
    late: dropped("late"),
    twice: dropped("duplicate"),
    counted: of("trajectory_bytes_buffered"),
    traces: results({ gen_ai_evaluation_name: "step_accuracy", trajectory_unit: "trajectory" }),
    sessions: results({ trajectory_unit: "session" }),
  };
}
const isBalanced = ({ received, scored, held, dropped }) => received === scored + held + dropped;

/** Sends as much as is taken; gives spans a second. */
async function measureCapacity() {
  await sender.saturate(until(seconds() + WARM_UP_SECONDS));
  const [from, cpu, before] = [seconds(), processorSeconds(service.pid), { ...sender.counts }];
  await sender.saturate(until(from + CAPACITY_SECONDS));
  const took = seconds() - from;
  const spans = sender.counts.spans - before.spans;
  const used = processorSeconds(service.pid) - cpu;
  console.log(
    `capacity: ${shown(spans / took)} spans/s over ${shown(took)} s, ${shown(spans / used)} for each second of processor time; ` +
      `told to wait ${sender.counts.refused - before.refused} times`,
  );
  return spans / took;
}

const COLUMNS = [
  ["minute", 1],
  ["spans/s", 0],
  ["resident MiB", 0],
  ["alive MiB", 1],
  ["counted MiB", 0],
  ["spans held", 0],
  ["told to wait", 0],
  ["behind, s", 1],
];
const line = (cells) => console.log(cells.map((cell, index) => cell.padStart(COLUMNS[index][0].length)).join("  "));

/** Sends steadily, and samples; gives the samples and how often the books did not balance. */
async function holdSteady(rate) {
  const from = seconds();
  const refused = sender.counts.refused;
  let last = { at: from, spans: sender.counts.spans };
  const samples = [];
  let shownLive = 0;
  let [over, unbalanced, taken] = [false, 0, 0];
  const loaded = sender.pace(rate, until(from + minutes * 60)).finally(() => {
    over = true;
  });
  // It is awaited below; until then nobody is to call it unhandled.
  loaded.catch(() => undefined);
  alive = [];
  console.log(`steady: ${shown(rate)} spans/s`);
  line(COLUMNS.map(([title]) => title));
  while (!over) {
    const next = from + (taken + 1) * SAMPLE_SECONDS;
    while (!over && seconds() < next) await sleep(100);
    if (over) break;
    taken += 1;
    const now = await books();
    if (!isBalanced(now)) unbalanced += 1;
    // The least of what collections left: later looks have seen what came in meanwhile.
    const live = alive.length > 0 ? Math.min(...alive) / 2 ** 20 : undefined;
    alive = [];
    const at = seconds();
    const resident = memoryOf(service.pid, "VmRSS");
    samples.push({ seconds: at - from, live, resident });
    shownLive = live ?? shownLive;
    if (taken % (minutes > 5 ? 6 : 1) > 0) continue;
    const spans = (sender.counts.spans - last.spans) / (at - last.at);
    const told = sender.counts.refused - refused;
    const cells = [
      (at - from) / 60,
      spans,
      resident,
      shownLive,
      now.counted / 2 ** 20,
      now.held,
      told,
      sender.behindSeconds,
    ];
    line(cells.map((cell, index) => shown(cell, COLUMNS[index][1])));
    last = { at, spans: sender.counts.spans };
    sender.behindSeconds = 0;
  }
  await loaded;
  return { samples, unbalanced, taken, told: sender.counts.refused - refused };
}

const capacity = await measureCapacity();
const { samples, unbalanced, taken, told } = await holdSteady(capacity * share);
const atEnd = await books();
let empty = atEnd;
for (const end = seconds() + EMPTY_SECONDS; (empty.held > 0 || empty.traces < mix.sent.traces) && seconds() < end; ) {
  await sleep(500);
  empty = await books();
}
sender.close();
ending = true;
const code = await service.end();

const faults = [];
const check = (what, holds) => {
  console.log(`  ${holds ? "yes" : "NO "}  ${what}`);
  if (!holds) faults.push(what);
};
const { spans, rejected } = sender.counts;
const sum = (of) =>
  `${shown(spans)} sent = ${shown(of.scored)} scored + ${shown(of.held)} held + ${shown(of.dropped)} dropped`;
console.log(`spans, ${samples.length > 0 ? "warm-up and capacity included" : "all"}:`);
check(`when the load ended: ${sum(atEnd)}`, isBalanced(atEnd) && atEnd.received === spans);
check(`when nothing was held: ${sum(empty)}`, isBalanced(empty) && empty.received === spans && empty.held === 0);
check(`in each of ${taken} looks in between`, unbalanced === 0);
check(
  `answers said that ${shown(rejected)} were not taken, /metrics says ${shown(empty.rejected)}`,
  rejected === empty.rejected,
);
console.log(
  `       dropped: ${shown(empty.late)} too late, ${shown(empty.twice)} twice; meant so: ${shown(mix.sent.tooLate)} and ${shown(mix.sent.twice)}; ` +
    `${shown(mix.sent.late)} were sent late`,
);
check(
  `${shown(mix.sent.traces)} traces sent, ${shown(empty.traces)} scored; ${shown(empty.sessions)} sessions; ${shown(service.rows)} rows`,
  empty.traces >= mix.sent.traces,
);
check(`told to wait ${told} times under the steady load`, told === 0 || share > 0.9);
check(`serve ended with ${code}`, code === 0);
const settled = samples.filter(({ seconds, live }) => seconds > SETTLE_SECONDS && live !== undefined);
if (settled.length < 9)
  console.log(`memory: ${settled.length} samples after ${SETTLE_SECONDS} s are too few for a verdict`);
else {
  const { live, resident, slope, twoErrors, verdict } = steadiness(settled);
  const thirds = (values) => values.map((value) => shown(value, 1)).join(", ");
  console.log(`memory after the first ${SETTLE_SECONDS} s, MiB, medians of thirds:`);
  console.log(`       alive ${thirds(live)}; resident ${thirds(resident)}`);
  console.log(
    `       alive in the last two: ${shown(slope, 1)} ± ${shown(twoErrors, 1)} MiB an hour (not flat: more than ${MOST_PER_HOUR} for certain, ` +
      `or resident more than ${MOST_RESIDENT} times the third before)`,
  );
  check(`memory is ${verdict}`, verdict !== "not flat");
}
console.log(faults.length === 0 ? "nothing is lost, and nothing piles up" : `FAULTS: ${faults.length}`);
process.exitCode = faults.length === 0 ? 0 : 1;
