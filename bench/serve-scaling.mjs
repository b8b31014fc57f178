// One replica of `otel-trajectory serve` against two: the same requests, as many as are taken, split by trace id as a
// Collector does that routes (bench/serve-mix.mjs). One process sends to all of them, over four connections to each; its
// requests are written beforehand. What is measured begins after a warm-up of 150 000 spans for each; rounds of one and of two take turns.
//
//   node bench/serve-scaling.mjs [seconds of each measurement, default 15] [rounds, default 3]
//
// Spans a second by the clock say what this machine has left: on two cores two replicas, their collectors of garbage and the
// sender compete. Spans for each second of processor time that the replicas took say what scaling costs. Needs /proc
// (Linux) and a build.
import { writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { FOLDER, memoryOf, processorSeconds } from "./serve-load.mjs";
import { Mix, mixTemplates } from "./serve-mix.mjs";
import { ServeProcess } from "./serve-process.mjs";
import { Sender } from "./serve-sender.mjs";
import { median } from "./support.mjs";

const [seconds, rounds] = [Number(process.argv[2] ?? 15), Number(process.argv[3] ?? 3)];
if (!(seconds >= 1 && seconds <= 600 && rounds >= 1 && rounds <= 100)) {
  console.error("usage: node bench/serve-scaling.mjs [seconds, 1 to 600, default 15] [rounds, 1 to 100, default 3]");
  process.exit(2);
}
/** To each replica, so that code is compiled however little of a processor one gets. */
const WARM_UP_SPANS = 150_000;
const PARTS = 2;
const CONFIG = { engine: { idleMillis: 2_000, lateWindowMillis: 2_000 } };
const DELAYS = { lateMillis: 3_000, tooLateMillis: 8_000 };
const EXPECTATIONS = `expectations:
  - match: { agent: support_agent }
    expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]
    expected_tools: [authenticate, issue_refund]
`;

if (memoryOf(process.pid, "VmRSS") === undefined) throw new Error("needs /proc");
const templates = mixTemplates(PARTS);
writeFileSync(join(FOLDER, "serve-scaling.json"), JSON.stringify(CONFIG));
writeFileSync(join(FOLDER, "serve-scaling.yaml"), EXPECTATIONS);

/** The requests of some parts. */
const partsOf = (parts) =>
  Object.fromEntries(
    Object.entries(templates).map(([kind, each]) => [kind, each.filter(({ part }) => parts.includes(part))]),
  );

const millisOfSender = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Saturates so many replicas; gives what they and the sender did meanwhile. */
async function measure(replicas) {
  const parts = Array.from({ length: PARTS }, (_, part) => part);
  const services = await Promise.all(
    Array.from({ length: replicas }, () =>
      ServeProcess.start({
        cwd: FOLDER,
        args: ["--config", "serve-scaling.json", "--expectations", "serve-scaling.yaml"],
      }),
    ),
  );
  const senders = services.map(({ port }, replica) => {
    const mix = new Mix(partsOf(parts.filter((part) => part % replicas === replica)), DELAYS);
    return new Sender({ port, next: () => mix.next() });
  });
  const counted = () => ({
    at: performance.now(),
    spans: senders.map(({ counts }) => counts.spans),
    refused: senders.reduce((sum, { counts }) => sum + counts.refused, 0),
    used: services.map(({ pid }) => processorSeconds(pid)),
    sender: millisOfSender() / 1_000,
  });
  const isCold = () => senders.some(({ counts }) => counts.spans < WARM_UP_SPANS);
  await Promise.all(senders.map((sender) => sender.saturate(isCold)));
  const before = counted();
  const end = before.at + seconds * 1_000;
  await Promise.all(senders.map((sender) => sender.saturate(() => performance.now() < end)));
  const after = counted();
  const peak = services.map(({ pid }) => memoryOf(pid, "VmHWM"));
  for (const sender of senders) sender.close();
  const codes = await Promise.all(services.map((service) => service.end()));
  if (codes.some((code) => code !== 0)) throw new Error(`serve ended with ${codes.join(", ")}`);
  const took = (after.at - before.at) / 1_000;
  const spans = after.spans.map((sent, replica) => sent - before.spans[replica]);
  const used = after.used.map((cpu, replica) => cpu - before.used[replica]);
  const sum = (values) => values.reduce((all, value) => all + value, 0);
  return {
    perSecond: sum(spans) / took,
    perCpuSecond: sum(spans) / sum(used),
    busy: used.map((cpu) => cpu / took),
    sender: (after.sender - before.sender) / took,
    refused: after.refused - before.refused,
    peak,
  };
}

console.log(`Node ${process.version}, ${cpus().length} cores, load average ${loadavg()[0].toFixed(1)} before`);
console.log("replicas  spans/s  spans/CPU s  busy cores, each  of the sender  told to wait  peak MiB, each");
const results = { 1: [], 2: [] };
for (let round = 0; round < rounds; round += 1) {
  for (const replicas of round % 2 === 0 ? [1, 2] : [2, 1]) {
    const result = await measure(replicas);
    results[replicas].push(result);
    const each = (values, digits) => values.map((value) => value.toFixed(digits)).join(" + ");
    const cells = [
      [String(replicas), 8],
      [result.perSecond.toFixed(0), 7],
      [result.perCpuSecond.toFixed(0), 11],
      [each(result.busy, 2), 16],
      [result.sender.toFixed(2), 13],
      [String(result.refused), 12],
      [each(result.peak, 0), 14],
    ];
    console.log(cells.map(([cell, width]) => cell.padStart(width)).join("  "));
  }
}
const ratios = (of) => results[2].map((two, round) => of(two) / of(results[1][round]));
for (const [what, of] of [
  ["spans a second", ({ perSecond }) => perSecond],
  ["spans for each second of processor time", ({ perCpuSecond }) => perCpuSecond],
]) {
  const all = ratios(of);
  const [least, most] = [Math.min(...all), Math.max(...all)].map((value) => value.toFixed(2));
  console.log(`two against one, ${what}: ${median(all).toFixed(2)} (${least} to ${most})`);
}
