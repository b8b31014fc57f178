import { describe, expect, test } from "vitest";
import { assembled, llm, type Sketch, shortSteps, tool } from "../support/spans.ts";

const output = (...names: readonly string[]): string =>
  JSON.stringify({
    text: "",
    toolCalls: names.map((toolName) => ({ toolCallId: `c-${toolName}`, toolName, args: {} })),
  });

const step = (id: string, parent: string, start: number, ...names: readonly string[]): Sketch => ({
  id,
  parent,
  start,
  attributes: { "mastra.span.type": "model_step", "mastra.model_step.output": output(...names) },
});
const inference = (id: string, parent: string, start: number, ...names: readonly string[]): Sketch => ({
  id,
  parent,
  start,
  attributes: {
    "mastra.span.type": "model_inference",
    "gen_ai.operation.name": "model_inference",
    "mastra.model_inference.output": output(...names),
  },
});

describe("calls that spans of no kind hold for a model call", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], steps: readonly string[]]>([
    [
      "inside of it, twice in each other: each call once, in order",
      [
        llm("chat", { start: 0, end: 90, says: "done" }),
        step("s1", "chat", 10, "search"),
        inference("i1", "s1", 11, "search"),
        step("s2", "chat", 30, "open", "convert"),
        inference("i2", "s2", 31, "open", "convert"),
      ],
      ["search", "open", "convert"],
    ],
    [
      "the inner one alone shows them",
      [llm("chat", { start: 0, end: 90 }), step("s1", "chat", 10), inference("i1", "s1", 11, "search")],
      ["search"],
    ],
    [
      "around it",
      [
        {
          id: "g",
          start: 0,
          end: 90,
          attributes: { "mastra.span.type": "model_generation", "gen_ai.operation.name": "x" },
        },
        { ...step("s1", "g", 10, "search"), end: 30 },
        llm("chat", { parent: "s1", start: 11, end: 20, stop: "tool_calls" }),
      ],
      ["search"],
    ],
    [
      "its own calls go before",
      [llm("chat", { start: 0, end: 90, calls: [{ name: "own" }] }), step("s1", "chat", 10, "search")],
      ["own"],
    ],
    ["without a model call they are nobody's", [step("s1", "p", 10, "search")], []],
    [
      "where spans show the tools they are not needed",
      [
        llm("chat", { start: 0, end: 90 }),
        step("s1", "chat", 10, "search"),
        tool("t", { parent: "s1", named: "search", start: 12 }),
      ],
      ["search"],
    ],
  ])("%s", (_, spans, steps) => {
    const trace = assembled(spans);
    expect(shortSteps(trace)).toEqual(steps);
    expect(trace.unread).toEqual([]);
  });

  test("a model call that stopped for tools and that nobody shows is a gap", () => {
    const trace = assembled([
      { ...step("s1", "", 0), end: 50 },
      llm("chat", { parent: "s1", start: 1, stop: "tool_calls" }),
    ]);
    expect(trace.unread).toEqual(["steps", "tools"]);
  });
});
