import { describe, expect, test } from "vitest";
import type { SpanRecord } from "../../src/model/span.ts";
import type { Occurrence } from "../../src/model/trajectory.ts";
import { trajectoryMatchers } from "../../src/vitest/index.ts";

expect.extend(trajectoryMatchers);

const run = (...names: string[]): Occurrence => ({
  unit: "trajectory",
  unit_id: "trajectory:x",
  steps: names.map((name) => (name.startsWith("@") ? { kind: "AGENT", name: name.slice(1) } : { kind: "TOOL", name })),
});

/** The message with which an expectation fails; fails itself when it does not. */
function messageOf(expectation: () => void): string {
  try {
    expectation();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("the expectation did not fail");
}

const half = (): Occurrence => run("fetch_b", "refund");
const steps = ["authenticate", ["fetch_a", "fetch_b"], "refund"];

describe("toFollowTrajectory", () => {
  test("passes, and fails when negated", () => {
    expect(run("authenticate", "fetch_b", "fetch_a", "refund")).toFollowTrajectory(steps);
    expect(half()).not.toFollowTrajectory(steps);
    const message = messageOf(() => expect(run("a")).not.toFollowTrajectory(["a"]));
    expect(message).toBe("expected the run not to follow the trajectory: score 1.0000\n   0: expected a  actual a");
  });

  test("fails with the diff, groups as groups", () => {
    expect(messageOf(() => expect(half()).toFollowTrajectory(steps))).toBe(
      [
        "expected the run to follow the trajectory: score 0.5000",
        "!! 0:   expected authenticate  actual (none)",
        "   1: ┌ expected fetch_b       actual fetch_b",
        "!! 2: └ expected fetch_a       actual (none)",
        "   3:   expected refund        actual refund",
      ].join("\n"),
    );
  });

  test("a bar below 1", () => {
    expect(half()).toFollowTrajectory(steps, { atLeast: 0.5 });
    expect(messageOf(() => expect(half()).toFollowTrajectory(steps, { atLeast: 0.75 }))).toContain(
      "score 0.5000, at least 0.75 was asked for\n",
    );
    // 1 - 1/3 is no exact fraction.
    expect(run("a", "b")).toFollowTrajectory(["a", "b", "c"], { atLeast: 2 / 3 });
  });

  test.each([2, -1, Number.NaN])("a bar of %s fails either way", (atLeast) => {
    const reason = "toFollowTrajectory: atLeast must be 0 to 1, got ";
    expect(messageOf(() => expect(run("a")).toFollowTrajectory(["a"], { atLeast }))).toContain(reason);
    expect(messageOf(() => expect(run("a")).not.toFollowTrajectory(["a"], { atLeast }))).toContain(reason);
  });

  test.each<[string, unknown, unknown]>([
    ["optional steps", ["a", { optional: "b" }], {}],
    ["alternatives", [{ any_of: ["a", "b"] }], {}],
    ["several trajectories", { one_of: [["x"], ["a"]] }, {}],
    ["names to the letter", ["a"], { names: "exact" }],
    ["positions", ["a"], { scoring_method: "strict_position" }],
  ])("%s", (_name, expected, options) => {
    expect(run("a")).toFollowTrajectory(expected as string[], options as object);
  });

  test("a mistake in what is expected fails either way", () => {
    const reason = "toFollowTrajectory: not evaluated: invalid_expectation: ";
    expect(messageOf(() => expect(run("a")).toFollowTrajectory([]))).toContain(reason);
    expect(messageOf(() => expect(run("a")).not.toFollowTrajectory([]))).toContain(reason);
    expect(messageOf(() => expect(run("a")).toFollowTrajectory(["a"], { names: "loose" as "exact" }))).toContain(
      "names",
    );
  });

  test("asymmetric use", () => {
    expect({ first: run("a"), second: 2 }).toEqual({
      first: (expect as unknown as Record<string, (steps: unknown) => unknown>)["toFollowTrajectory"]?.(["a"]),
      second: 2,
    });
  });
});

describe("toCallTools", () => {
  test("order, repetition and other tools do not matter", () => {
    expect(run("b", "a", "b", "other")).toCallTools(["a", "b"]);
  });

  test("fails with the diff", () => {
    expect(messageOf(() => expect(run("a", "@b")).toCallTools(["a", "b"]))).toBe(
      "expected the run to call the tools\n   0: expected a  actual a\n!! 1: expected b  actual (none)",
    );
  });

  test("negated, none of them may be called", () => {
    expect(run("c")).not.toCallTools(["a", "b"]);
    expect(run()).not.toCallTools(["a"]);
    expect(messageOf(() => expect(run("a", "c")).not.toCallTools(["a", "b"]))).toBe(
      "expected the run to call none of the tools, it called a",
    );
  });

  test("a run without calls did not call them", () => {
    expect(messageOf(() => expect(run()).toCallTools(["a"]))).toContain("!! 0: expected a  actual (none)");
  });

  test("what was not recorded is neither called nor not", () => {
    const unread: Occurrence = { ...run(), unread: ["steps", "tools"] };
    const reason = "toCallTools: not evaluated: steps_not_recorded";
    expect(messageOf(() => expect(unread).toCallTools(["a"]))).toBe(reason);
    expect(messageOf(() => expect(unread).not.toCallTools(["a"]))).toBe(reason);
  });
});

describe("what expect is given", () => {
  const span = (trace: string, id: string, parent: string, attributes: Record<string, string>): SpanRecord => ({
    trace_id: trace,
    span_id: id,
    parent_span_id: parent,
    name: id,
    start_ns: BigInt(id.length),
    end_ns: 100n,
    attributes,
  });
  const agent = (trace: string): SpanRecord[] => [
    span(trace, "r", "", { "aip.span.kind": "AGENT", "aip.agent.name": "assistant" }),
    span(trace, "aa", "r", { "aip.span.kind": "TOOL", "aip.tool.name": "search" }),
  ];

  test("spans of one run, beside which a request was made", () => {
    expect([...agent("t1"), span("t2", "r", "", {})]).toFollowTrajectory(["search"]);
    expect({ spans: agent("t1") }).toCallTools(["search"]);
    expect(agent("t1")).toFollowTrajectory(["assistant", "search"].slice(1), { root: "trace" });
  });

  test.each<[string, unknown, string]>([
    [
      "two runs",
      [...agent("t1"), ...agent("t2")],
      "expected the spans of one run, got 2: trajectory:t1, trajectory:t2",
    ],
    ["no span", [], "expected the spans of one run, got no span"],
    ["no span yet", { spans: [], open: ["chat\n"] }, "got no span (still open: chat\\n)"],
    ["nothing", undefined, "expected an occurrence, spans, or what a capture gave"],
    ["an object", {}, "expected an occurrence, spans, or what a capture gave"],
    ["text", "spans", "expected an occurrence, spans, or what a capture gave"],
    ["something else", [7], "spans[0]"],
  ])("%s fails either way", (_name, received, message) => {
    expect(messageOf(() => expect(received).toFollowTrajectory(["a"]))).toContain(message);
    expect(messageOf(() => expect(received).not.toFollowTrajectory(["a"]))).toContain(message);
    expect(messageOf(() => expect(received).toCallTools(["a"]))).toContain(message);
    expect(messageOf(() => expect(received).not.toCallTools(["a"]))).toContain(message);
  });

  test("spans that are still open are told beside the diff", () => {
    const received = { spans: agent("t1"), open: ["refund"] };
    expect(messageOf(() => expect(received).toFollowTrajectory(["refund"]))).toContain("\n(still open: refund)");
  });
});
