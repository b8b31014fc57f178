import { describe, expect, test } from "vitest";
import type { TrajectoryOptions } from "../../src/model/trajectory.ts";
import { agent, assembled, llm, type Sketch, shortSteps, shortTools, tool } from "../support/spans.ts";

const app: Sketch = { id: "h", name: "POST /ask", start: 0, end: 200 };
const asked = (id: string, start: number, ...names: readonly string[]): Sketch =>
  llm(id, { parent: "h", start, end: start + 5, stop: "tool_calls", calls: names.map((name) => ({ name })) });

interface Want {
  readonly steps?: readonly string[];
  readonly tools?: readonly string[];
  readonly unread?: readonly string[];
}

function check(spans: readonly Sketch[], want: Want, options: TrajectoryOptions = {}): void {
  const trace = assembled(spans, options);
  expect({ steps: shortSteps(trace), tools: shortTools(trace), unread: trace.unread }).toEqual({
    steps: want.steps ?? [],
    tools: want.tools ?? [],
    unread: want.unread ?? [],
  });
}

describe("when completions speak", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], want: Want]>([
    ["no step has a span", [app, asked("l", 1, "b", "a")], { steps: ["b", "a"], tools: ["b", "a"] }],
    ["the entry agent is no step", [agent("h"), asked("l", 1, "a")], { steps: ["a"], tools: ["a"] }],
    [
      "a tool span silences them all",
      [app, asked("l", 1, "a"), tool("t", { parent: "h", start: 9 })],
      { steps: ["t"], tools: ["t"] },
    ],
    [
      "an agent step without any tool span: the tool list alone",
      [agent("h"), agent("sub", { parent: "h", start: 1 }), asked("l", 2, "a")],
      { steps: ["[sub]"], tools: ["a"] },
    ],
    [
      "agents' own outputs are never read",
      [
        agent("h", {
          attributes: {
            "gen_ai.output.messages": '[{"parts":[{"type":"tool_call","name":"x"}]}]',
            "gen_ai.response.finish_reasons": ["tool_calls"],
          },
        }),
      ],
      {},
    ],
    [
      "inputs and definitions are never read",
      [
        app,
        llm("l", {
          parent: "h",
          stop: "stop",
          says: "done",
          attributes: {
            "gen_ai.input.messages": '[{"parts":[{"type":"tool_call","name":"x"}]}]',
            "gen_ai.tool.definitions": '[{"type":"function","name":"x"}]',
          },
        }),
      ],
      {},
    ],
    [
      "a call id that comes again is the same call",
      [
        app,
        llm("1", { parent: "h", start: 1, calls: [{ name: "a", id: "c1" }] }),
        llm("2", {
          parent: "h",
          start: 20,
          calls: [
            { name: "a", id: "c1" },
            { name: "a", id: "c2" },
          ],
        }),
      ],
      { steps: ["a", "a"], tools: ["a", "a"] },
    ],
    [
      "one id for calls of two tools is no repetition",
      [
        app,
        llm("1", {
          parent: "h",
          start: 1,
          calls: [
            { name: "a", id: "0" },
            { name: "b", id: "0" },
          ],
        }),
      ],
      { steps: ["a", "b"], tools: ["a", "b"] },
    ],
  ])("%s", (_, spans, want) => {
    check(spans, want);
  });

  test.each<readonly [name: string, spans: readonly Sketch[], want: Want]>([
    ["the root alone prevents it, being an agent", [agent("h"), asked("l", 1, "a")], { tools: ["a"] }],
    ["the root being an app span does not", [app, asked("l", 1, "a")], { steps: ["a"], tools: ["a"] }],
  ])("to the letter: %s", (_, spans, want) => {
    check(spans, want, { root: "trace" });
  });

  test("names, arguments and source", () => {
    const spans = [
      app,
      llm("l", { parent: "h", calls: [{ name: "mcp__lab__search", args: { q: 1 } }, { name: "open" }] }),
    ];
    expect(assembled(spans).steps.map(({ step }) => step)).toEqual([
      {
        kind: "TOOL",
        name: "search",
        raw_name: "mcp__lab__search",
        args: { q: 1 },
        args_status: "ok",
        source: "completion",
        span_id: "l",
        trace_id: "t",
      },
      { kind: "TOOL", name: "open", args_status: "absent", source: "completion", span_id: "l", trace_id: "t" },
    ]);
  });
});

const UNREAD = ["steps", "tools"];
const tokens = { "gen_ai.usage.output_tokens": 18 };

describe("calls that cannot be read", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], want: Want]>([
    ["stopped for tools, nothing recorded", [app, llm("l", { parent: "h", stop: "tool_calls" })], { unread: UNREAD }],
    [
      "stopped for tools, only text",
      [app, llm("l", { parent: "h", stop: "tool-calls", says: "hm" })],
      { unread: UNREAD },
    ],
    ["just answered", [app, llm("l", { parent: "h", stop: "stop", says: "hi" })], {}],
    [
      "one of two is unread: the other stays in the list",
      [app, asked("l", 1, "a"), llm("m", { parent: "h", start: 9, stop: "tool_use" })],
      { steps: ["a"], tools: ["a"], unread: UNREAD },
    ],
    [
      "a text cut short",
      [
        app,
        llm("l", {
          parent: "h",
          stop: "tool_calls",
          attributes: { "gen_ai.output.messages": '[{"parts":[{"type":"tool_c' },
        }),
      ],
      { unread: UNREAD },
    ],
    [
      "the reason stands inside of the output",
      [
        app,
        llm("l", {
          parent: "h",
          attributes: { "gen_ai.output.messages": '[{"parts":[],"finish_reason":"tool_call"}]' },
        }),
      ],
      { unread: UNREAD },
    ],
    [
      "where tools have spans it is no matter",
      [app, llm("l", { parent: "h", stop: "tool_calls" }), tool("t", { parent: "h", start: 9 })],
      { steps: ["t"], tools: ["t"] },
    ],
    [
      "agent steps, no tool span: only the tool list is unread",
      [agent("h"), agent("sub", { parent: "h", start: 1 }), llm("l", { parent: "h", start: 2, stop: "tool_calls" })],
      { steps: ["[sub]"], unread: ["tools"] },
    ],
    [
      "empty with output tokens, and no call in the trace",
      [app, llm("l", { parent: "h", stop: "stop", says: "", attributes: tokens })],
      { unread: UNREAD },
    ],
    ["empty without output tokens", [app, llm("l", { parent: "h", stop: "stop", says: "" })], {}],
    [
      "empty with output tokens beside a call",
      [app, asked("k", 1, "a"), llm("l", { parent: "h", start: 9, stop: "stop", says: "", attributes: tokens })],
      { steps: ["a"], tools: ["a"] },
    ],
    ["no output at all with output tokens", [app, llm("l", { parent: "h", stop: "stop", attributes: tokens })], {}],
  ])("%s", (_, spans, want) => {
    check(spans, want);
  });
});

describe("one model call seen twice", () => {
  const call = (
    id: string,
    more: Partial<Sketch> & { readonly calls?: readonly { readonly name: string }[] },
  ): Sketch => llm(id, { parent: "h", start: 1, end: 10, stop: "tool_calls", ...more });
  test.each<readonly [name: string, spans: readonly Sketch[], want: Want]>([
    [
      "nested, the inner one has the calls",
      [app, call("o", {}), call("i", { parent: "o", calls: [{ name: "a" }] })],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "nested, the outer one has the calls",
      [app, call("o", { calls: [{ name: "a" }] }), call("i", { parent: "o" })],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "nested, both have them",
      [app, call("o", { calls: [{ name: "a" }] }), call("i", { parent: "o", calls: [{ name: "a" }] })],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "an outer span around several calls, repeating them",
      [
        app,
        call("o", { end: 50, calls: [{ name: "a" }, { name: "b" }] }),
        call("i", { parent: "o", calls: [{ name: "a" }] }),
        call("j", { parent: "o", start: 20, end: 30, calls: [{ name: "b" }] }),
      ],
      { steps: ["a", "b"], tools: ["a", "b"] },
    ],
    ["nested, neither has them", [app, call("o", {}), call("i", { parent: "o" })], { unread: UNREAD }],
    [
      "a tool between makes two calls",
      // Were there no TOOL span, completions would speak; here the tool span speaks.
      [app, call("o", { calls: [{ name: "a" }] }), tool("a", { parent: "o", start: 2 }), call("i", { parent: "a" })],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "siblings of two scopes that overlap",
      [app, call("x", { scope: "x" }), call("y", { scope: "y", start: 2, calls: [{ name: "a" }] })],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "siblings of two scopes, both with the calls",
      [
        app,
        call("x", { scope: "x", calls: [{ name: "a" }] }),
        call("y", { scope: "y", start: 2, calls: [{ name: "a" }] }),
      ],
      { steps: ["a"], tools: ["a"] },
    ],
    [
      "siblings of one scope that overlap are two calls",
      [app, call("x", { calls: [{ name: "a" }] }), call("y", { start: 2, calls: [{ name: "a" }] })],
      { steps: ["a", "a"], tools: ["a", "a"] },
    ],
    [
      "siblings of two scopes, one after the other, are two calls",
      [
        app,
        call("x", { scope: "x", calls: [{ name: "a" }] }),
        call("y", { scope: "y", start: 10, end: 20, calls: [{ name: "a" }] }),
      ],
      { steps: ["a", "a"], tools: ["a", "a"] },
    ],
    [
      "parallel calls, each seen twice: the scope that shows more",
      [
        app,
        call("x1", { scope: "x", calls: [{ name: "a" }] }),
        call("x2", { scope: "x", start: 2, calls: [{ name: "b" }] }),
        call("y1", { scope: "y", calls: [{ name: "a" }] }),
        call("y2", { scope: "y", start: 2 }),
      ],
      { steps: ["a", "b"], tools: ["a", "b"] },
    ],
    [
      "an empty record beside one with text is no gap",
      [
        app,
        llm("x", { parent: "h", scope: "x", start: 1, stop: "stop", says: "", attributes: tokens }),
        llm("y", { parent: "h", scope: "y", start: 2, stop: "stop", says: "hello" }),
      ],
      {},
    ],
    [
      "spans without duration that start together overlap",
      [app, call("x", { scope: "x", end: 1 }), call("y", { scope: "y", end: 1, calls: [{ name: "a" }] })],
      { steps: ["a"], tools: ["a"] },
    ],
  ])("%s", (_, spans, want) => {
    check(spans, want);
  });
});
