import { expect, test } from "vitest";
import { agent, assembled, llm, type Sketch, shortSteps, shortTools, tool } from "../support/spans.ts";

const root = agent("root", { start: 0, end: 100 });

test.each<readonly [name: string, spans: readonly Sketch[], want: readonly string[]]>([
  [
    "start time comes first, whatever the names and the order of ending",
    [tool("a", { parent: "root", start: 20 }), tool("z", { parent: "root", start: 10 }), root],
    ["z", "a"],
  ],
  [
    "on a tie those under 1 ms come first, in the order in which they ended",
    [
      tool("long", { parent: "root", start: 10, end: 11 }),
      tool("y", { parent: "root", start: 10, end: 10.9 }),
      tool("x", { parent: "root", start: 10, end: 10.1 }),
      root,
    ],
    ["y", "x", "long"],
  ],
  [
    "exactly 1 ms is not under 1 ms: then names decide",
    [tool("b", { parent: "root", start: 10, end: 11 }), tool("a", { parent: "root", start: 10, end: 11 }), root],
    ["a", "b"],
  ],
  [
    "an end before the start counts as quick",
    [tool("b", { parent: "root", start: 10, end: 9 }), tool("a", { parent: "root", start: 10, end: 30 }), root],
    ["b", "a"],
  ],
  [
    "quick spans of several scopes are ordered by scope name, observed order within one",
    [
      tool("1", { parent: "root", start: 10, end: 10, scope: "zeta" }),
      tool("2", { parent: "root", start: 10, end: 10, scope: "alpha" }),
      tool("3", { parent: "root", start: 10, end: 10, scope: "zeta" }),
      tool("4", { parent: "root", start: 10, end: 10, scope: "alpha" }),
      root,
    ],
    ["2", "4", "1", "3"],
  ],
  [
    "slow spans of one name are ordered by step name, not by span id",
    [
      tool("1", { parent: "root", named: "b", name: "ai.toolCall", start: 10 }),
      tool("2", { parent: "root", named: "a", name: "ai.toolCall", start: 10 }),
      root,
    ],
    ["a", "b"],
  ],
  [
    "span names compare by code unit: upper case before lower case",
    [
      tool("1", { parent: "root", named: "p", name: "a", start: 10 }),
      tool("2", { parent: "root", named: "q", name: "B", start: 10 }),
      root,
    ],
    ["q", "p"],
  ],
  [
    "a span that is no step takes part by the first step beneath it",
    [
      tool("1t", { parent: "1", named: "b", start: 10 }),
      { id: "1", parent: "root", name: "step", start: 10 },
      tool("2late", { parent: "2", named: "c", start: 19 }),
      tool("2first", { parent: "2", named: "a", start: 18 }),
      { id: "2", parent: "root", name: "step", start: 10 },
      root,
    ],
    // Start times: b at 10, a at 18, c at 19; both wrappers start at 10. Place decides nothing here, start does.
    ["b", "a", "c"],
  ],
  [
    "wrappers that tie with their steps are ordered by those steps",
    [
      tool("1t", { parent: "1", named: "b", start: 10 }),
      { id: "1", parent: "root", name: "step", start: 10 },
      tool("2t", { parent: "2", named: "a", start: 10 }),
      { id: "2", parent: "root", name: "step", start: 10 },
      root,
    ],
    ["a", "b"],
  ],
  [
    "span ids decide last",
    [
      tool("9", { parent: "root", named: "t", name: "n", start: 10, attributes: { "gen_ai.tool.call.id": "nine" } }),
      tool("8", { parent: "root", named: "t", name: "n", start: 10, attributes: { "gen_ai.tool.call.id": "eight" } }),
      root,
    ],
    ["t", "t"],
  ],
  [
    "a descendant that starts with its ancestor comes after it, before the ancestor's next sibling",
    [
      tool("inner", { parent: "outer", named: "aaa", start: 10, end: 12 }),
      tool("outer", { parent: "root", named: "mmm", start: 10, end: 13 }),
      tool("next", { parent: "root", named: "zzz", start: 10, end: 13 }),
      root,
    ],
    ["mmm", "aaa", "zzz"],
  ],
])("%s", (_, spans, want) => {
  expect(shortSteps(assembled(spans))).toEqual(want);
});

test("the span id decides between equal twins", () => {
  const spans = ["9", "8"].map((id) => tool(id, { parent: "root", named: "t", name: "n", start: 10 }));
  expect(assembled([...spans, root]).steps.map(({ step }) => step.span_id)).toEqual(["8", "9"]);
});

test("tied completions of one span name are ordered by their first calls", () => {
  const spans = [
    llm("1", { parent: "h", start: 10, calls: [{ name: "b" }] }),
    llm("2", { parent: "h", start: 10, calls: [{ name: "a" }, { name: "z" }] }),
    { id: "h", start: 0, end: 100 },
  ];
  expect(shortSteps(assembled(spans))).toEqual(["a", "z", "b"]);
});

test("observed order decides nothing but ties of quick spans in one scope", () => {
  const spans = [
    tool("c", { parent: "root", start: 10, end: 20 }),
    tool("a", { parent: "root", start: 10, end: 30 }),
    tool("b", { parent: "root", start: 10, end: 40 }),
    root,
  ];
  for (const order of [spans, spans.toReversed()]) expect(shortSteps(assembled(order))).toEqual(["a", "b", "c"]);
});

test.each<readonly [name: string, spans: readonly Sketch[], tools: readonly string[]]>([
  [
    "a ring of parents is walked as a root, from its earliest span",
    [
      tool("a", { parent: "c", start: 30 }),
      tool("b", { parent: "a", start: 10 }),
      tool("c", { parent: "b", start: 20 }),
    ],
    ["b", "c", "a"],
  ],
  ["a span that is its own parent", [tool("a", { parent: "a" })], ["a"]],
  [
    "rings come after roots on a tie",
    [tool("ring", { parent: "ring", named: "a", start: 10 }), tool("real", { named: "z", start: 10 })],
    ["z", "a"],
  ],
])("%s", (_, spans, tools) => {
  expect(shortTools(assembled(spans))).toEqual(tools);
});

test("the first of several spans with one id stays, the others are counted", () => {
  const trace = assembled([tool("a", { named: "first" }), tool("a", { named: "second" }), tool("b", { start: 5 })]);
  expect(shortTools(trace)).toEqual(["first", "b"]);
  expect(trace).toMatchObject({ span_count: 2, duplicate_count: 1 });
});
