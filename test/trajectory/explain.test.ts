import { describe, expect, test } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { Explanation, SpanReason } from "../../src/model/explanation.ts";
import { type ExplainOptions, explainTrace } from "../../src/trajectory/explain.ts";
import { captures, captureText } from "../support/captures.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";
import { agent, factsOf, llm, type Sketch, tool } from "../support/spans.ts";

const root = agent("root", { named: "main", start: 0, end: 100 });
const called = { calls: [{ name: "search", id: "c1" }], stop: "tool_calls" };

/** Every span as `id: reason -> of @step`. */
function short({ spans }: Explanation): readonly string[] {
  return spans.map(({ span_id, reason, of, steps }) => {
    const place = steps.length === 0 ? "" : ` @${steps.join(",")}`;
    return `${span_id}: ${reason}${of === undefined ? "" : ` -> ${of}`}${place}`;
  });
}

const explained = (spans: readonly Sketch[], options: ExplainOptions = {}): readonly string[] =>
  short(explainTrace(factsOf(spans), options));

describe("reasons", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], options: ExplainOptions, want: readonly string[]]>([
    [
      "the entry agent, a step, a model call and a span of no kind",
      [
        llm("l", { parent: "root", start: 1, ...called }),
        tool("t", { parent: "root", start: 2 }),
        { id: "http", parent: "t", start: 3 },
        root,
      ],
      {},
      ["root: entry_agent", "l: model_call", "t: step @1", "http: no_kind"],
    ],
    [
      "under root trace it is the root, whatever its kind",
      [
        { id: "web", start: 0, end: 100 },
        agent("a", { parent: "web", start: 1, end: 50 }),
        tool("t", { parent: "a", start: 2 }),
      ],
      { root: "trace" },
      ["web: no_kind", "a: step @1", "t: step @2"],
    ],
    [
      "an agent at the root, under root trace",
      [root, tool("t", { parent: "root", start: 1 })],
      { root: "trace" },
      ["root: trace_root", "t: step @1"],
    ],
    [
      "an echo of a call",
      [tool("out", { parent: "root", call: "c", start: 1 }), tool("in", { parent: "out", call: "c", start: 2 }), root],
      {},
      ["root: entry_agent", "out: step @1", "in: echo -> out"],
    ],
    [
      "the same agent within itself",
      [root, agent("a", { parent: "root", start: 1 }), agent("b", { parent: "a", named: "a", start: 2 })],
      {},
      ["root: entry_agent", "a: step @1", "b: same_agent -> a"],
    ],
    [
      "an agent without a name in a tool",
      [root, tool("t", { parent: "root", start: 1 }), agent("n", { parent: "t", named: "", start: 2 })],
      {},
      ["root: entry_agent", "t: step @1", "n: nameless_agent -> t"],
    ],
    [
      "an agent without a name at the top, and the one that it stands for",
      [
        agent("top", { named: "", start: 0, end: 100 }),
        agent("a", { parent: "top", start: 1 }),
        tool("t", { parent: "a", start: 2 }),
      ],
      {},
      ["top: stands_for -> a", "a: stood_for -> top", "t: step @1"],
    ],
    [
      "a tool that starts an agent of its name",
      [
        root,
        tool("t", { parent: "root", named: "analyst", start: 1 }),
        agent("a", { parent: "t", named: "analyst", start: 2 }),
      ],
      {},
      ["root: entry_agent", "t: delegation -> a", "a: step @1"],
    ],
    [
      "a hand-off",
      [
        root,
        tool("t", { parent: "root", named: "transfer_to_b", start: 1 }),
        agent("b", { parent: "root", start: 20 }),
      ],
      { delegations: "fold" },
      ["root: entry_agent", "t: hand_off -> b", "b: step @1"],
    ],
    [
      "a failed call that is ignored",
      [root, tool("t", { parent: "root", status: "ERROR", start: 1 }), tool("u", { parent: "root", start: 20 })],
      { failedCalls: "ignore" },
      ["root: entry_agent", "t: failed_ignored", "u: step @1"],
    ],
    [
      "a failed call that was tried again",
      [
        root,
        tool("t", { parent: "root", named: "x", status: "ERROR", start: 1 }),
        tool("u", { parent: "root", named: "x", start: 20 }),
      ],
      { failedCalls: "collapse" },
      ["root: entry_agent", "t: failed_retried -> u", "u: step @1"],
    ],
    [
      "calls inside of completions, answers, and what is not shown",
      [
        llm("l1", { parent: "root", start: 1, end: 5, calls: [{ name: "a" }, { name: "b" }], stop: "tool_calls" }),
        llm("l2", { parent: "root", start: 20, end: 25, stop: "tool_calls" }),
        llm("l3", { parent: "root", start: 40, end: 45, says: "done", stop: "stop" }),
        root,
      ],
      {},
      ["root: entry_agent", "l1: calls_are_steps @1,2", "l2: calls_not_recorded", "l3: no_calls"],
    ],
    [
      "one model call seen twice, nested",
      [
        llm("out", { parent: "root", start: 1, end: 9 }),
        llm("in", { parent: "out", start: 2, end: 8, ...called }),
        root,
      ],
      {},
      ["root: entry_agent", "out: same_model_call -> in", "in: calls_are_steps @1"],
    ],
    [
      "one model call seen twice, side by side from two scopes",
      [
        llm("a", { parent: "root", start: 1, end: 9, scope: "one" }),
        llm("b", { parent: "root", start: 2, end: 8, scope: "two", ...called }),
        root,
      ],
      {},
      ["root: entry_agent", "a: same_model_call -> b", "b: calls_are_steps @1"],
    ],
    [
      "what a convention takes away, and what has no kind",
      [root, { id: "plan", parent: "root", start: 1, attributes: { "gen_ai.operation.name": "plan" } }],
      {},
      ["root: entry_agent", "plan: no_act"],
    ],
    [
      "a span id that comes again",
      [root, tool("t", { parent: "root", start: 1 }), tool("t", { parent: "root", start: 2 })],
      {},
      ["root: entry_agent", "t: step @1", "t: duplicate_id"],
    ],
    [
      "telemetry of the evaluation",
      [root, { id: "ours", parent: "root", scope: "otel-trajectory", start: 1 }],
      {},
      ["root: entry_agent", "ours: own_telemetry"],
    ],
  ])("%s", (_, spans, options, want) => {
    expect(explained(spans, options)).toEqual(want);
  });

  test("attributes that cannot be read", () => {
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => ["a"],
        getOwnPropertyDescriptor: () => {
          throw new Error("no");
        },
      },
    );
    const spans = factsOf([{ id: "s", attributes: hostile }]);
    expect(short(explainTrace(spans))).toEqual(["s: unreadable"]);
  });

  test("a failure that another span reports marks the step", () => {
    const scope = "com.anthropic.claude_code.tracing";
    const spans = factsOf([
      { id: "t", name: "claude_code.tool", scope, attributes: { tool_name: "x" } },
      { id: "e", parent: "t", name: "claude_code.tool.execution", scope, status: "ERROR" },
    ]);
    expect(explainTrace(spans).spans.map(({ failed }) => failed)).toEqual([true, undefined]);
  });

  test("no trace at all", () => {
    expect(explainTrace([])).toMatchObject({ trace_id: "", steps: [], spans: [], let_go: 0 });
  });

  test("options as they were decided by, and spans that were let go", () => {
    const explanation = explainTrace(factsOf([root]), { root: "trace", letGo: 7 });
    expect(explanation.options).toEqual({ root: "trace", delegations: "same-name", failedCalls: "count" });
    expect(explanation.let_go).toBe(7);
  });
});

/** What the reasons say of the kind of a span. */
const NO_KIND: readonly SpanReason[] = ["no_kind", "no_act", "unreadable"];
const MODEL: readonly SpanReason[] = [
  "model_call",
  "no_calls",
  "calls_not_recorded",
  "same_model_call",
  "calls_are_steps",
];

test("explanations of real traces agree with what they explain", () => {
  const options = [{}, { root: "trace" }, { delegations: "fold", failedCalls: "collapse" }] as const;
  let count = 0;
  for (const capture of captures()) {
    const views = viewsOfOtlp(captureText(capture));
    const reader = createSpanReader();
    const facts = views.map((view, seq) => reader.read(view, seq));
    for (const option of options) {
      for (const trace of tracesOfViews(views, option)) {
        const explanation = explainTrace(
          facts.filter((span) => span.trace_id === trace.trace_id),
          option,
        );
        expect(explanation.steps).toEqual(trace.steps.map(({ step }) => step));
        expect(explanation.tools).toEqual(trace.tools.map(({ step }) => step));
        expect(explanation.spans).toHaveLength(trace.span_count);
        const places = explanation.spans.flatMap((span) => span.steps).sort((a, b) => a - b);
        expect(places).toEqual(explanation.steps.map((_, index) => index + 1));
        for (const span of explanation.spans) {
          count += 1;
          // Calls inside of completions may make the tool list alone, where agents are the steps.
          const listed = span.kind === "LLM" ? span.steps.length + span.tools.length > 0 : span.steps.length > 0;
          expect(listed).toBe(span.reason === "step" || span.reason === "calls_are_steps");
          expect(span.kind === undefined).toBe(NO_KIND.includes(span.reason));
          expect(span.kind === "LLM").toBe(MODEL.includes(span.reason));
        }
      }
    }
  }
  // 250 files under three sets of options; the files hold some 2,500 spans.
  expect(count).toBeGreaterThan(7_000);
});
