// Our hooks against BatchSpanProcessor's own hooks, on the same ended spans, its queue never full.
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { idleBatch } from "./idle-batch.mjs";
import { client, makeTraces, shapes } from "./shapes.mjs";
import { consume, interleave, ratio } from "./support.mjs";

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
  makeTraces(tracer, shape);
  return calls;
}

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
  for (const [name, shape] of Object.entries({ ...shapes, "CLIENT span of no kind, 6 attributes": client })) {
    const batch = idleBatch();
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
