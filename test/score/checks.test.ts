import { describe, expect, test } from "vitest";
import { forbiddenTools } from "../../src/score/checks/forbidden-tools.ts";
import { maxCalls } from "../../src/score/checks/max-calls.ts";
import { occurrenceOf, scored, stepsOf } from "./support.ts";

describe("max_calls", () => {
  test.each([
    ["within the total", 3, "a b c", 1, 0],
    ["exactly the limit of a tool", { search: 2 }, "search search", 1, 0],
    ["beyond the total", 2, "a b c", 0, 1],
    ["no call may be made, none was", 0, "", 1, 0],
    ["agents are no calls", 0, "@helper", 1, 0],
    ["within the limit of a tool", { search: 2 }, "search open Search", 1, 0],
    ["beyond the limit of a tool", { search: 2, open: 9 }, "search search open s-earch", 0, 1],
    ["a tool that may not be called", { delete: 0 }, "delete delete", 0, 2],
  ])("%s", (_title, limit, called, score, excess) => {
    const steps = stepsOf(...called.split(" ").filter((name) => name !== ""));
    const result = scored(maxCalls().score(occurrenceOf(steps, { max_calls: limit })));
    expect(result.score).toBe(score);
    expect(result.metadata.excess_calls).toBe(excess);
  });

  test("says which tool went beyond which limit", () => {
    const result = scored(maxCalls({ max_calls: { a: 1 } }).score(occurrenceOf(stepsOf("a", "a", "b"))));
    expect(result.metadata).toEqual({
      max_calls: { a: 1 },
      total_calls: 3,
      excess_calls: 1,
      exceeded: [{ tool: "a", calls: 2, max_calls: 1 }],
    });
    const total = scored(maxCalls({ max_calls: 2 }).score(occurrenceOf(stepsOf("a", "a", "b"))));
    expect(total.metadata).toEqual({ max_calls: 2, total_calls: 3, excess_calls: 1, exceeded: [] });
  });
});

describe("forbidden_tools", () => {
  test.each([
    ["none called", ["delete"], "a b", 1, []],
    ["one called, written otherwise", ["delete_account"], "a Delete-Account", 0, ["delete_account"]],
    ["nothing called", ["delete"], "", 1, []],
  ])("%s", (_title, forbidden, called, score, found) => {
    const steps = stepsOf(...called.split(" ").filter((name) => name !== ""));
    const result = scored(forbiddenTools().score(occurrenceOf(steps, { forbidden_tools: forbidden })));
    expect(result.score).toBe(score);
    expect(result.metadata.called_forbidden_tools).toEqual(found);
  });

  test("every call of a forbidden tool is a violation, and no other", () => {
    const result = forbiddenTools().score(
      occurrenceOf(stepsOf("drop", "look", "drop", "erase"), { forbidden_tools: ["drop", "erase", "burn"] }),
    );
    expect(scored(result).metadata).toEqual({
      forbidden_tools: ["drop", "erase", "burn"],
      called_forbidden_tools: ["drop", "erase"],
      violations: 3,
    });
  });

  test("calls are those of the tool list where there is one; what is no list is an invalid occurrence", () => {
    const given = occurrenceOf(stepsOf("drop"), { forbidden_tools: ["drop"] });
    expect(forbiddenTools().score({ ...given, tools: stepsOf("look") })).toMatchObject({ score: 1 });
    const error = { type: "invalid_occurrence" };
    expect(forbiddenTools().score({ ...given, tools: "drop" as never })).toMatchObject({
      status: "error",
      error: { ...error, message: expect.stringMatching(/^tools: /) },
    });
    const bare = { ...given, tools: undefined, steps: "drop" as never };
    expect(forbiddenTools().score(bare as never)).toMatchObject({
      status: "error",
      error: { ...error, message: expect.stringMatching(/^steps: /) },
    });
  });

  test("only tools that were called more often than they may are exceeded", () => {
    const max_calls = { search: 2, open: 1, close: 0 };
    const result = maxCalls().score(occurrenceOf(stepsOf("search", "open", "Search", "open"), { max_calls }));
    expect(scored(result)).toMatchObject({
      score: 0,
      metadata: { total_calls: 4, excess_calls: 1, exceeded: [{ tool: "open", calls: 2, max_calls: 1 }] },
    });
  });

  test("a server's own tool is told apart", () => {
    const steps = [{ kind: "TOOL", name: "drop", raw_name: "mcp__staging__drop" }] as const;
    const of = (tool: string) => forbiddenTools().score(occurrenceOf(steps, { forbidden_tools: [tool] }));
    expect(of("mcp__production__drop")).toMatchObject({ score: 1 });
    expect(of("mcp__staging__drop")).toMatchObject({ score: 0 });
  });
});

test.each([
  [maxCalls({ max_calls: { a: 1 } }), "max_calls", { a: 1 }],
  [forbiddenTools({ forbidden_tools: ["a"] }), "forbidden_tools", ["a"]],
] as const)("$0.metric_name says what it is and what a run brings", (scorer, column, value) => {
  expect(scorer).toMatchObject({
    name: `agent.${column}`,
    version: "1.0.0",
    columns: [column],
    config: { metric_name: column, threshold: null, unit: "trajectory", names: "normalized", [column]: value },
    fallback: { [column]: value, origin: "run" },
  });
  expect(scorer.manifest).toMatchObject({ name: `agent.${column}`, required_columns: [column] });
  for (const bare of [maxCalls(), forbiddenTools()]) expect(Object.keys(bare)).not.toContain("fallback");
});

describe("both are guarded, and judged, like every other metric", () => {
  const both = [
    [maxCalls({ threshold: 1 }), { max_calls: 1 }],
    [forbiddenTools({ threshold: 1 }), { forbidden_tools: ["b"] }],
  ] as const;
  test.each(both)("$0.metric_name", (scorer, expectation) => {
    const steps = stepsOf("a", "b");
    expect(scorer.score(occurrenceOf(steps, expectation))).toMatchObject({ score: 0, label: "informational" });
    expect(scorer.score(occurrenceOf(steps, { ...expectation, status: "approved" }))).toMatchObject({ label: "fail" });
    expect(scorer.score(occurrenceOf(steps, expectation, { unread: ["tools"] }))).toMatchObject({
      reason: "steps_not_recorded",
    });
    expect(scorer.score(occurrenceOf(steps, expectation, { kinds: ["AGENT"] }))).toMatchObject({
      reason: "kinds_missing",
    });
    expect(scorer.score(occurrenceOf(steps, {}))).toMatchObject({ reason: "no_expectation" });
  });
});
