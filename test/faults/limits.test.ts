import { beforeAll, describe, expect, test } from "vitest";
import { contentKeeper } from "../../src/conventions/content.ts";
import { defineScorer, stepAccuracy } from "../../src/index.ts";
import { show } from "../../src/model/errors.ts";
import { agent, enableContext, Telemetry, tool } from "../support/telemetry.ts";

beforeAll(enableContext);

const MEGABYTE = "n".repeat(1024 * 1024);

test.each([2_000, 60_000])("names of %i characters are names of 1024, and call ids too", async (length) => {
  const long = "n".repeat(length);
  const seen: number[][] = [];
  const probe = defineScorer({
    name: "own.probe",
    version: "1.0.0",
    metric_name: "probe",
    score: ({ steps }) => {
      seen.push(steps.map(({ name }) => name.length));
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
  const telemetry = new Telemetry({ scorers: [probe] });
  const root = agent(telemetry.tracer, long);
  for (const end of ["a", "b"]) {
    tool(telemetry.tracer, `${long}${end}`, root, { "gen_ai.tool.call.id": `${long}${end}` }).end();
  }
  root.end();
  await telemetry.processor.drain();
  // Cut to one call id, the two are one act.
  expect(seen).toEqual([[1024]]);
  const [agentName] = telemetry.eventsOf("probe").map((event) => String(event["gen_ai.agent.name"]).length);
  expect(agentName).toBe(1024);
});

test("lists of nothing much are content too: a million empty texts are too long, and are not copied", async () => {
  let read = 0;
  const texts = new Proxy(Array(1_000_000).fill(""), {
    get(target, key) {
      read += 1;
      return Reflect.get(target, key);
    },
  });
  const keep = contentKeeper(65_536);
  expect(keep([texts])).toEqual({ value: undefined, cut: true });
  expect(read).toBeLessThan(10_000);
  expect(keep([Array(3_000).fill("")])?.cut).toBe(false);
});

test("ids that are no ids are turned away, counted, and cost nothing else", async () => {
  const telemetry = new Telemetry();
  for (const id of ["", MEGABYTE, null, 7]) {
    const context = { traceId: id, spanId: id };
    const span = { spanContext: () => context, startTime: [0, 0], endTime: [0, 0], attributes: {}, name: "x" };
    telemetry.processor.onStart(span as never, { getValue: () => undefined } as never);
    telemetry.processor.onEnd(span as never);
  }
  expect(telemetry.processor.stats()).toMatchObject({ problems: { onStart: 4, onEnd: 4 }, traces: { open: 0 } });
});

describe("while a root ends nothing large is scored; it is a turn later", () => {
  const scored = async (attributes: Record<string, string | string[]>, output: string, steps: number) => {
    const telemetry = new Telemetry({ scorers: [stepAccuracy()], endingMaxSteps: 1_000 });
    const root = agent(telemetry.tracer, "support", attributes);
    for (let index = 0; index < steps; index += 1) {
      tool(telemetry.tracer, "search", root, { "gen_ai.tool.call.arguments": output }).end();
    }
    root.end();
    const onSpan = telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"];
    await telemetry.processor.drain();
    return { onSpan, event: telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"] };
  };

  test("small: both", async () => {
    const seen = await scored({ "aip.expected_steps": '["search"]' }, "{}", 1);
    expect(seen).toEqual({ onSpan: 1, event: 1 });
  });

  test.each([
    ["an expectation as text", { "aip.expected_steps": JSON.stringify(Array(2_000).fill("search")) }, "{}", 2],
    ["an expectation as a list", { "aip.expected_steps": Array(2_000).fill("search") }, "{}", 2],
    ["content", { "aip.expected_steps": '["search"]' }, JSON.stringify("x".repeat(30_000)), 20],
  ])("large: %s", async (_, attributes, output, steps) => {
    const { onSpan, event } = await scored(attributes, output, steps);
    expect(onSpan).toBeUndefined();
    // 2 of 2 000, or 1 of 20.
    expect(event).toBeCloseTo(steps === 2 ? 1 / 1_000 : 1 / 20, 12);
  });
});

test("a span whose resource throws costs its trace nothing", async () => {
  const telemetry = new Telemetry({ scorers: [stepAccuracy({ expected_steps: ["search", "open"] })], attach: "none" });
  const root = agent(telemetry.tracer, "support");
  for (const name of ["search", "open"]) {
    const span = tool(telemetry.tracer, name, root);
    const refuse = (): never => {
      throw new Error("not for reading");
    };
    Object.defineProperty(span, "resource", { value: Object.defineProperty({}, "attributes", { get: refuse }) });
    span.end();
  }
  root.end();
  await telemetry.processor.drain();
  expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
  expect(telemetry.processor.stats().problems).toEqual({});
});

test("what is shown in a message is looked at in part", () => {
  let asked = 0;
  const counting = { toJSON: () => (asked += 1) };
  expect(show(Array(100_000).fill(counting))).toBe("object");
  expect(asked).toBeLessThan(200);
  expect(show(new Uint8Array(100_000))).toBe("object");
  expect(show("x".repeat(1_000))).toBe(`"${"x".repeat(76)}...`);
  expect(show({ a: [1, "b"] })).toBe('{"a":[1,"b"]}');
});
