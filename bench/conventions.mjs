// What the number of conventions costs: the reader with all of them against the reader with the first five, on the
// same ended spans. A span of no kind must cost the same, however many dialects could have read it.
import { CONVENTIONS, DEFAULT_CONVENTIONS } from "otel-trajectory/core";
import { internals } from "./internals.mjs";
import { plainAttributes } from "./shapes.mjs";
import { consume, interleave, ratio } from "./support.mjs";

const [{ createSpanReader }, { viewOfReadableSpan }] = await internals(
  "conventions/read-span",
  "wire/from-readable-span",
);

const SPANS = 2_000;

const shapes = {
  "span of no kind": (index) => ({ name: "GET", attributes: plainAttributes(index) }),
  "TOOL span": (index) => ({
    name: "execute_tool search",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": `call_${index}`,
      "gen_ai.tool.call.arguments": '{"query":"hotels in Paris"}',
      "gen_ai.agent.name": "assistant",
    },
  }),
};

function spansOf(shape) {
  return Array.from({ length: SPANS }, (_, index) => ({
    ...shape(index),
    kind: 0,
    spanContext: () => ({ traceId: "t", spanId: String(index), traceFlags: 1 }),
    parentSpanContext: { traceId: "t", spanId: "p" },
    startTime: [1, 0],
    endTime: [1, 1],
    status: { code: 0 },
    events: [],
    resource: { attributes: {} },
    instrumentationScope: { name: "bench" },
  }));
}

/** What a span that ends is asked: in the hook, and if there is anything to be read of it, when its trace is released. */
function readAll(reader, spans) {
  for (const [index, span] of spans.entries()) {
    const look = reader.look(span);
    if (look !== 0) consume(reader.factsOf(reader.hold(viewOfReadableSpan(span), index, false, look)).bytes);
  }
}

/** @returns rows of the report */
export async function benchConventions() {
  const { aip, mcp, genAi, vercelAi, openInference } = CONVENTIONS;
  const few = createSpanReader({ conventions: [aip, mcp, genAi, vercelAi, openInference] });
  const all = createSpanReader();
  const rows = [];
  for (const [name, shape] of Object.entries(shapes)) {
    const spans = spansOf(shape);
    const times = await interleave({ few: () => readAll(few, spans), all: () => readAll(all, spans) });
    rows.push({
      work: `${DEFAULT_CONVENTIONS.length} conventions, ${name}`,
      against: "five conventions",
      ratio: ratio(times, "all", "few"),
    });
  }
  return rows;
}
