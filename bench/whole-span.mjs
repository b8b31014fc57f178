// A whole span of a host, from startSpan to end, with BatchSpanProcessor alone and with ours beside it.
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor } from "otel-trajectory";
import { idleBatch } from "./idle-batch.mjs";
import { plainAttributes, shapes } from "./shapes.mjs";
import { consume, interleave, ratio } from "./support.mjs";

const SPANS_PER_TRACE = 20;
const TRACES = 100;

function work(tracer, shape) {
  for (let index = 0; index < TRACES; index += 1) {
    const root = tracer.startSpan("POST /chat", { attributes: plainAttributes(index) }, ROOT_CONTEXT);
    const within = trace.setSpan(ROOT_CONTEXT, root);
    for (let child = 1; child < SPANS_PER_TRACE; child += 1) {
      const { name, attributes } = shape(child);
      tracer.startSpan(name, { attributes }, within).end();
    }
    root.end();
  }
}

/** @returns rows of the report */
export async function benchWholeSpans() {
  const rows = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const ours = new TrajectorySpanProcessor();
    const alone = new BasicTracerProvider({ spanProcessors: [idleBatch()] });
    const both = new BasicTracerProvider({ spanProcessors: [ours, idleBatch()] });
    const times = await interleave(
      { alone: () => work(alone.getTracer("host"), shape), both: () => work(both.getTracer("host"), shape) },
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
