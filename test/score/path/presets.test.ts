import { describe, expect, test } from "vitest";
import type { Step } from "../../../src/model/trajectory.ts";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { type PresetName, preset } from "../../../src/score/path/presets.ts";
import { toolTrajectoryAvg } from "../../../src/score/path/tool-trajectory-avg.ts";
import { occurrenceOf, scored, stepsOf } from "../support.ts";

/** A call `name:arg`, as the cases below write it; `{}` where no argument is written. */
function callOf(text: string): Step & { readonly args: Record<string, unknown> } {
  const [name = "", arg] = text.split(":");
  return { kind: "TOOL", name, args: arg === undefined ? {} : { x: Number(arg) } };
}

const list = (text: string): (Step & { readonly args: Record<string, unknown> })[] =>
  text === "" ? [] : text.split(" ").map(callOf);

/**
 * The cases that other tools were run on, with what they answered: LangChain strict, unordered, superset (by running
 * the package); ADK EXACT, IN_ORDER, ANY_ORDER (from its formulas). Arguments are compared, as they do by default.
 * LangChain's subset follows from its rule: no call beyond the reference. Vertex's modes are those of ADK, its precision
 * and recall shares of matched calls.
 */
const CASES: readonly (readonly [string, string, string, readonly number[], readonly number[]])[] = [
  // title, expected, called, [strict, unordered, subset, superset], [exact, in order, any order]
  ["nothing expected, nothing called", "", "", [1, 1, 1, 1], [1, 1, 1]],
  ["nothing expected, one call", "", "a", [0, 0, 0, 1], [0, 1, 1]],
  ["one expected, nothing called", "a", "", [0, 0, 1, 0], [0, 0, 0]],
  ["identical", "a b", "a b", [1, 1, 1, 1], [1, 1, 1]],
  ["one extra call at the end", "a b", "a b x", [0, 0, 0, 1], [0, 1, 1]],
  ["one extra call first", "a b", "x a b", [0, 0, 0, 1], [0, 1, 1]],
  ["one missing call", "a b c", "a c", [0, 0, 1, 0], [0, 0, 0]],
  ["one wrong call in the middle", "a b c", "a x c", [0, 0, 0, 0], [0, 0, 0]],
  ["swapped", "a b", "b a", [0, 1, 1, 1], [0, 0, 1]],
  ["expected twice, called once", "a a", "a", [0, 0, 1, 0], [0, 0, 0]],
  ["expected once, called twice", "a", "a a", [0, 0, 0, 1], [0, 1, 1]],
  ["expected twice, called twice", "a a", "a a", [1, 1, 1, 1], [1, 1, 1]],
  ["expected tool repeats", "a b a", "a b a", [1, 1, 1, 1], [1, 1, 1]],
  ["one wrong argument", "a b:1", "a b:2", [0, 0, 0, 0], [0, 0, 0]],
];
const LANGCHAIN = ["langchain/strict", "langchain/unordered", "langchain/subset", "langchain/superset"] as const;
const ADK = ["adk/EXACT", "adk/IN_ORDER", "adk/ANY_ORDER"] as const;
const VERTEX = [
  "vertex/trajectory_exact_match",
  "vertex/trajectory_in_order_match",
  "vertex/trajectory_any_order_match",
] as const;

const scoreOf = (name: PresetName, expected: string, called: string): number => {
  const expected_calls = list(expected).map(({ name: tool, args }) => ({ name: tool, args }));
  return scored(preset(name).score(occurrenceOf(list(called), { expected_calls }))).score;
};

describe("what other tools answer", () => {
  test.each(CASES)("%s", (_title, expected, called, langchain, adk) => {
    expect(LANGCHAIN.map((name) => scoreOf(name, expected, called))).toEqual(langchain);
    expect(ADK.map((name) => scoreOf(name, expected, called))).toEqual(adk);
    expect(VERTEX.map((name) => scoreOf(name, expected, called))).toEqual(adk);
  });
});

describe("Vertex precision and recall", () => {
  test.each([
    // Two of three calls were expected; both expected calls were made.
    ["a b", "a x b", 2 / 3, 1],
    // One call, expected; one of two expected calls was made.
    ["a b", "a", 1, 1 / 2],
    // A call that was expected once counts once.
    ["a", "a a", 1 / 2, 1],
    ["a", "", 0, 0],
    ["", "", 1, 1],
    ["", "a", 0, 1],
  ])("expected %j, called %j", (expected, called, precision, recall) => {
    expect(scoreOf("vertex/trajectory_precision", expected, called)).toBeCloseTo(precision, 12);
    expect(scoreOf("vertex/trajectory_recall", expected, called)).toBeCloseTo(recall, 12);
  });
});

describe("Vertex single tool use", () => {
  const name = "vertex/trajectory_single_tool_use";
  test.each([
    ["get_user", "a Get-User b", 1],
    ["get_user", "a b", 0],
    ["get_user", "", 0],
  ])("%s in %j", (tool, called, want) => {
    const occurrence = occurrenceOf(list(called), { expected_calls: [{ name: "a" }, { name: "b" }] });
    expect(scored(preset(name, { tool }).score(occurrence)).score).toBe(want);
  });
  test("a tool that is named needs no expectation", () => {
    expect(scored(preset(name, { tool: "a" }).score(occurrenceOf(list("b a")))).score).toBe(1);
    expect(preset(name).score(occurrenceOf(list("b a")))).toMatchObject({ reason: "no_expectation" });
    expect(() => preset(name, { tool: "_" })).toThrow(/^tool: must be a tool name/);
  });
  test("without a tool the only expected one is meant, and several are an error", () => {
    expect(scoreOf(name, "a", "b a")).toBe(1);
    const two = occurrenceOf(list("a"), { expected_calls: [{ name: "a" }, { name: "b" }] });
    expect(preset(name).score(two)).toMatchObject({ status: "error", error: { type: "no_single_tool" } });
  });
});

describe("where ours answers otherwise", () => {
  test("names that differ in case and separators are one tool, unless names are exact", () => {
    const occurrence = occurrenceOf(stepsOf("Get-User"), { expected_calls: [{ name: "get_user" }] });
    expect(scored(preset("langchain/strict").score(occurrence)).score).toBe(1);
    expect(scored(preset("langchain/strict", { names: "exact" }).score(occurrence)).score).toBe(0);
  });
  test("a missing expectation is no score", () => {
    const result = preset("adk/EXACT").score(occurrenceOf(stepsOf("a")));
    expect(result).toEqual({ status: "non_evaluable", reason: "no_expectation" });
  });
  test("arguments that were not recorded are no mismatch", () => {
    const occurrence = occurrenceOf(stepsOf("a"), { expected_calls: [{ name: "a", args: { x: 1 } }] });
    expect(preset("adk/ANY_ORDER").score(occurrence)).toMatchObject({ reason: "arguments_not_recorded" });
    expect(scored(preset("adk/ANY_ORDER", { match: "ignore" }).score(occurrence)).score).toBe(1);
  });
  test("parallel calls are a group, which modes without order lay out and the others refuse", () => {
    const occurrence = occurrenceOf(stepsOf("b", "a"), { expected_steps: [["a", "b"]] });
    expect(scored(preset("langchain/unordered").score(occurrence)).score).toBe(1);
    expect(preset("langchain/strict").score(occurrence)).toMatchObject({ reason: "groups_not_scored" });
  });
});

test.each<readonly [PresetName, string, string]>([
  ["langchain/strict", "langchain_strict", "exact"],
  ["langchain/unordered", "langchain_unordered", "unordered"],
  ["langchain/subset", "langchain_subset", "subset"],
  ["langchain/superset", "langchain_superset", "superset"],
  ["adk/EXACT", "adk_exact", "exact"],
  ["adk/IN_ORDER", "adk_in_order", "in_order"],
  ["adk/ANY_ORDER", "adk_any_order", "any_order"],
  ["vertex/trajectory_exact_match", "trajectory_exact_match", "exact"],
  ["vertex/trajectory_in_order_match", "trajectory_in_order_match", "in_order"],
  ["vertex/trajectory_any_order_match", "trajectory_any_order_match", "any_order"],
  ["vertex/trajectory_precision", "trajectory_precision", "precision"],
  ["vertex/trajectory_recall", "trajectory_recall", "recall"],
  ["vertex/trajectory_single_tool_use", "trajectory_single_tool_use", "single_tool_use"],
])("%s is emitted as %s, with mode %s", (name, metric_name, mode) => {
  expect(preset(name).metric_name).toBe(metric_name);
  expect(preset(name).config).toMatchObject({ metric_name, mode });
  expect(preset(name, { metric_name: "own" }).metric_name).toBe("own");
});

test("an unknown preset and an unknown key are refused", () => {
  const error = { code: "invalid_config", path: "preset" };
  expect(() => preset("adk/exact" as PresetName)).toThrow(expect.objectContaining(error));
  expect(() => preset("adk/exact" as PresetName)).toThrow(
    /^preset: must be one of langchain\/strict, .*, adk\/EXACT, .*, got "adk\/exact"$/,
  );
  expect(() => preset("adk/EXACT", { treshold: 1 } as never)).toThrow(/treshold/);
});

describe("tool_trajectory_avg", () => {
  const results = ["a b", "b a", "a b", "a"].map((called) =>
    exactMatch().score(occurrenceOf(list(called), { expected_calls: [{ name: "a" }, { name: "b" }] })),
  );
  test("mean of exact match over the scored units, the others beside it", () => {
    const other = exactMatch().score(occurrenceOf(list("a")));
    const broken = { status: "error", error: { type: "x", message: "" } } as const;
    // Two of four match.
    expect(toolTrajectoryAvg([...results, other, other, broken])).toEqual({
      mean: 0.5,
      scored: 4,
      others: 3,
      reasons: { no_expectation: 2, error: 1 },
    });
  });
  test("nothing scored: no mean", () => {
    expect(toolTrajectoryAvg([])).toEqual({ mean: null, scored: 0, others: 0, reasons: {} });
  });
});
