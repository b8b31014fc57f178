import { describe, expect, test } from "vitest";
import type { Occurrence } from "../../src/model/trajectory.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../src/score/path/in-order-subset.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";

const steps = (...names: string[]) => names.map((name) => ({ kind: "TOOL" as const, name }));
const unit = (given: object): Occurrence => ({ unit: "trajectory", unit_id: "trajectory:t1", steps: [], ...given });

describe("strict position", () => {
  const strict = stepAccuracy({ scoring_method: "strict_position" });

  test("labels every position, and names what came beyond the last", () => {
    const expected_steps = ["a", { any_of: ["b", "c"] }, "d"];
    expect(strict.score(unit({ steps: steps("a", "x"), expectation: { expected_steps } }))).toEqual({
      status: "scored",
      score: 1 / 3,
      label: "informational",
      metadata: {
        expected_steps,
        actual_steps: ["a", "x"],
        total_steps: 3,
        correct_steps: 1,
        steps: [
          { op: "match", expected: "a", actual: "a", expected_index: 0, actual_index: 0 },
          { op: "substitute", expected: "b | c", actual: "x", expected_index: 1, actual_index: 1 },
          { op: "delete", expected: "d", actual: null, expected_index: 2, actual_index: null },
        ],
        extra_steps: [],
      },
    });
    expect(strict.score(unit({ steps: steps("a", "y", "z"), expectation: { expected_steps: ["a"] } }))).toMatchObject({
      score: 1,
      metadata: { extra_steps: ["y", "z"] },
    });
  });

  test.each([
    [["a", ["b", "c"]], "group_under_strict_position", "expected_steps[1]: a group has no position"],
    [
      ["a", { optional: "b" }],
      "optional_under_strict_position",
      "expected_steps[1]: an optional step may shift all others",
    ],
  ])("%j is an error that says where and what can score it", (expected_steps, type, message) => {
    expect(strict.score(unit({ steps: steps("a"), expectation: { expected_steps } }))).toEqual({
      status: "error",
      error: { type, message: `${message}; scoring_method edit_distance can score it` },
    });
  });

  test("the result holds a copy of what was expected", () => {
    const expected_steps = ["a"];
    const result = strict.score(unit({ steps: steps("a"), expectation: { expected_steps } }));
    expected_steps.push("b");
    expect(result).toMatchObject({ metadata: { expected_steps: ["a"] } });
  });
});

describe("labels of tool selection", () => {
  // One of two distinct expected tools was called.
  const occurrence = unit({
    steps: steps("a", "a"),
    expectation: { expected_tools: ["a", "b"], status: "approved" },
  });

  test.each([
    [0.5, "pass"],
    [0.51, "fail"],
    [1, "fail"],
  ])("threshold %d: %s", (threshold, label) => {
    expect(toolSelectionAccuracy({ threshold }).score(occurrence)).toMatchObject({ score: 0.5, label });
  });
});

describe("an occurrence that is none", () => {
  test.each([
    ["steps of step_accuracy", stepAccuracy(), { steps: "search" }, /^steps/],
    ["steps of tool_selection_accuracy", toolSelectionAccuracy(), { steps: [{ kind: "TOOL" }] }, /^steps\[0\]/],
    ["tools of tool_selection_accuracy", toolSelectionAccuracy(), { tools: [{ kind: "TOOL" }] }, /^tools\[0\]/],
  ])("%s: an error that says where", (_, scorer, given, where) => {
    const expectation = { expected_steps: ["a"], expected_tools: ["a"] };
    expect(scorer.score(unit({ expectation, ...given }))).toEqual({
      status: "error",
      error: { type: "invalid_occurrence", message: expect.stringMatching(where) },
    });
  });
});

describe("where a scorer on its own finds what is expected", () => {
  const session = { unit: "session", unit_id: "session:s1", trace_ids: ["t1", "t2"], session_id: "s1" };
  const text = JSON.stringify(["a"]);
  const one = { score: 1, metadata: { expected_tools: ["a"] } };

  test.each([
    ["under the unit's id", { "trajectory:t1": { expected_tools: text } }, {}],
    ["under the bare trace id", { t1: { expected_tools: text } }, {}],
    ["under the id of the only trace", { t9: { expected_tools: text } }, { trace_ids: ["t9"] }],
    ["under a session's id", { "session:s1": { expected_tools: text } }, session],
    ["under the bare session id", { s1: { expected_tools: text } }, session],
    [
      "under the bare session id, which the unit's id has too",
      { s1: { expected_tools: text } },
      { ...session, session_id: undefined },
    ],
  ])("in annotations %s", (_, annotations, given) => {
    const unitOf = "unit" in given ? { unit: "session" as const } : {};
    const scorer = toolSelectionAccuracy({ annotations, ...unitOf } as never);
    expect(scorer.score(unit({ steps: steps("a"), ...given }))).toMatchObject(one);
  });

  test.each([
    ["a trajectory's annotation is none of its session", { t1: { expected_tools: text } }, session],
    ["a session's annotation is none of its trajectory", { s1: { expected_tools: text } }, { session_id: "s1" }],
  ])("%s", (_, annotations, given) => {
    const unitOf = "unit" in given ? { unit: "session" as const } : {};
    const scorer = toolSelectionAccuracy({ annotations, ...unitOf } as never);
    expect(scorer.score(unit({ steps: steps("a"), ...given }))).toMatchObject({
      status: "non_evaluable",
      reason: "no_expectation",
    });
  });

  test("null is no expectation, and the fallback of the configuration answers", () => {
    const scorer = toolSelectionAccuracy({ expected_tools: ["a"], annotations: null } as never);
    expect(scorer.score(unit({ steps: steps("a"), expectation: null }))).toMatchObject(one);
    expect(scorer.score(unit({ steps: steps("a"), expectation: { expected_tools: null } }))).toMatchObject(one);
  });

  test.each([
    ["no object", "all of it", "expectation: must be an object"],
    ["a status of its own", { expected_tools: ["a"], status: "final" }, "status: must be proposed or approved"],
  ])("%s is invalid, and says what must be", (_, expectation, message) => {
    expect(toolSelectionAccuracy().score(unit({ steps: steps("a"), expectation }))).toMatchObject({
      status: "non_evaluable",
      reason: "invalid_expectation",
      metadata: { message: expect.stringContaining(message) },
    });
  });
});

test("a configuration may expect groups, where the method can score them", () => {
  const scorer = stepAccuracy({ expected_steps: ["a", ["b", "c"]] });
  expect(scorer.score(unit({ steps: steps("a", "c", "b") }))).toMatchObject({ status: "scored", score: 1 });
});

test("a path score tells both sides by name, alternatives and optional steps among them", () => {
  const expected_steps = ["a", { any_of: ["b", "c"] }, { optional: "d" }];
  const result = inOrderSubset().score(unit({ steps: steps("a", "c"), expectation: { expected_steps } }));
  expect(result).toMatchObject({ status: "scored", metadata: { expected: ["a", "b | c", "d"], actual: ["a", "c"] } });
});

describe("what a path score refuses", () => {
  test.each([
    ["a step without a name", { steps: [{ kind: "TOOL" }], expectation: { expected_steps: ["a"] } }],
    ["steps that are no list", { steps: "a, b", expectation: { expected_steps: ["a"] } }],
  ])("%s is an invalid occurrence", (_, given) => {
    const error = { type: "invalid_occurrence", message: expect.stringContaining("steps") as string };
    expect(inOrderSubset().score(unit(given))).toMatchObject({ status: "error", error });
    expect(setOverlap().score(unit(given))).toMatchObject({ status: "error", error });
  });

  test("one acceptable trajectory that cannot be scored speaks for all of them", () => {
    const expectation = { expected_steps: { one_of: [["a"], [["a", "b"], "c"]] } };
    const result = inOrderSubset().score(unit({ steps: steps("a"), expectation }));
    expect(result).toMatchObject({ status: "non_evaluable", reason: "groups_not_scored" });
  });

  test("a set is not worse for an optional step that was not taken", () => {
    const expectation = { expected_steps: ["a", { optional: "b" }, "c"] };
    expect(setOverlap().score(unit({ steps: steps("a"), expectation }))).toMatchObject({
      score: 1 / 2,
      metadata: { missing: ["c"], union: 2 },
    });
  });
});

test("arguments of two members are compared member by member", () => {
  const args = { city: "Paris", night: 2 };
  const call = (more: object) => ({ name: "book", args: { ...args, ...more } });
  const observed = { kind: "TOOL" as const, name: "book", args, args_status: "ok" as const };
  const score = (expected: object) =>
    exactMatch().score(unit({ steps: [], tools: [observed], expectation: { expected_calls: [expected] } }));
  expect(score({ name: "book", args: { night: 2, city: "Paris" } })).toMatchObject({ score: 1 });
  expect(score(call({ night: 3 }))).toMatchObject({ score: 0 });
});
