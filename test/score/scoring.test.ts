import { describe, expect, test } from "vitest";
import { show } from "../../src/model/errors.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { rubric } from "../../src/score/rubric/rubric.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";
import { verdict } from "../../src/score/verdict.ts";
import { expectSteps, occurrenceOf, scored, stepsOf } from "./support.ts";

const strict = stepAccuracy({ scoring_method: "strict_position" });

describe("names compare by rule 9", () => {
  // name, expected name, kind, step name, raw name, rule, equal?
  const rows = [
    ["case and separators do not matter for tools", "Fetch-Page_2", "TOOL", "fetchpage2", undefined, "normalized", 1],
    ["an agent is equal to the letter", "financial_analyst", "AGENT", "financial_analyst", undefined, "normalized", 1],
    [
      "an agent in another spelling is not",
      "financial_analyst",
      "AGENT",
      "FinancialAnalyst",
      undefined,
      "normalized",
      0,
    ],
    [
      "mcp__ compares with the raw name",
      "mcp__GitHub__list-prs",
      "TOOL",
      "list_prs",
      "mcp__github__list_prs",
      "normalized",
      1,
    ],
    [
      "mcp__ of another server differs",
      "mcp__gitlab__list_prs",
      "TOOL",
      "list_prs",
      "mcp__github__list_prs",
      "normalized",
      0,
    ],
    ["mcp__ without a raw name compares with the name", "mcp__github__x", "TOOL", "x", undefined, "normalized", 0],
    [
      "mcp__ of another server differs, even from a tool that is called so",
      "mcp__gitlab__x",
      "TOOL",
      "mcp__gitlab__x",
      "mcp__github__x",
      "normalized",
      0,
    ],
    [
      "a bare expected name ignores the server",
      "list_prs",
      "TOOL",
      "list_prs",
      "mcp__github__list_prs",
      "normalized",
      1,
    ],
    ["a raw name is not compared with a bare expected name", "raw_one", "TOOL", "other", "raw_one", "normalized", 0],
    ["exact: a tool to the letter", "fetch_a", "TOOL", "fetch_a", undefined, "exact", 1],
    ["exact: another spelling differs", "fetch_a", "TOOL", "fetchA", undefined, "exact", 0],
    ["exact: mcp__ to the letter of the raw name", "mcp__g__x", "TOOL", "x", "mcp__g__x", "exact", 1],
    ["exact: mcp__ in another case differs", "mcp__G__x", "TOOL", "x", "mcp__g__x", "exact", 0],
    ["__proto__ is a name like any other", "__proto__", "TOOL", "proto", undefined, "normalized", 1],
    ["constructor is a name like any other", "constructor", "TOOL", "toString", undefined, "normalized", 0],
    ["an empty step name equals no expected name", "a", "TOOL", "", undefined, "normalized", 0],
    [
      "composed and decomposed letters differ",
      "r\u00e9sum\u00e9",
      "TOOL",
      "re\u0301sume\u0301",
      undefined,
      "normalized",
      0,
    ],
  ] as const;
  test.each(rows)("%s", (_title, expected, kind, name, raw, names, equal) => {
    const step = { kind, name, ...(raw === undefined ? {} : { raw_name: raw }) };
    const occurrence = occurrenceOf([step], expectSteps(expected));
    expect(scored(stepAccuracy({ names }).score(occurrence)).score).toBe(equal);
    expect(scored(stepAccuracy({ names, scoring_method: "strict_position" }).score(occurrence)).score).toBe(equal);
    if (kind === "AGENT") return;
    const tools = occurrenceOf([step], { expected_tools: [expected] });
    expect(scored(toolSelectionAccuracy({ names }).score(tools)).score).toBe(equal);
  });
});

describe("verdict", () => {
  // threshold, status, score of [a] against [a, b] is 1/2 -> label
  const rows = [
    ["reached and approved", 0.5, "approved", "pass"],
    ["within the slack", 0.5 + 5e-10, "approved", "pass"],
    ["beyond the slack", 0.5 + 5e-9, "approved", "fail"],
    ["missed and approved", 0.6, "approved", "fail"],
    ["proposed never gates", 0.6, "proposed", "informational"],
    ["status absent is proposed", 0.1, undefined, "informational"],
    ["no threshold", undefined, "approved", "informational"],
    ["a threshold of null", null, "approved", "informational"],
  ] as const;
  test.each(rows)("%s", (_title, threshold, status, label) => {
    const expectation = { ...expectSteps("a", "b"), ...(status === undefined ? {} : { status }) };
    expect(scored(stepAccuracy({ threshold }).score(occurrenceOf(stepsOf("a"), expectation))).label).toBe(label);
  });
});

test("a score that lies a billionth below its threshold passes", () => {
  expect(verdict(0, 1e-9, "approved")).toBe("pass");
  expect(verdict(0, 1.1e-9, "approved")).toBe("fail");
});

describe("guards, first that applies", () => {
  const many = stepsOf(...Array.from({ length: 5100 }, (_, index) => `observed ${index}`));
  const other = { expected_steps: Array.from({ length: 5100 }, (_, index) => `expected ${index}`) };
  const ab = expectSteps("a", "b");
  const rows = [
    ["no expectation goes before kinds", {}, undefined, { kinds: [] }, "no_expectation"],
    ["another column is no expectation", {}, { expected_tools: ["a"] }, {}, "no_expectation"],
    ["a bad value goes before kinds", {}, { expected_steps: ["a", 3] }, { kinds: [] }, "invalid_expectation"],
    ["a bad status", {}, { ...ab, status: "done" }, {}, "invalid_expectation"],
    ["kinds go before unread", {}, ab, { kinds: [], unread: ["steps"] }, "kinds_missing"],
    ["unread steps", {}, ab, { unread: ["steps"] }, "steps_not_recorded"],
    ["the work limit goes before kinds", {}, other, { kinds: [], steps: many }, "over_limit"],
  ] as const;
  test.each(rows)("step accuracy: %s", (_title, config, expectation, rest, reason) => {
    const result = stepAccuracy(config).score(occurrenceOf(stepsOf("a"), expectation as never, rest as never));
    expect(result).toMatchObject({ status: "non_evaluable", reason });
  });

  const tools = { expected_tools: ["a"] };
  const toolRows = [
    ["no expectation", undefined, {}, "no_expectation"],
    ["an AGENT alone is no kind for tools", tools, { kinds: ["AGENT"] }, "kinds_missing"],
    ["unread goes before no calls", tools, { unread: ["tools"] }, "steps_not_recorded"],
    ["no calls", tools, {}, "no_tool_calls"],
    ["an empty tool list goes before the steps", tools, { steps: stepsOf("a"), tools: [] }, "no_tool_calls"],
  ] as const;
  test.each(toolRows)("tool selection: %s", (_title, expectation, rest, reason) => {
    const result = toolSelectionAccuracy().score(occurrenceOf([], expectation as never, rest as never));
    expect(result).toMatchObject({ status: "non_evaluable", reason });
  });

  test("absent kinds, kinds that suffice and unread tools do not stop step accuracy", () => {
    for (const rest of [{}, { kinds: ["LLM"] }, { unread: ["tools"] }]) {
      expect(stepAccuracy().score(occurrenceOf([], ab, rest as never))).toMatchObject({ status: "scored", score: 0 });
    }
  });

  test("an invalid expectation says where", () => {
    const result = stepAccuracy().score(occurrenceOf([], { expected_steps: ["a", ["b", 3]] } as never));
    expect(result).toMatchObject({ metadata: { message: expect.stringContaining("expected_steps[1][1]") } });
  });
});

describe("groups under strict_position", () => {
  const groups = { expected_steps: ["a", ["b", "c"]] };
  const text = JSON.stringify(groups.expected_steps);
  const annotated = stepAccuracy({
    scoring_method: "strict_position",
    annotations: { t1: { expected_steps: text } },
  });
  test.each([
    ["handed in", strict, groups],
    ["as JSON text", strict, { expected_steps: text }],
    ["annotated", annotated, undefined],
  ] as const)("%s: an error of its own type", (_title, scorer, expectation) => {
    const result = scorer.score(occurrenceOf(stepsOf("a"), expectation as never));
    expect(result).toMatchObject({ status: "error", error: { type: "group_under_strict_position" } });
  });
});

describe("where the column comes from when a scorer is called", () => {
  const annotations = {
    "trajectory:t1": { expected_steps: '["by_unit"]' },
    t1: { expected_steps: '["by_trace"]' },
    t2: { expected_steps: '["by_trace"]' },
    "session:s1": { expected_steps: '["by_session_unit"]' },
    s2: { expected_steps: '["by_session"]' },
    t3: { expected_steps: "not JSON" },
  };
  const scorer = stepAccuracy({ annotations, expected_steps: ["by_config"] });
  const rows = [
    ["handed in", "trajectory:t1", "trajectory", expectSteps("own"), "own"],
    ["annotation by unit id", "trajectory:t1", "trajectory", undefined, "by_unit"],
    ["annotation by bare trace id", "trajectory:t2", "trajectory", undefined, "by_trace"],
    ["annotation by session unit id", "session:s1", "session", undefined, "by_session_unit"],
    ["annotation by bare session id", "session:s2", "session", undefined, "by_session"],
    ["run-level fallback", "trajectory:t9", "trajectory", undefined, "by_config"],
    ["a unit id that names a property of objects", "trajectory:constructor", "trajectory", undefined, "by_config"],
    [
      "another column alone does not hide the fallback",
      "trajectory:t9",
      "trajectory",
      { expected_tools: ["x"] },
      "by_config",
    ],
  ] as const;
  test.each(rows)("%s", (_title, unit_id, unit, expectation, name) => {
    const result = scorer.score(occurrenceOf([], expectation, { unit, unit_id }));
    expect(scored(result).metadata.expected_steps).toEqual([name]);
  });

  const bySession = [
    ["of the first trace where it has several", { trace_ids: ["t2", "t1"] }, "by_trace"],
    ["of its own id where it has no traces", { trace_ids: [] }, "by_trace"],
    ["of its session", { unit: "session", unit_id: "session:x", session_id: "s2" }, "by_session"],
    [
      "of its own id where the session is none",
      { unit: "session", unit_id: "session:s2", session_id: 7 },
      "by_session",
    ],
  ] as const;
  test.each(bySession)("the annotation of a bare id is that %s", (_title, rest, name) => {
    const result = scorer.score(occurrenceOf([], undefined, { unit_id: "trajectory:t2", ...rest } as never));
    expect(scored(result).metadata.expected_steps).toEqual([name]);
  });

  const bad = { expected_calls: "[", expected_steps: "{" };
  test.each<readonly [string, object, string]>([
    ["of two the first", bad, "expected_calls"],
    ["of one that one", { expected_steps: "{" }, "expected_steps"],
  ])("where no column can be used, what is wrong with one is the answer: %s", (_title, expectation, column) => {
    expect(exactMatch().score(occurrenceOf([], expectation as never))).toEqual({
      status: "non_evaluable",
      reason: "invalid_expectation",
      metadata: { message: expect.stringMatching(`^${column}:`) },
    });
  });

  test("text that is no JSON is invalid, and nothing stands in for it", () => {
    const result = scorer.score(occurrenceOf([], undefined, { unit_id: "trajectory:t3" }));
    expect(result).toMatchObject({ status: "non_evaluable", reason: "invalid_expectation" });
  });
});

describe("treat_no_calls_as_zero", () => {
  const options = { treat_no_calls_as_zero: true };
  const own = { expected_tools: ["a", "A", "b"] };
  const annotations = { t1: { expected_tools: '["a"]' } };
  test.each([
    ["own", toolSelectionAccuracy(options), own, true],
    ["annotated", toolSelectionAccuracy({ ...options, annotations }), undefined, true],
    ["said to be of the run", toolSelectionAccuracy(options), { ...own, origin: "run" }, false],
    ["run-level fallback", toolSelectionAccuracy({ ...options, expected_tools: ["a"] }), undefined, false],
    ["not set", toolSelectionAccuracy(), own, false],
  ] as const)("%s", (_title, scorer, expectation, zero) => {
    const result = scorer.score(occurrenceOf(stepsOf("@agent"), expectation as never));
    if (zero) expect(result).toMatchObject({ status: "scored", score: 0, metadata: { correct_tools: 0 } });
    else expect(result).toEqual({ status: "non_evaluable", reason: "no_tool_calls" });
  });

  test("lists are distinct, in the first spelling, in order of first appearance", () => {
    const steps = stepsOf("get_b", "other", "getB", "Other");
    const expectation = { expected_tools: ["a-1", "A1", "get-b", "c"] };
    // Distinct expected: a1, getb, c; called of those: getb -> 1/3.
    const result = scored(toolSelectionAccuracy().score(occurrenceOf(steps, expectation)));
    expect(result.score).toBeCloseTo(1 / 3, 9);
    expect(result.metadata).toEqual({
      expected_tools: ["a-1", "get-b", "c"],
      called_tools: ["get_b", "other"],
      missing_tools: ["a-1", "c"],
      total_tools: 3,
      correct_tools: 1,
    });
  });
});

describe("what the engine reads of a scorer", () => {
  const rule = { metric: "order_aware", gte: 0.5 } as const;
  test.each([
    ["step accuracy", () => stepAccuracy(), ["trajectory"], ["expected_steps"], false, false],
    ["of sessions", () => stepAccuracy({ unit: "session" }), ["session"], ["expected_steps"], false, false],
    [
      "a rubric takes all columns",
      () => rubric({ all: [rule] }),
      ["trajectory"],
      ["expected_calls", "expected_steps"],
      true,
      false,
    ],
    ["the shape of a unit takes its members", () => trajectoryShape(), ["call"], [], false, true],
  ] as const)("%s", (_title, build, ...wanted) => {
    const { units, columns, all_columns, needs_members } = build();
    expect([units, columns, all_columns, needs_members]).toEqual(wanted);
  });
  test("a fallback and annotations, where it has them", () => {
    for (const bare of [stepAccuracy(), toolSelectionAccuracy(), trajectoryShape()]) {
      expect(Object.keys(bare)).not.toContain("fallback");
      expect(Object.keys(bare)).not.toContain("annotations");
    }
    const annotations = { t1: { expected_steps: '["a"]' } };
    expect(stepAccuracy({ annotations, expected_steps: ["a"] })).toMatchObject({
      annotations,
      fallback: { expected_steps: ["a"], origin: "run" },
    });
  });
  test("it is built in unless it calls functions of the host", () => {
    expect(isBuiltIn(exactMatch())).toBe(true);
    expect(isBuiltIn(exactMatch({ compare_args: () => true }))).toBe(false);
  });
  test.each([[undefined], [null], ["a"]])("%j is no occurrence", (value) => {
    expect(stepAccuracy().score(value as never)).toEqual({
      status: "error",
      error: { type: "invalid_occurrence", message: `must be an occurrence, got ${show(value)}` },
    });
  });
  test.each([
    ["at once", stepAccuracy()],
    ["in slices", exactMatch()],
  ] as const)("what a getter of the host throws is scorer_failed: %s", (_title, scorer) => {
    const throwing = Object.defineProperty(occurrenceOf([], expectSteps("a")), "steps", {
      get: () => {
        throw new Error("boom");
      },
    });
    expect(scorer.score(throwing)).toEqual({ status: "error", error: { type: "scorer_failed", message: "boom" } });
  });
  test.each([[[["a"], [{ optional: "b" }]]], [[[{ optional: "b" }], ["a"]]]])(
    "where one of several trajectories cannot be compared, that is the answer: %j",
    (one_of) => {
      const message =
        "expected_steps[0]: an optional step may shift all others; scoring_method edit_distance can score it";
      expect(strict.score(occurrenceOf(stepsOf("a"), { expected_steps: { one_of } }))).toStrictEqual({
        status: "error",
        error: { type: "optional_under_strict_position", message },
      });
    },
  );
});
