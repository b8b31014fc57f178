// Our hooks against BatchSpanProcessor's own hooks, on the same ended spans, its queue never full.
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { consume, interleave, ratio } from "./support.mjs";

const SPANS_PER_TRACE = 20;
const TRACES = 100;

const exporter = {
  export: (spans, done) => {
    consume(spans.length);
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};

/** New spans of many traces, made by the real SDK: what its hooks would be called with, in order. */
function recorded(shape) {
  const calls = [];
  const keep = {
    onStart: (span, context) => calls.push({ start: true, span, context }),
    onEnd: (span) => calls.push({ start: false, span, context: undefined }),
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const tracer = new BasicTracerProvider({ spanProcessors: [keep] }).getTracer("host");
  for (let index = 0; index < TRACES; index += 1) {
    const root = tracer.startSpan("POST /chat", { attributes: plainAttributes(index) }, ROOT_CONTEXT);
    const within = trace.setSpan(ROOT_CONTEXT, root);
    for (let child = 1; child < SPANS_PER_TRACE; child += 1) {
      const { name, attributes } = shape(child);
      tracer.startSpan(name, { attributes }, within).end();
    }
    root.end();
  }
  return calls;
}

function plainAttributes(index) {
  return {
    "http.request.method": "GET",
    "url.path": `/api/items/${index}`,
    "http.response.status_code": 200,
    "server.address": "example.test",
    "network.protocol.version": "1.1",
    "user_agent.original": "bench",
  };
}

const content = JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "x".repeat(1_500) }] }]);

const shapes = {
  "span of no kind, 6 attributes": (child) => ({ name: "GET", attributes: plainAttributes(child) }),
  "TOOL span, 8 attributes with JSON": (child) => ({
    name: "execute_tool search",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": `call_${child}`,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.arguments": '{"query":"hotels in Paris","max_results":2}',
      "gen_ai.tool.call.result": '[{"id":"h1","name":"Hotel One","price":180}]',
      "gen_ai.agent.name": "assistant",
      "session.id": "s-1",
    },
  }),
  "LLM span, 14 attributes with JSON": (child) => ({
    name: "chat gpt",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt",
      "gen_ai.response.model": "gpt",
      "gen_ai.response.id": `resp_${child}`,
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.max_tokens": 800,
      "gen_ai.usage.input_tokens": 900,
      "gen_ai.usage.output_tokens": 120,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.input.messages": content,
      "gen_ai.output.messages": content,
      "gen_ai.conversation.id": "s-1",
      "server.address": "example.test",
    },
  }),
};

/** Hooks of one processor over all spans. */
function drive(processor, calls) {
  for (const { start, span, context } of calls) {
    if (start) processor.onStart(span, context);
    else {
      processor.onEnding?.(span);
      processor.onEnd(span);
    }
  }
}

/** @returns rows of the report */
export async function benchHooks() {
  const rows = [];
  for (const [name, shape] of Object.entries(shapes)) {
    // A round's spans fit into the queue, so that none is dropped and none is exported while we measure.
    const batch = new BatchSpanProcessor(exporter, {
      maxQueueSize: 100_000,
      maxExportBatchSize: 100_000,
      scheduledDelayMillis: 3_600_000,
    });
    const ours = new TrajectorySpanProcessor();
    let calls = [];
    const times = await interleave(
      { batch: () => drive(batch, calls), ours: () => drive(ours, calls) },
      {
        before: () => {
          calls = recorded(shape);
        },
        after: async () => {
          await Promise.all([batch.forceFlush(), ours.drain()]);
        },
      },
    );
    consume(ours.stats().spans.released);
    await Promise.all([batch.shutdown(), ours.shutdown()]);
    rows.push({
      work: `our hooks, ${name}`,
      against: "BatchSpanProcessor's hooks",
      ratio: ratio(times, "ours", "batch"),
    });
  }
  return rows;
}
