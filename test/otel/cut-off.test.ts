import { ROOT_CONTEXT, type Span, type Tracer, trace } from "@opentelemetry/api";
import { describe, expect, test } from "vitest";
import { Telemetry } from "../support/telemetry.ts";

const expectations = [{ match: { agent: "support" }, expected_steps: ["search", "open"], status: "approved" as const }];
const AGENT = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support", "session.id": "s1" };

/** An agent that has taken both steps and goes on. */
function running(tracer: Tracer): Span {
  const root = tracer.startSpan("invoke_agent support", { attributes: AGENT }, ROOT_CONTEXT);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const name of ["search", "open"]) {
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name };
    tracer.startSpan(`execute_tool ${name}`, { attributes }, within).end();
  }
  return root;
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 2));
const settled = () => new Promise((resolve) => setTimeout(resolve, 150));

describe("a run that is cut off while its agent is open is held to what is expected of that agent, and flagged", () => {
  test("by shutdown", async () => {
    const telemetry = new Telemetry({ expectations });
    running(telemetry.tracer);
    await telemetry.processor.shutdown();
    expect(telemetry.eventsOf("step_accuracy")).toMatchObject([
      {
        "gen_ai.evaluation.score.value": 1,
        "gen_ai.agent.name": "support",
        "session.id": "s1",
        "trajectory.complete": false,
        "trajectory.incomplete_reasons": ["no_root", "open_spans", "shutdown"],
      },
    ]);
  });

  test("by drain, and what comes later is a revision of the same evaluation", async () => {
    const telemetry = new Telemetry({ expectations, lateSpanMillis: 10 });
    const root = running(telemetry.tracer);
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")).toEqual([]);
    root.end();
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("step_accuracy")).toMatchObject([{ "trajectory.complete": true }]);
  });
});

describe("a root that ends after its trace is over is late, and no run without steps", () => {
  test("the longest life of a trace has passed", async () => {
    const telemetry = new Telemetry({ expectations, maxTraceMillis: 20, lateWindowMillis: 20, idleMillis: 20 });
    const root = running(telemetry.tracer);
    await settled();
    root.end();
    await settled();
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("step_accuracy")).toMatchObject([
      { "gen_ai.evaluation.score.value": 1, "trajectory.complete": false, "trajectory.evaluation.revision": 0 },
    ]);
    expect(telemetry.processor.stats().spans).toMatchObject({ seen: 3, released: 2, dropped: { late: 1 } });
  });

  test("memory was short", async () => {
    const telemetry = new Telemetry({ expectations, maxBufferedBytes: 20_000 });
    const roots: Span[] = [];
    for (let index = 0; index < 50; index += 1) {
      roots.push(running(telemetry.tracer));
      await turn();
    }
    for (const root of roots) {
      root.end();
      await turn();
    }
    await telemetry.processor.drain();
    const scores = telemetry.eventsOf("step_accuracy").map((event) => event["gen_ai.evaluation.score.value"]);
    expect(scores).toEqual(Array(50).fill(1));
    const { seen, released, dropped } = telemetry.processor.stats().spans;
    expect(dropped.late).toBeGreaterThan(30);
    expect(released + dropped.late).toBe(seen);
  });
});

test("thousands of leaves take no place from the steps and the root of their trace", async () => {
  const telemetry = new Telemetry({ expectations, maxSpansPerTrace: 3 });
  const root = running(telemetry.tracer);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (let index = 0; index < 2_000; index += 1) telemetry.tracer.startSpan("GET", {}, within).end();
  root.end();
  await telemetry.processor.drain();
  expect(telemetry.eventsOf("step_accuracy")).toMatchObject([
    { "gen_ai.evaluation.score.value": 1, "trajectory.complete": true },
  ]);
});
