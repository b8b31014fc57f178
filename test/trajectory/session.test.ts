import { describe, expect, test } from "vitest";
import { SESSION_KEYS } from "../../src/conventions/session-keys.ts";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import { occurrenceOfSession, occurrenceOfTrace, sessionsOf } from "../../src/trajectory/occurrence.ts";
import { mergeSession } from "../../src/trajectory/session.ts";
import { agent, assembled, llm, type Sketch, tool } from "../support/spans.ts";

const session = (value: unknown, key = "session.id"): { readonly attributes: Record<string, unknown> } => ({
  attributes: { [key]: value },
});

describe("the session id of a trace", () => {
  test.each<readonly [name: string, spans: readonly Sketch[], id: string | undefined, conflict: boolean]>([
    ["on any span", [agent("r"), tool("t", { parent: "r", start: 1, ...session("s") })], "s", false],
    ["on a span of no kind", [{ id: "h", ...session("s") }, agent("r", { parent: "h" })], "s", false],
    ["an empty text is none", [agent("r", session(""))], undefined, false],
    ["a number is one", [agent("r", session(42))], "42", false],
    ["other types are none", [agent("r", session(["s"])), agent("q", session(true))], undefined, false],
    [
      "session.id before a key of a convention, wherever it sits",
      [agent("r", session("conversation", "gen_ai.conversation.id")), tool("t", { parent: "r", ...session("s") })],
      "s",
      false,
    ],
    [
      "not beneath a tool: that conversation is a sub-run's own",
      [agent("r"), tool("t", { parent: "r" }), agent("s", { parent: "t", ...session("sub") })],
      undefined,
      false,
    ],
    ["the tool itself may carry it", [agent("r"), tool("t", { parent: "r", ...session("s") })], "s", false],
    [
      "of several values, spans with a kind come before the root-most",
      [{ id: "h", ...session("web") }, agent("r", { parent: "h", ...session("chat") })],
      "chat",
      true,
    ],
    [
      "then the root-most",
      [agent("r"), tool("t", { parent: "r", ...session("deep") }), agent("q", { start: 5, ...session("top") })],
      "top",
      true,
    ],
    [
      "then the first of the walk",
      [agent("b", { start: 5, ...session("later") }), agent("a", { start: 1, ...session("first") })],
      "first",
      true,
    ],
    [
      "a worse key with another value is no conflict",
      [agent("r", session("s")), agent("q", { start: 1, ...session("c", "gen_ai.conversation.id") })],
      "s",
      false,
    ],
    ["OpenInference's metadata", [agent("r", session('{"thread_id": "th-1", "x": 1}', "metadata"))], "th-1", false],
    [
      "a text within metadata is no member",
      [agent("r", session('{"x":"\\"session_id\\":\\"no\\""}', "metadata"))],
      undefined,
      false,
    ],
    ["a transport's session is none", [agent("r", session("m", "mcp.session.id"))], undefined, false],
    ["a project is none", [agent("r", session("p", "langsmith.trace.session_id"))], undefined, false],
  ])("%s", (_, spans, id, conflict) => {
    const trace = assembled(spans);
    expect(trace.session_id).toBe(id);
    expect(trace.session_conflict).toBe(conflict);
    expect(trace.reasons.includes("session_conflict")).toBe(conflict);
  });

  test("session.id stands before every other key, and each key is read", () => {
    expect(SESSION_KEYS[0]).toBe("session.id");
    expect(new Set(SESSION_KEYS).size).toBe(SESSION_KEYS.length);
    for (const key of SESSION_KEYS) {
      const value = key === "metadata" ? '{"session_id":"s"}' : "s";
      expect(assembled([agent("r", session(value, key))]).session_id).toBe("s");
    }
  });
});

describe("merging traces", () => {
  const turn = (trace: string, start: number, ...spans: readonly Sketch[]): AssembledTrace =>
    assembled([
      agent(`${trace}r`, { trace, start, end: start + 100, attributes: { "session.id": "s" }, named: "bot" }),
      ...spans.map((span) => ({ ...span, trace, parent: span.parent ?? `${trace}r` })),
    ]);
  const names = (traces: readonly AssembledTrace[]): readonly string[] =>
    mergeSession(traces).steps.map((step) => step.name);

  test("interleaved traces merge by start", () => {
    const a = turn("a", 0, tool("a1", { start: 10 }), tool("a2", { start: 30 }));
    const b = turn("b", 5, tool("b1", { start: 20 }), tool("b2", { start: 40 }));
    expect(names([b, a])).toEqual(["a1", "b1", "a2", "b2"]);
    expect(mergeSession([b, a]).trace_ids).toEqual(["a", "b"]);
  });

  test("ties between traces: root start, then trace id", () => {
    const late = turn("a", 9, tool("of-a", { start: 10 }));
    const early = turn("b", 8, tool("of-b", { start: 10 }));
    const twin = turn("c", 8, tool("of-c", { start: 10 }));
    expect(names([late, twin, early])).toEqual(["of-b", "of-c", "of-a"]);
  });

  test("calls of one completion keep their order, each trace deciding for itself where its steps come from", () => {
    const spoken = turn("a", 0, llm("l", { start: 10, calls: [{ name: "z" }, { name: "y" }] }));
    const seen = turn("b", 5, tool("x", { start: 12 }));
    expect(names([seen, spoken])).toEqual(["z", "y", "x"]);
    expect(mergeSession([seen, spoken]).kinds).toEqual(["TOOL", "AGENT", "LLM"]);
  });

  test("one unread trace makes the session's list unread, the readable steps stay", () => {
    const gap = turn("a", 0, llm("l", { start: 1, stop: "tool_calls" }));
    const seen = turn("b", 5, tool("x", { start: 12 }));
    expect(mergeSession([gap, seen])).toMatchObject({ unread: ["steps", "tools"], steps: [{ name: "x" }] });
  });

  test("a retry in the next trace collapses across traces", () => {
    const parts = (failedCalls: "collapse" | "count"): readonly AssembledTrace[] =>
      ["a", "b"].map((trace, index) =>
        assembled(
          [
            agent("r", { trace, start: index * 50 }),
            tool("t", { trace, parent: "r", start: index * 50 + 1, status: index === 0 ? "ERROR" : "OK" }),
          ],
          { failedCalls },
        ),
      );
    expect(mergeSession(parts("count")).steps).toHaveLength(2);
    expect(mergeSession(parts("collapse")).steps).toMatchObject([{ name: "t", trace_id: "b" }]);
  });

  test.each([
    ["permitted only if every one is", ["permitted", "permitted"], "permitted"],
    ["one that does not say", ["permitted", undefined], "unknown"],
    ["one that forbids", ["permitted", undefined, "forbidden"], "forbidden"],
  ] as const)("egress: %s", (_, written, want) => {
    const traces = written.map((egress, index) =>
      assembled([agent("r", { trace: `t${index}`, attributes: egress === undefined ? {} : { "aip.egress": egress } })]),
    );
    expect(mergeSession(traces).egress).toBe(want);
  });
});

describe("occurrences", () => {
  const spans = (trace: string, id?: string): AssembledTrace =>
    assembled([
      agent("r", { trace, ...(id === undefined ? {} : session(id)) }),
      tool("t", { trace, parent: "r", start: 1 }),
    ]);

  test("of a trace", () => {
    expect(occurrenceOfTrace(spans("t1", "s"))).toEqual({
      unit: "trajectory",
      unit_id: "trajectory:t1",
      steps: [{ kind: "TOOL", name: "t", args_status: "absent", source: "span", span_id: "t", trace_id: "t1" }],
      tools: [{ kind: "TOOL", name: "t", args_status: "absent", source: "span", span_id: "t", trace_id: "t1" }],
      kinds: ["TOOL", "AGENT"],
      egress: "unknown",
      session_id: "s",
      trace_ids: ["t1"],
    });
  });

  test("sessions group by id; a trace without one is a session of its own", () => {
    const sessions = sessionsOf([spans("t1", "s"), spans("t2"), spans("t3", "s"), spans("t4")]);
    expect(sessions.map((one) => occurrenceOfSession(one))).toMatchObject([
      { unit: "session", unit_id: "session:s", session_id: "s", trace_ids: ["t1", "t3"] },
      { unit_id: "session:t2", trace_ids: ["t2"] },
      { unit_id: "session:t4", trace_ids: ["t4"] },
    ]);
    expect(sessions.map((one) => occurrenceOfSession(one))[1]).not.toHaveProperty("session_id");
  });

  test("sessions come in order of the start of their first traces, whatever the order of the input", () => {
    const at = (trace: string, start: number, id: string): AssembledTrace =>
      assembled([agent("r", { trace, start, ...session(id) })]);
    const sessions = sessionsOf([at("c", 30, "late"), at("b", 20, "early"), at("a", 10, "early")]);
    expect(sessions.map((one) => one.trace_ids)).toEqual([["a", "b"], ["c"]]);
  });

  test("a session id that equals a trace id of another trace stays apart", () => {
    expect(sessionsOf([spans("t1", "t2"), spans("t2")])).toHaveLength(2);
  });
});
