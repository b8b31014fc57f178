import { ROOT_CONTEXT, type Tracer, trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { stepAccuracy } from "../../src/index.ts";
import { Telemetry } from "../support/telemetry.ts";

const session = (value: string) => ({ "http.request.method": "GET", "session.id": value });

/** A run of an agent in which every request of the host names the session, as processors do that copy baggage. */
function run(tracer: Tracer, leaves: readonly string[], beforeEnd: () => void): void {
  const root = tracer.startSpan("POST /chat", {}, ROOT_CONTEXT);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
  tracer.startSpan("execute_tool search", { attributes: tool }, within).end();
  for (const value of leaves) tracer.startSpan("GET", { attributes: session(value) }, within).end();
  beforeEnd();
  root.end();
}

const scorers = [stepAccuracy({ metric_name: "whole", unit: "session", expected_steps: ["search"] })];

test("a thousand leaves that name one session occupy what one of them does, and the session is scored", async () => {
  const telemetry = new Telemetry({ scorers });
  run(telemetry.tracer, Array(1_000).fill("s1"), () => {
    const { buffered_bytes, spans } = telemetry.processor.stats();
    expect(buffered_bytes).toBeLessThan(4_000);
    expect(spans.held).toBe(1_001);
  });
  await telemetry.processor.drain();
  const [event] = telemetry.eventsOf("whole", "session");
  expect(event).toMatchObject({ "session.id": "s1", "gen_ai.evaluation.score.value": 1, "trajectory.complete": true });
  const { seen, released } = telemetry.processor.stats().spans;
  expect([seen, released]).toEqual([1_002, 1_002]);
});

test("leaves that name different sessions are all heard", async () => {
  const telemetry = new Telemetry({ scorers });
  run(telemetry.tracer, ["s1", "s1", "s2", "s1", "s1"], () => undefined);
  await telemetry.processor.drain();
  const [event] = telemetry.eventsOf("whole", "session");
  expect(event).toMatchObject({ "session.id": "s1", "trajectory.incomplete_reasons": ["session_conflict"] });
});

test("a leaf that was not heard and becomes a parent is read back with its session", async () => {
  const telemetry = new Telemetry({ scorers });
  const { tracer } = telemetry;
  const root = tracer.startSpan("POST /chat", {}, ROOT_CONTEXT);
  const within = trace.setSpan(ROOT_CONTEXT, root);
  tracer.startSpan("GET", { attributes: session("s1") }, within).end();
  const second = tracer.startSpan("GET", { attributes: session("s1") }, within);
  second.end();
  const tool = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" };
  tracer.startSpan("execute_tool search", { attributes: tool }, trace.setSpan(within, second)).end();
  root.end();
  await telemetry.processor.drain();
  const [event] = telemetry.eventsOf("whole", "session");
  expect(event).toMatchObject({ "session.id": "s1", "trajectory.complete": true });
});
