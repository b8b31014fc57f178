// How long the longest score that there is holds the event loop: two trajectories of 5,000 steps with nothing in common,
// which is the work limit to the cell, of live spans through a real SDK. Measured from the end of the root, reading and
// assembling the trace included, until the result is there, by a timer that is due every millisecond; against it stands score() itself, which is synchronous.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { consume, median } from "./support.mjs";

const STEPS = 5_000;
const RUNS = 5;

const names = (prefix) => Array.from({ length: STEPS }, (_, index) => `${prefix}_${index}`);
const expected_steps = names("expected");
const observed = names("observed");

/** @returns {Promise<[number, number]>} how late the timer came in 99 of 100 cases, and at most, in ms */
async function live() {
  const processor = new TrajectorySpanProcessor({ expectations: [{ expected_steps }], scorers: [stepAccuracy()] });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer("bench");
  const root = tracer.startSpan("invoke_agent support", {
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support" },
  });
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const name of observed) {
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    tracer.startSpan(`execute_tool ${name}`, { attributes }, within).end();
  }
  globalThis.gc?.();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  root.end();
  for (let waited = 0; processor.stats().evaluations.results.scored !== 1; waited += 1) {
    if (waited > 100_000) throw new Error(`bench: the long trace was not scored: ${JSON.stringify(processor.stats())}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  delay.disable();
  await provider.shutdown();
  return [delay.percentile(99) / 1e6, delay.max / 1e6];
}

/** @returns {number} ms of one synchronous score */
function atOnce() {
  const steps = observed.map((name) => ({ kind: "TOOL", name }));
  const started = performance.now();
  consume(stepAccuracy().score({ unit: "trajectory", unit_id: "x", steps, expectation: { expected_steps } }).score);
  return performance.now() - started;
}

/** @returns rows of the report */
export async function benchEventLoop() {
  const runs = [];
  for (let run = -1; run < RUNS; run += 1) {
    const [nearly, most] = await live();
    if (run >= 0) runs.push({ nearly, most, whole: atOnce() });
  }
  const ms = (of) => median(runs.map((run) => run[of])).toFixed(1);
  return [
    {
      work: `event loop held by 5,000 steps with nothing in common`,
      against: `score() at once: ${ms("whole")} ms; held at most ${ms("most")} ms, 99 % under ${ms("nearly")} ms (times shorter)`,
      ratio: median(runs.map(({ whole, most }) => whole / most)),
    },
  ];
}
