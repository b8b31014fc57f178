// `node --expose-gc bench/soak.mjs [spans]`: many traces and sessions with late, missing, duplicate and never-ended spans.
// Prints the heap before and after, and whether every ended span is accounted for.
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";

const SPANS = Number(process.argv[2] ?? 1_000_000);
const SPANS_PER_TRACE = 50;

/** A generator of pseudo-random numbers with a fixed seed (mulberry32), so that two runs do the same. */
let state = 42;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let value = Math.imul(state ^ (state >>> 15), 1 | state);
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
  return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
}

const heap = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

const processor = new TrajectorySpanProcessor({
  scorers: [
    stepAccuracy({ expected_steps: ["search", "open"] }),
    stepAccuracy({ metric_name: "session_steps", unit: "session", expected_steps: ["search"] }),
  ],
  lateSpanMillis: 20,
  lateWindowMillis: 50,
  openIdleMillis: 200,
  sessionIdleMillis: 100,
});
const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("soak");
const turn = () => new Promise((resolve) => setImmediate(resolve));
const attributes = {
  tool: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
    "gen_ai.tool.call.arguments": '{"q":"x"}',
  },
  http: { "http.request.method": "GET", "url.path": "/" },
};

let sent = 0;
let never = 0;
let late = [];
function oneTrace(session) {
  const root = tracer.startSpan(
    "invoke_agent boss",
    { attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "boss", "session.id": session } },
    ROOT_CONTEXT,
  );
  let within = trace.setSpan(ROOT_CONTEXT, root);
  for (let index = 1; index < SPANS_PER_TRACE; index += 1) {
    const isTool = random() < 0.2;
    const span = tracer.startSpan(
      isTool ? "execute_tool search" : "GET",
      { attributes: isTool ? attributes.tool : attributes.http },
      within,
    );
    if (random() < 0.05) within = trace.setSpan(ROOT_CONTEXT, span);
    const fate = random();
    if (fate < 0.001) never += 1;
    else if (fate < 0.01) late.push(span);
    else {
      span.end();
      sent += 1;
      if (fate > 0.999) {
        processor.onEnd(span);
        sent += 1;
      }
    }
  }
  if (random() < 0.001) never += 1;
  else {
    root.end();
    sent += 1;
  }
}

const before = heap();
const started = performance.now();
let traces = 0;
while (sent < SPANS) {
  for (let index = 0; index < 20 && sent < SPANS; index += 1) {
    oneTrace(`session-${Math.floor(traces / 10)}`);
    traces += 1;
  }
  if (late.length > 200) {
    for (const span of late) {
      span.end();
      sent += 1;
    }
    late = [];
  }
  await turn();
}
const seconds = (performance.now() - started) / 1000;
for (const span of late) span.end();
sent += late.length;
late = [];
await processor.drain();
const stats = processor.stats();
const after = heap();
const dropped = Object.values(stats.spans.dropped).reduce((sum, count) => sum + count, 0);
const balanced = stats.spans.seen === sent && stats.spans.released + stats.spans.held + dropped === sent;
console.log(`${sent} ended spans, ${never} never ended, ${traces} traces, ${seconds.toFixed(1)} s`);
console.log(
  `scored ${stats.traces.scored} traces (${stats.traces.revised} revisions) and ${stats.sessions.scored} sessions`,
);
console.log(`spans: ${JSON.stringify(stats.spans)}; problems: ${JSON.stringify(stats.problems)}`);
console.log(`heap ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`);
console.log(
  balanced && after - before < 5
    ? "every span is accounted for, and nothing is kept"
    : "NOT BALANCED or memory is kept",
);
process.exitCode = balanced && after - before < 5 ? 0 : 1;
