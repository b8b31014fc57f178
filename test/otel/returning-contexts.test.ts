import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, test } from "vitest";
import { agent, child, enableContext, Telemetry, tool } from "../support/telemetry.ts";

beforeAll(enableContext);

const RULES = [{ match: { agent: "guide" }, expected_steps: ["search", "open_page"] }];
const SCORE = "trajectory.step_accuracy.score";

interface Request {
  readonly kind: SpanKind;
  readonly isRemote: boolean | undefined;
  readonly open: boolean;
  /** How many calls like it were made and did not come back. @defaultValue 0 */
  readonly others?: number;
}

/** One request: an agent's call that hands its context away by a span of no kind, and what comes back to this process. */
function request(telemetry: Telemetry, { kind, isRemote, open, others = 0 }: Request): string {
  const { tracer } = telemetry;
  const http = tracer.startSpan("POST /ask", { kind: SpanKind.SERVER }, ROOT_CONTEXT);
  const guide = agent(tracer, "guide", {}, http);
  tool(tracer, "search", guide).end();
  const call = { kind: SpanKind.CLIENT, attributes: { "http.request.method": "GET" } };
  for (let other = 0; other < others; other += 1) {
    tracer.startSpan("GET", call, trace.setSpan(ROOT_CONTEXT, guide)).end();
  }
  const publish = tracer.startSpan("publish", { kind }, trace.setSpan(ROOT_CONTEXT, guide));
  const { traceId, spanId, traceFlags } = publish.spanContext();
  if (!open) publish.end();
  // Nothing but ids comes back: read from headers, or wrapped by whoever runs a queue.
  const context = trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags,
    ...(isRemote === undefined ? {} : { isRemote }),
  });
  const consumer = tracer.startSpan("consume", { kind: SpanKind.CONSUMER }, context);
  tool(tracer, "open_page", consumer).end();
  consumer.end();
  if (open) publish.end();
  guide.end();
  http.end();
  return traceId;
}

describe("a context that leaves the process and comes back finds its place in the trace", () => {
  const kinds = [SpanKind.CLIENT, SpanKind.PRODUCER];
  const cases = kinds.flatMap((kind) =>
    [true, false, undefined].flatMap((isRemote) => [true, false].map((open) => ({ kind, isRemote, open }))),
  );
  // Among many its like is held as a row of numbers.
  const many = kinds.map((kind) => ({ kind, isRemote: true, open: false, others: 100 }));
  // Whatever its kind, a span that is open keeps its place.
  const open = [true, undefined].map((isRemote) => ({ kind: SpanKind.INTERNAL, isRemote, open: true }));

  test.each<Request>([...cases, ...many, ...open])("%o", async (given) => {
    const telemetry = new Telemetry({ expectations: RULES });
    request(telemetry, given);
    await telemetry.processor.drain();
    expect(telemetry.span("POST /ask").attributes[SCORE]).toBe(1);
    expect(telemetry.events.map((event) => event.attributes["gen_ai.evaluation.score.value"])).toEqual([1]);
    const { seen, released, held } = telemetry.processor.stats().spans;
    const sent = 6 + (given.others ?? 0);
    expect([seen, released, held]).toEqual([sent, sent, 0]);
  });

  test("of those that do not come back none takes a place from a step", async () => {
    const telemetry = new Telemetry({ expectations: RULES, maxSpansPerTrace: 5 });
    const guide = agent(telemetry.tracer, "guide");
    for (let query = 0; query < 20; query += 1) {
      telemetry.tracer.startSpan("SELECT", { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, guide)).end();
    }
    for (const name of ["search", "open_page"]) tool(telemetry.tracer, name, guide).end();
    guide.end();
    await telemetry.processor.drain();
    expect(telemetry.spans.find(({ name }) => name.includes("guide"))?.attributes[SCORE]).toBe(1);
    expect(telemetry.events[0]?.attributes["trajectory.complete"]).toBe(true);
  });
});

test("leaves that are held for their contexts leave parents their places", async () => {
  const telemetry = new Telemetry({ expectations: RULES, maxSpansPerTrace: 10 });
  const guide = agent(telemetry.tracer, "guide");
  for (let query = 0; query < 20; query += 1) {
    telemetry.tracer.startSpan("SELECT", { kind: SpanKind.CLIENT }, trace.setSpan(ROOT_CONTEXT, guide)).end();
  }
  for (const name of ["search", "open_page"]) {
    const layer = child(telemetry.tracer, "middleware", {}, guide);
    tool(telemetry.tracer, name, layer).end();
    layer.end();
  }
  guide.end();
  await telemetry.processor.drain();
  const event = telemetry.events.find(({ attributes }) => attributes["gen_ai.evaluation.score.value"] === 1);
  expect(event?.attributes["trajectory.complete"]).toBe(true);
  expect(telemetry.processor.stats().spans.dropped.span_limit).toBe(0);
});

describe("more spans at once than maxSpansPerTrace", () => {
  test.each([
    ["the oldest end first", false],
    ["the newest end first", true],
  ])("leave the trace open and its steps their places: %s", async (_, newestFirst) => {
    const telemetry = new Telemetry({ expectations: RULES, maxSpansPerTrace: 10 });
    const guide = agent(telemetry.tracer, "guide");
    const queries = Array.from({ length: 30 }, () => child(telemetry.tracer, "SELECT", {}, guide));
    if (newestFirst) queries.reverse();
    for (const query of queries) query.end();
    await telemetry.processor.forceFlush();
    expect(telemetry.processor.stats().traces).toMatchObject({ open: 1, scored: 0 });
    for (const name of ["search", "open_page"]) tool(telemetry.tracer, name, guide).end();
    guide.end();
    await telemetry.processor.drain();
    expect(telemetry.events[0]?.attributes["gen_ai.evaluation.score.value"]).toBe(1);
    expect(telemetry.processor.stats().spans).toMatchObject({ seen: 33, released: 33, held: 0 });
  });

  test("of parents that say nothing as many are held as of steps", async () => {
    const telemetry = new Telemetry({ expectations: RULES, maxSpansPerTrace: 10 });
    const guide = agent(telemetry.tracer, "guide");
    for (let layer = 0; layer < 20; layer += 1) {
      const outer = child(telemetry.tracer, "middleware", {}, guide);
      child(telemetry.tracer, "SELECT", {}, outer).end();
      outer.end();
    }
    for (const name of ["search", "open_page"]) tool(telemetry.tracer, name, guide).end();
    guide.end();
    await telemetry.processor.drain();
    expect(telemetry.events[0]?.attributes["gen_ai.evaluation.score.value"]).toBe(1);
    expect(telemetry.processor.stats().spans.dropped.span_limit).toBe(10);
  });
});
