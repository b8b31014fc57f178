// Host processes that do to the processor what processes do: `node processes.mjs exit|crash|freeze|workers`.
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { judge, stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { tracerProvider } from "./sdk.mjs";
import { agentAttributes, toolAttributes } from "./support.mjs";

/** A processor with a tracer, and what it emits. */
async function hosted(options = {}) {
  const events = [];
  const emit = ({ attributes }) => {
    events.push([
      attributes["trajectory.evaluation.id"],
      attributes["gen_ai.evaluation.score.value"],
      attributes["trajectory.complete"],
    ]);
  };
  const processor = new TrajectorySpanProcessor({
    scorers: [stepAccuracy({ expected_steps: ["search", "open"] })],
    loggerProvider: { getLogger: () => ({ emit }) },
    ...options,
  });
  const tracer = (await tracerProvider([processor])).getTracer("app");
  const start = (name, attributes, parent) =>
    tracer.startSpan(name, { attributes }, parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent));
  return {
    processor,
    events,
    agent: () => start("invoke_agent support", { ...agentAttributes("support"), "session.id": "s" }),
    tool: (name, parent) => start(`execute_tool ${name}`, toolAttributes(name), parent),
  };
}

const modes = {
  /** Every timer that there is: a polled file, an open trace, a session, a held root, an unanswered judge. */
  async exit() {
    const file = join(tmpdir(), `trajectory-${process.pid}.json`);
    writeFileSync(file, '{"expectations":[{"expected_steps":["search"]}]}');
    const next = { onStart() {}, onEnd() {}, forceFlush: async () => undefined, shutdown: async () => undefined };
    const { agent, tool, processor } = await hosted({
      expectations: file,
      attach: "hold",
      next,
      defaultEgress: "permitted",
      scorers: [
        stepAccuracy(),
        stepAccuracy({ metric_name: "whole", unit: "session" }),
        judge(() => new Promise(() => undefined)),
      ],
      flushTimeoutMillis: 50,
    });
    const done = agent();
    tool("search", done).end();
    done.end();
    await processor.forceFlush();
    const open = agent();
    tool("search", open);
    const last = agent();
    last.end();
    process.exitCode = 7;
    console.log("host output");
  },
  async crash() {
    const { agent, tool } = await hosted();
    tool("search", agent());
    console.log("host output");
    throw new Error("the host's own");
  },
  async freeze() {
    const { agent, tool, processor, events } = await hosted({
      lateSpanMillis: 20,
      idleMillis: 100,
      openIdleMillis: 300,
      lateWindowMillis: 100,
    });
    const root = agent();
    tool("search", root).end();
    console.log("ready");
    for await (const _ of process.stdin) break;
    tool("open", root).end();
    root.end();
    await processor.drain();
    console.log(JSON.stringify(events));
  },
  async workers() {
    const url = new URL(import.meta.url);
    const cut = new Worker(url, { workerData: "cut" });
    const whole = new Worker(url, { workerData: "whole" });
    const [, worker] = await Promise.all([said(cut), said(whole)]);
    const { agent, tool, processor, events } = await hosted();
    const root = agent();
    tool("search", root).end();
    await cut.terminate();
    tool("open", root).end();
    root.end();
    await processor.drain();
    console.log(JSON.stringify({ main: events.map(([, score]) => score), worker }));
  },
};

const said = (worker) => new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));

async function inWorker() {
  const { agent, tool, processor, events } = await hosted();
  const root = agent();
  tool("search", root).end();
  if (workerData === "cut") {
    parentPort.postMessage("in mid-trace");
    setInterval(() => tool("search", root).end(), 1);
    return;
  }
  root.end();
  await processor.drain();
  parentPort.postMessage(events.map(([, score]) => score));
}

if (isMainThread) await modes[process.argv[2]]();
else await inWorker();
