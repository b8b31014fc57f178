import { describe, expect, test } from "vitest";
import { type SpanRecord, stepAccuracy, trajectoryOf, trajectoryShape } from "../../src/core.ts";

const span = (
  id: string,
  parent: string | null,
  start: number,
  attributes: Record<string, unknown>,
  trace = "t1",
): SpanRecord => ({
  trace_id: trace,
  span_id: id,
  parent_span_id: parent,
  name: id,
  start_ns: BigInt(start) * 1_000_000n,
  end_ns: BigInt(start + 5) * 1_000_000n,
  attributes,
});
const agent = (name: string, session = "s-1") => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": name,
  "session.id": session,
});
const tool = (name: string) => ({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name });
const chat = (output?: string) => ({
  "gen_ai.operation.name": "chat",
  ...(output === undefined ? {} : { "gen_ai.output.messages": output }),
});

const SPANS: SpanRecord[] = [
  span("b-root", null, 100, agent("boss"), "t2"),
  span("b-tool", "b-root", 110, tool("open"), "t2"),
  span("a-root", null, 10, agent("boss")),
  span("a-chat", "a-root", 20, chat('[{"role":"assistant","parts":[{"type":"text","content":"hi"}]}]')),
  span("a-dark", "a-root", 30, chat()),
  span("a-tool", "a-root", 40, tool("search")),
];

describe("spans to occurrences, without OpenTelemetry", () => {
  test("one per trace, by start of the root", () => {
    expect(trajectoryOf(SPANS).map(({ unit_id, steps }) => [unit_id, steps.map((step) => step.name)])).toEqual([
      ["trajectory:t1", ["search"]],
      ["trajectory:t2", ["open"]],
    ]);
  });

  test("one per session, its traces merged in time", () => {
    const [session, ...others] = trajectoryOf(SPANS, { unit: "session" });
    expect(others).toEqual([]);
    expect(session?.unit_id).toBe("session:s-1");
    expect(session?.steps.map((step) => step.name)).toEqual(["search", "open"]);
    expect(session?.trace_ids).toEqual(["t1", "t2"]);
  });

  test("what comes out goes into a scorer", () => {
    const [first] = trajectoryOf(SPANS);
    if (first === undefined) throw new Error("no occurrence");
    expect(stepAccuracy({ expected_steps: ["search"] }).score(first)).toMatchObject({ status: "scored", score: 1 });
    // Two LLM calls, one of which recorded an output.
    expect(trajectoryShape({ unit: "trajectory" }).score(first)).toMatchObject({ status: "scored", score: 0.5 });
  });

  test.each([
    [[{ ...SPANS[0], trace_id: "" }], {}, /spans\[0\]/],
    ["no list", {}, /spans: expected an array/],
    [SPANS, { unit: "week" }, /unit: expected "trajectory", "session", got "week"/],
    [SPANS, { root: "first" }, /trajectory.root/],
    [SPANS, { roots: "trace" }, /trajectory.roots/],
  ])("bad input %# is named", (spans, options, message) => {
    expect(() => trajectoryOf(spans as never, options as never)).toThrow(message);
  });
});
