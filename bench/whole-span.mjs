// A whole span of a host, from startSpan to end, with BatchSpanProcessor alone and with ours beside it.
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { idleBatch } from "./idle-batch.mjs";
import { makeTraces, shapes } from "./shapes.mjs";
import { consume, interleave, ratio } from "./support.mjs";

/** @returns rows of the report */
export async function benchWholeSpans() {
  const rows = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const ours = new TrajectorySpanProcessor();
    const alone = new BasicTracerProvider({ spanProcessors: [idleBatch()] });
    const both = new BasicTracerProvider({ spanProcessors: [ours, idleBatch()] });
    const times = await interleave(
      {
        alone: () => makeTraces(alone.getTracer("host"), shape),
        both: () => makeTraces(both.getTracer("host"), shape),
      },
      {
        after: async () => {
          await Promise.all([alone.forceFlush(), ours.drain()]);
          await both.forceFlush();
        },
      },
    );
    consume(ours.stats().spans.released);
    await Promise.all([alone.shutdown(), both.shutdown()]);
    rows.push({
      work: `whole ${name}, ours and Batch`,
      against: "whole span, Batch alone",
      ratio: ratio(times, "both", "alone"),
    });
  }
  return rows;
}
