import { describe, expect, test } from "vitest";
import type { IncompleteReason } from "../../src/model/trajectory.ts";
import { assembleTrace } from "../../src/trajectory/assemble.ts";
import { agent, assembled, factsOf, llm, type Sketch, shortTools, tool } from "../support/spans.ts";

describe("what a trace lacks", () => {
  test.each<
    readonly [
      name: string,
      spans: readonly Sketch[],
      open: readonly string[],
      reasons: readonly IncompleteReason[],
      root: string | undefined,
    ]
  >([
    ["nothing", [agent("r"), tool("t", { parent: "r" })], [], [], "r"],
    ["a local parent never came", [tool("t", { parent: "gone" })], [], ["parent_missing"], "t"],
    ["the parent is in another process", [agent("r", { parent: "far", remote: true })], [], ["remote_parent"], "r"],
    ["a remote parent that is here after all", [agent("r"), tool("t", { parent: "r", remote: true })], [], [], "r"],
    [
      "the parent is still open: not missing, and no local root",
      [tool("t", { parent: "open" })],
      ["open"],
      ["no_root"],
      undefined,
    ],
    ["a ring", [tool("a", { parent: "b" }), tool("b", { parent: "a" })], [], ["no_root"], undefined],
  ])("%s", (_, spans, open, reasons, localRoot) => {
    const trace = assembled(spans, { openSpanIds: new Set(open) });
    expect(trace.reasons).toEqual(reasons);
    expect(trace.local_root?.span_id).toBe(localRoot);
  });

  test("no spans at all", () => {
    expect(assembleTrace([])).toMatchObject({
      trace_id: "",
      steps: [],
      tools: [],
      kinds: [],
      unread: [],
      reasons: [],
      egress: "unknown",
      span_count: 0,
      local_root: undefined,
      entry_agent: undefined,
    });
  });
});

describe("egress of a trace", () => {
  const permitted = { "aip.egress": "permitted" };
  test.each<readonly [name: string, spans: readonly Sketch[], want: string, fallback: "permitted" | undefined]>([
    [
      "every span with a kind permits",
      [agent("r", { attributes: permitted }), { id: "h", parent: "r" }],
      "permitted",
      undefined,
    ],
    ["one does not say", [agent("r", { attributes: permitted }), tool("t", { parent: "r" })], "unknown", undefined],
    ["one says something else", [agent("r", { attributes: { "aip.egress": "Permitted" } })], "unknown", undefined],
    [
      "a value of another type is not absent",
      [agent("r", { attributes: { "aip.egress": 1 } })],
      "unknown",
      "permitted",
    ],
    ["the default stands for absent", [agent("r"), tool("t", { parent: "r" })], "permitted", "permitted"],
    ["the default stands for absent only", [agent("r", { attributes: { "aip.egress": "x" } })], "unknown", "permitted"],
    [
      "one forbids",
      [agent("r", { attributes: permitted }), llm("l", { parent: "r", attributes: { "aip.egress": "forbidden" } })],
      "forbidden",
      undefined,
    ],
    ["no span with a kind", [{ id: "h", attributes: permitted }], "unknown", "permitted"],
  ])("%s", (_, spans, want, fallback) => {
    expect(assembled(spans, { defaultEgress: fallback }).egress).toBe(want);
  });
});

test("what matching and emission need", () => {
  const trace = assembled([
    { id: "h", name: "POST /chat", start: 5, attributes: { "task.type": "refund", long: "x".repeat(300) } },
    agent("a", { parent: "h", start: 6, attributes: { tier: 2 } }),
    tool("t", {
      parent: "a",
      start: 7,
      attributes: { "aip.expected_steps": '["t"]', "aip.expectation.id": "e1", secret: "s" },
    }),
    tool("u", { parent: "a", start: 8, attributes: { "aip.session.end": true } }),
  ]);
  expect(trace.local_root).toEqual({ trace_id: "t", span_id: "h", trace_flags: 1, name: "POST /chat" });
  expect(trace.entry_agent).toEqual({ trace_id: "t", span_id: "a", trace_flags: 1, name: "a" });
  expect(trace.root_attributes).toEqual({ "task.type": "refund" });
  expect(trace.agent_attributes).toMatchObject({ tier: 2, "gen_ai.agent.name": "a" });
  expect(trace.annotations).toEqual([{ span_id: "t", expected_steps: '["t"]', id: "e1" }]);
  expect(trace).toMatchObject({ session_end: true, kinds: ["TOOL", "AGENT"], root_start_s: 1_000, root_start_n: 5e6 });
});

describe("failures that other spans report", () => {
  const beeAi = "@arizeai/openinference-instrumentation-beeai";
  const event = (id: string, name: string, start: number): Sketch => ({
    id,
    parent: "r",
    name,
    start,
    scope: beeAi,
    attributes: { "openinference.span.kind": "TOOL" },
  });
  test("an error event marks the latest call of its name that started before", () => {
    const spans = [
      agent("r"),
      event("1", "tool.dynamic.getRate.start-1", 1),
      event("2", "tool.dynamic.getRate.error-1", 2),
      event("3", "tool.dynamic.getRate.start-2", 3),
      event("4", "tool.dynamic.getRate.success-1", 4),
      event("5", "tool.dynamic.other.start-1", 5),
      event("6", "tool.dynamic.getRate.error-2", 6),
      event("7", "tool.dynamic.finalAnswer.start-1", 7),
    ];
    expect(shortTools(assembled(spans))).toEqual(["getRate!", "getRate!", "other"]);
  });
});

describe("hostile forests", () => {
  const SIZE = 10_000;
  const many = (parent: (index: number) => string, make: typeof tool = tool): readonly Sketch[] =>
    Array.from({ length: SIZE }, (_, index) => make(`s${index}`, { parent: parent(index), start: index, end: SIZE }));
  const chain = (index: number): string => (index === 0 ? "" : `s${index - 1}`);

  test.each<readonly [name: string, spans: () => readonly Sketch[], steps: number, tools: number]>([
    // The parentless tool is a step.
    ["tools nested 10,000 deep", () => many(chain), SIZE, SIZE],
    // The only parentless agent is the root.
    ["agents nested 10,000 deep", () => many(chain, agent), SIZE - 1, 0],
    ["10,000 local roots", () => many(() => ""), SIZE, SIZE],
    ["10,000 orphans of one parent", () => many(() => "gone"), SIZE, SIZE],
    ["one ring of 10,000", () => many((index) => `s${(index + 1) % SIZE}`), SIZE, SIZE],
    ["5,000 rings of two", () => many((index) => `s${index ^ 1}`), SIZE, SIZE],
    ["10,000 completions nested", () => many(chain, llm as typeof tool), 0, 0],
    // One call id: they are all one act.
    ["one call id 10,000 times", () => many(chain).map((one) => tool(one.id, { ...one, call: "c", named: "t" })), 1, 1],
    ["10,000 spans with one id", () => many(() => "").map((one) => ({ ...one, id: "same" })), 1, 1],
  ])("%s", (_, spans, steps, tools) => {
    const trace = assembleTrace(factsOf(spans()));
    expect(trace.steps).toHaveLength(steps);
    expect(trace.tools).toHaveLength(tools);
  });

  test("a reader that throws leaves its content unread", () => {
    const broken = (): never => {
      throw new Error("bad convention");
    };
    const facts = factsOf([agent("r"), tool("t", { parent: "r", attributes: { "gen_ai.tool.call.arguments": "{}" } })]);
    const tampered = facts.map((one) =>
      one.facts === undefined ? one : { ...one, facts: { ...one.facts, readArgs: broken, readOutput: broken } },
    );
    expect(assembleTrace(tampered).tools).toMatchObject([{ step: { name: "t", args_status: "unparsed" } }]);
  });
});
