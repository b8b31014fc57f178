// `node --expose-gc bench/soak.mjs [spans]`: many traces and sessions with late, duplicate and never-ended spans, with
// spans whose start or whose parent was never seen. 10 000 000 spans are 200 000 traces in 20 000 sessions.
// Prints the heap before and after, and whether every ended span is accounted for.
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { stepAccuracy, TrajectorySpanProcessor } from "otel-trajectory";
import { randomFrom } from "./random.mjs";
import { tracerProvider } from "./sdk.mjs";

const SPANS = Number(process.argv[2] ?? 1_000_000);
const SPANS_PER_TRACE = 50;

/** What runs before the heap is first measured, so that compiled code is in both figures. */
const WARM_UP = 100_000;
const MOST_GROWTH_MB = 5;
/** Spans that may be held before the next ones are sent. */
const MOST_HELD = 20_000;

const heap = () => {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1024 / 1024;
};

const OPTIONS = {
  scorers: [
    stepAccuracy({ expected_steps: ["search", "open"] }),
    stepAccuracy({ metric_name: "session_steps", unit: "session", expected_steps: ["search"] }),
  ],
  lateSpanMillis: 20,
  lateWindowMillis: 50,
  idleMillis: 100,
  openIdleMillis: 200,
  // Spans that never end keep the windows of their traces open for so long.
  maxTraceMillis: 2_000,
  sessionIdleMillis: 100,
};
const turn = () => new Promise((resolve) => setImmediate(resolve));
const attributes = {
  tool: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "search",
    "gen_ai.tool.call.arguments": '{"q":"x"}',
  },
  http: { "http.request.method": "GET", "url.path": "/" },
};

/** Sends spans until there are enough of them, to a processor that nothing is known of before. */
async function soak(spans) {
  const random = randomFrom(42);
  const processor = new TrajectorySpanProcessor(OPTIONS);
  const tracer = (await tracerProvider([processor])).getTracer("soak");
  let sent = 0;
  let never = 0;
  let traces = 0;
  let late = [];
  let older = [];

  const end = (span) => {
    span.end();
    sent += 1;
  };

  function oneTrace(session) {
    const root = tracer.startSpan(
      "invoke_agent boss",
      { attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "boss", "session.id": session } },
      ROOT_CONTEXT,
    );
    let within = trace.setSpan(ROOT_CONTEXT, root);
    for (let index = 1; index < SPANS_PER_TRACE; index += 1) {
      const isTool = random() < 0.2;
      const options = { attributes: isTool ? attributes.tool : attributes.http };
      const span = tracer.startSpan(isTool ? "execute_tool search" : "GET", options, within);
      if (random() < 0.05) within = trace.setSpan(ROOT_CONTEXT, span);
      const fate = random();
      if (fate < 0.001) never += 1;
      else if (fate < 0.01) late.push(span);
      else {
        end(span);
        if (fate > 0.999) {
          processor.onEnd(span);
          sent += 1;
        } else if (fate > 0.998) unknown(span, older);
        else if (fate > 0.997) unknown(span, undefined);
      }
    }
    if (random() < 0.001) never += 1;
    else end(root);
  }

  /** A span whose start was not seen: it ends long after its trace, or at once, beneath a parent that nobody knows. */
  function unknown(span, into) {
    const { traceId } = span.spanContext();
    const context = { traceId, spanId: sent.toString(16).padStart(16, "f"), traceFlags: 1 };
    const parent = into === undefined ? { ...context, spanId: "e".repeat(16) } : span.spanContext();
    const { name, kind, startTime, endTime, status, attributes, events, resource, instrumentationScope } = span;
    const made = { name, kind, startTime, endTime, status, attributes, events, resource, instrumentationScope };
    Object.assign(made, { spanContext: () => context, parentSpanContext: parent });
    if (into !== undefined) into.push(made);
    else {
      processor.onEnd(made);
      sent += 1;
    }
  }

  while (sent < spans) {
    for (let index = 0; index < 20 && sent < spans; index += 1) {
      oneTrace(`session-${Math.floor(traces / 10)}`);
      traces += 1;
    }
    if (late.length > 200) {
      for (const span of late) end(span);
      late = [];
    }
    if (older.length > 500) {
      for (const span of older) processor.onEnd(span);
      sent += older.length;
      older = [];
    }
    await turn();
    // On a busy machine spans could come faster than they are scored, and tables that have been large stay large.
    while (processor.stats().spans.held > MOST_HELD) await turn();
  }
  for (const span of late) end(span);
  await processor.drain();
  return { sent, never, traces, stats: processor.stats(), processor };
}

await soak(WARM_UP);
const before = heap();
const started = performance.now();
const { sent, never, traces, stats, processor } = await soak(SPANS);
const seconds = (performance.now() - started) / 1000;
const after = heap();
const { seen, released, held } = stats.spans;
const dropped = Object.values(stats.spans.dropped).reduce((sum, count) => sum + count, 0);
const balanced = seen === sent && released + held + dropped === sent && processor.stats().spans.held === 0;
const small = after - before < MOST_GROWTH_MB;
console.log(
  `Node ${process.version}: ${sent} ended spans, ${never} never ended, ${traces} traces, ${seconds.toFixed(1)} s`,
);
console.log(
  `scored ${stats.traces.scored} traces (${stats.traces.revised} revisions) and ${stats.sessions.scored} sessions`,
);
console.log(`spans: ${JSON.stringify(stats.spans)}; problems: ${JSON.stringify(stats.problems)}`);
console.log(`${sent} sent = ${released} scored + ${held} held + ${dropped} dropped and counted: ${balanced}`);
console.log(`heap ${before.toFixed(1)} MB before, ${after.toFixed(1)} MB after`);
console.log(balanced && small ? "every span is accounted for, and nothing is kept" : "NOT BALANCED or memory is kept");
process.exitCode = balanced && small ? 0 : 1;
