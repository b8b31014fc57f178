// What a Collector takes that only groups spans by trace (`groupbytrace`), beside `otel-trajectory serve`, which does that,
// assembles and scores: the same requests at the same steady pace over OTLP/HTTP in protobuf (bench/serve-mix.mjs), in turns.
// The Collector has an OTLP receiver, `groupbytrace` and a debug exporter that prints nothing; its own metrics say how
// many spans have left it. Both hold a trace for 2 s: the one from its first span, the other from its last.
//
//   node bench/group-by-trace.mjs [spans a second, default 10000] [seconds of each run, default 20] [rounds, default 3]
//
// The Collector is built on first use, which takes minutes (Go); see test/collector/build.mjs. Each is warmed up in the same
// way for as long, until everything has left it again. Processor time is of all threads. Needs /proc (Linux) and a build.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { collector } from "../test/collector/build.mjs";
import { startCollector } from "../test/collector/processes.mjs";
import { end, freePort, until } from "../test/support/processes.mjs";
import { FOLDER, memoryOf, processorSeconds } from "./serve-load.mjs";
import { Mix, mixTemplates } from "./serve-mix.mjs";
import { metricsAt, ServeProcess } from "./serve-process.mjs";
import { Sender } from "./serve-sender.mjs";
import { median } from "./support.mjs";

const [rate, seconds, rounds] = [10_000, 20, 3].map((fallback, index) => Number(process.argv[index + 2] ?? fallback));
if (!(rate >= 100 && rate <= 1e6 && seconds >= 1 && seconds <= 600 && rounds >= 1 && rounds <= 100)) {
  console.error(
    "usage: node bench/group-by-trace.mjs [spans/s, default 10000] [seconds, up to 600, default 20] [rounds, default 3]",
  );
  process.exit(2);
}
const WAIT_MILLIS = 2_000;
const DELAYS = { lateMillis: 3_000, tooLateMillis: 8_000 };
const EXPECTATIONS = `expectations:
  - match: { agent: support_agent }
    expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]
    expected_tools: [authenticate, issue_refund]
`;

const { binary, skipped } = await collector("balancing");
if (skipped !== undefined) throw new Error(skipped);
if (memoryOf(process.pid, "VmRSS") === undefined) throw new Error("needs /proc");
const templates = mixTemplates();
const folder = mkdtempSync(join(tmpdir(), "otel-trajectory-group-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
writeFileSync(
  join(FOLDER, "group-by-trace.json"),
  JSON.stringify({ engine: { idleMillis: WAIT_MILLIS, lateWindowMillis: 1 } }),
);
writeFileSync(join(FOLDER, "group-by-trace.yaml"), EXPECTATIONS);

/** Sends to a process that is ready, twice, and waits each time until no more leaves it; `left` says how many spans have. */
async function load(pid, port, left) {
  const mix = new Mix(templates, DELAYS);
  const sender = new Sender({ port, next: () => mix.next() });
  let lost = 0;
  const run = async () => {
    const from = performance.now();
    await sender.pace(rate, () => performance.now() < from + seconds * 1_000);
    const took = (performance.now() - from) / 1_000;
    let last = { spans: 0, at: performance.now() };
    await until(
      "all that will leave has left",
      async () => {
        const spans = await left();
        if (spans > last.spans) last = { spans, at: performance.now() };
        // What arrives while its trace is being released may be lost in groupbytrace, and never leaves.
        return spans === sender.counts.spans || performance.now() - last.at > WAIT_MILLIS + 3_000;
      },
      60,
    );
    lost = sender.counts.spans - last.spans;
    return took;
  };
  await run();
  const [cpu, before] = [processorSeconds(pid), { ...sender.counts }];
  const took = await run();
  const used = processorSeconds(pid) - cpu;
  const spans = sender.counts.spans - before.spans;
  const refused = sender.counts.refused - before.refused;
  sender.close();
  return { perCpuSecond: spans / used, perSecond: spans / took, used, refused, lost, peak: memoryOf(pid, "VmHWM") };
}

async function measureServe() {
  const args = ["--config", "group-by-trace.json", "--expectations", "group-by-trace.yaml"];
  const service = await ServeProcess.start({ cwd: FOLDER, args });
  const result = await load(service.pid, service.port, async () => {
    const of = await service.metrics();
    return of("otel_sdk_processor_span_processed_total");
  });
  const code = await service.end();
  if (code !== 0) throw new Error(`serve ended with ${code}`);
  return result;
}

async function measureCollector() {
  const [http, metrics] = [await freePort(), await freePort()];
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${http}` } } } },
    processors: { groupbytrace: { wait_duration: `${WAIT_MILLIS}ms`, num_traces: 100_000 } },
    exporters: { debug: { verbosity: "basic" } },
    service: {
      telemetry: {
        logs: { level: "error" },
        metrics: {
          level: "basic",
          readers: [{ pull: { exporter: { prometheus: { host: "127.0.0.1", port: metrics } } } }],
        },
      },
      pipelines: { traces: { receivers: ["otlp"], processors: ["groupbytrace"], exporters: ["debug"] } },
    },
  };
  writeFileSync(join(folder, "collector.json"), JSON.stringify(config));
  const running = await startCollector("Collector", binary, [join(folder, "collector.json")], {}, [http, metrics]);
  const result = await load(running.child.pid, http, async () => {
    const of = await metricsAt(metrics);
    return of("otelcol_exporter_sent_spans_total") + of("otelcol_exporter_sent_spans");
  });
  await end(running);
  return result;
}

const PROGRAMS = { groupbytrace: measureCollector, serve: measureServe };
console.log(
  `Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)} before; ${rate} spans/s for ${seconds} s`,
);
console.log("program       spans/CPU s  busy cores  spans/s  told to wait  never left  peak MiB");
const results = { groupbytrace: [], serve: [] };
for (let round = 0; round < rounds; round += 1) {
  const names = Object.keys(PROGRAMS);
  for (const name of round % 2 === 0 ? names : names.reverse()) {
    const result = await PROGRAMS[name]();
    results[name].push(result);
    const cells = [
      [result.perCpuSecond.toFixed(0), 11],
      [(result.used / seconds).toFixed(2), 10],
      [result.perSecond.toFixed(0), 7],
      [String(result.refused), 12],
      [String(result.lost), 10],
      [result.peak.toFixed(0), 8],
    ];
    console.log([name.padEnd(12), ...cells.map(([cell, width]) => cell.padStart(width))].join("  "));
  }
}
for (const [what, of] of [
  ["processor time for each span", ({ perCpuSecond }) => 1 / perCpuSecond],
  ["peak memory", ({ peak }) => peak],
]) {
  const all = results.serve.map((serve, round) => of(serve) / of(results.groupbytrace[round]));
  const [least, most] = [Math.min(...all), Math.max(...all)].map((value) => value.toFixed(2));
  console.log(`serve against groupbytrace, ${what}: ${median(all).toFixed(2)} (${least} to ${most})`);
}
