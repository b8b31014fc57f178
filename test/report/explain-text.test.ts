import { expect, test } from "vitest";
import type { Explanation, SpanExplanation } from "../../src/model/explanation.ts";
import { renderExplanation } from "../../src/report/explain-text.ts";

const span = (more: Partial<SpanExplanation>): SpanExplanation => ({
  span_id: "s",
  parent_id: "",
  depth: 0,
  name: "span",
  scope_name: "test",
  convention: "gen-ai",
  reason: "no_kind",
  steps: [],
  tools: [],
  ...more,
});

const explanation = (more: Partial<Explanation>): Explanation => ({
  trace_id: "4fa41b1a",
  options: { root: "entry-agent", delegations: "same-name", failedCalls: "count" },
  steps: [],
  tools: [],
  unread: [],
  incomplete: [],
  spans: [],
  let_go: 0,
  ...more,
});

test("a trace as people read it", () => {
  const steps = [
    { kind: "AGENT", name: "analyst" },
    { kind: "TOOL", name: "get_rate", failed: true },
    { kind: "TOOL", name: "get_rate" },
  ] as const;
  const text = renderExplanation(
    explanation({
      session_id: "sess-7f3a",
      entry_agent: "main",
      steps,
      tools: [{ kind: "TOOL", name: "analyst" }, steps[1], steps[2]],
      incomplete: ["remote_parent"],
      let_go: 2,
      spans: [
        span({ span_id: "r", name: "invoke_agent main", kind: "AGENT", read_as: "main", reason: "entry_agent" }),
        span({ span_id: "l", depth: 1, name: "chat m", kind: "LLM", reason: "model_call" }),
        span({
          span_id: "t",
          depth: 1,
          name: "execute_tool analyst",
          kind: "TOOL",
          read_as: "analyst",
          reason: "delegation",
          of: "a",
        }),
        span({
          span_id: "a",
          depth: 2,
          name: "invoke_agent analyst",
          kind: "AGENT",
          read_as: "analyst",
          reason: "step",
          steps: [1],
        }),
        span({
          span_id: "x",
          depth: 3,
          name: "get_rate",
          kind: "TOOL",
          read_as: "get_rate",
          reason: "step",
          failed: true,
          steps: [2],
        }),
        span({
          span_id: "y",
          depth: 3,
          name: "get_rate",
          kind: "TOOL",
          read_as: "get_rate",
          reason: "step",
          steps: [3],
        }),
        span({ span_id: "h", depth: 4, name: "GET", convention: "none" }),
      ],
    }),
  );
  expect(text.split("\n")).toEqual([
    "trace       4fa41b1a",
    "session     sess-7f3a",
    "entry agent main",
    "steps       1 [analyst]  2 get_rate (failed)  3 get_rate",
    "tools       1 analyst  2 get_rate (failed)  3 get_rate",
    "incomplete  remote_parent",
    "options     root entry-agent, delegations same-name, failed calls count",
    "",
    "step  kind   span                      read by  why",
    "   -  AGENT  invoke_agent main         gen-ai   the agent that owns the trace: no step of its own trajectory",
    "   -  LLM      chat m                  gen-ai   a model call; the steps have spans of their own",
    '   -  TOOL     execute_tool analyst    gen-ai   starts the agent "analyst" (step 1): one step with it, in the tool list',
    "   1  AGENT      invoke_agent analyst  gen-ai   step 1: analyst",
    "   2  TOOL         get_rate            gen-ai   step 2: get_rate (failed)",
    "   3  TOOL         get_rate            gen-ai   step 3: get_rate",
    "   -  -              GET               -        no convention gives it a kind",
    "",
    "7 spans, and 2 of no kind and without children, let go when they ended",
    "",
  ]);
});

test("calls without spans, and what is not shown", () => {
  const steps = ["a", "b", "c", "d"].map((name) => ({ kind: "TOOL", name }) as const);
  const text = renderExplanation(
    explanation({
      steps,
      tools: steps,
      unread: ["steps", "tools"],
      spans: [
        span({
          span_id: "l1",
          kind: "LLM",
          name: "chat",
          reason: "calls_are_steps",
          steps: [1, 2, 3],
          tools: [1, 2, 3],
        }),
        span({ span_id: "l2", kind: "LLM", name: "chat", reason: "calls_are_steps", steps: [4], tools: [4] }),
        span({ span_id: "l3", kind: "LLM", name: "chat", reason: "calls_are_steps", tools: [1, 2, 4] }),
        span({ span_id: "l4", kind: "LLM", name: "chat", reason: "same_model_call", of: "l1" }),
        span({ span_id: "l5", kind: "LLM", name: "chat", reason: "same_model_call", of: "0123456789abcdef" }),
      ],
    }),
  );
  expect(text).toContain(
    "tools       the same\nunread      steps, tools: tools were called, and the spans do not show which",
  );
  expect(text).toContain(" 1-3  LLM   chat  gen-ai   no span shows what was called: its calls are steps 1-3\n");
  expect(text).toContain("   4  LLM   chat  gen-ai   no span shows what was called: its calls are step 4\n");
  expect(text).toContain("no tool has a span: its calls are places 1-2, 4 of the tool list\n");
  expect(text).toContain('the same model call as "chat" (steps 1-3)\n');
  expect(text).toContain("the same model call as another span\n");
});

test("names cannot break lines, move the cursor or make rows long; deep trees stay in sight", () => {
  const text = renderExplanation(
    explanation({ spans: [span({ name: `a\n\u001b[2J${"x".repeat(500)}`, depth: 9_000, convention: "$&" })] }),
  );
  const [, , , , , , row = "", ...rest] = text.split("\n");
  expect(rest).toEqual(["", "1 span", ""]);
  expect(row).not.toContain("\u001b");
  expect(row.length).toBeLessThan(160);
});

test("a name that looks like a replacement pattern is text", () => {
  const spans = [span({ span_id: "a", read_as: "$&", name: "$&" }), span({ reason: "echo", of: "a" })];
  expect(renderExplanation(explanation({ spans }))).toContain('another record of the call that "$&" (a) shows');
});
