import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { beforeAll, describe, expect, test } from "vitest";
import { TrajectorySpanProcessor } from "../../src/index.ts";
import { agent, child, enableContext, Telemetry, tool, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const RULES = [{ expected_steps: ["search"] }];

/** Own symbols of a span that are not the SDK's. */
const marksOn = (span: object): number => Object.getOwnPropertySymbols(span).length;

describe("marks on the host's spans", () => {
  test("are invisible to what hosts do with spans", () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const root = agent(telemetry.tracer, "support");
    expect(marksOn(root)).toBe(1);
    expect(Object.keys(root).some((key) => key.includes("trajectory"))).toBe(false);
    root.end();
  });

  test("a span that is handed to onEnd as another object is found by its id", async () => {
    const wrapped = new TrajectorySpanProcessor({ expectations: RULES });
    const outer = {
      onStart: wrapped.onStart.bind(wrapped),
      onEnd: (span: object) => {
        const copy = Object.create(
          Object.getPrototypeOf(span) as object,
          Object.getOwnPropertyDescriptors({ ...span }),
        );
        for (const symbol of Object.getOwnPropertySymbols(copy)) delete (copy as Record<symbol, unknown>)[symbol];
        wrapped.onEnd(copy as never);
      },
      forceFlush: async () => undefined,
      shutdown: async () => undefined,
    };
    const telemetry = new Telemetry({}, { before: [outer] });
    const root = agent(telemetry.tracer, "support");
    for (const name of ["search", "other"]) tool(telemetry.tracer, name, root).end();
    child(telemetry.tracer, "GET", {}, root).end();
    root.end();
    await until(() => wrapped.stats().traces.scored === 1);
    expect(wrapped.stats().spans).toMatchObject({ seen: 4, released: 4, held: 0 });
    expect(wrapped.stats().traces.open).toBe(0);
  });

  test("frozen spans are found by their id", async () => {
    const processor = new TrajectorySpanProcessor({ expectations: RULES });
    const telemetry = new Telemetry();
    const spans = ["1", "2"].map((digit) => {
      const span = telemetry.tracer.startSpan(`s${digit}`, {}, ROOT_CONTEXT);
      span.end();
      return Object.freeze(Object.create(span as object)) as object;
    });
    for (const span of spans) processor.onStart(span as never, ROOT_CONTEXT);
    for (const span of spans) processor.onEnd(span as never);
    await processor.forceFlush();
    expect(processor.stats().spans).toMatchObject({ seen: 2, released: 2 });
    expect(processor.stats().problems).toEqual({});
  });

  test("a processor that is registered twice counts every span once", async () => {
    const processor = new TrajectorySpanProcessor({ expectations: RULES });
    const telemetry = new Telemetry({}, { before: [processor, processor] });
    const root = agent(telemetry.tracer, "support");
    child(telemetry.tracer, "GET", {}, root).end();
    tool(telemetry.tracer, "search", root).end();
    root.end();
    await processor.forceFlush();
    expect(processor.stats().spans).toMatchObject({ seen: 6, released: 3, held: 0 });
    expect(processor.stats().spans.dropped.duplicate).toBe(3);
    expect(processor.stats().evaluations.results).toMatchObject({ scored: 1 });
  });

  test("a tool that starts late beneath a leaf that was let go keeps its place under the agent", async () => {
    const telemetry = new Telemetry({ expectations: RULES });
    const root = agent(telemetry.tracer, "support");
    const http = child(telemetry.tracer, "GET", {}, root);
    http.end();
    const late = context.with(trace.setSpan(ROOT_CONTEXT, http), () => tool(telemetry.tracer, "search", http));
    late.end();
    root.end();
    await telemetry.processor.forceFlush();
    const [event] = telemetry.eventsOf("step_accuracy");
    expect(event).toMatchObject({ "gen_ai.evaluation.score.value": 1, "trajectory.complete": true });
    expect(event?.["gen_ai.agent.name"]).toBe("support");
  });

  test("two processors on one provider do not share marks", async () => {
    const other = new TrajectorySpanProcessor({ expectations: RULES });
    const telemetry = new Telemetry({ expectations: RULES }, { before: [other] });
    const root = agent(telemetry.tracer, "support");
    tool(telemetry.tracer, "search", root).end();
    root.end();
    await other.forceFlush();
    await telemetry.processor.forceFlush();
    expect(other.stats().evaluations.results).toMatchObject({ scored: 1 });
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
  });
});

test("a host that keeps its spans keeps nothing of ours once the window is over", async () => {
  const telemetry = new Telemetry({ expectations: RULES, lateWindowMillis: 0 });
  const root = agent(telemetry.tracer, "support");
  tool(telemetry.tracer, "search", root).end();
  root.end();
  await telemetry.processor.drain();
  const [symbol] = Object.getOwnPropertySymbols(root);
  const mark = (root as unknown as Record<symbol, { entry: { spans: { length: number } } }>)[symbol as symbol];
  expect(mark?.entry.spans.length).toBe(0);
});
