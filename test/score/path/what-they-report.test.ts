import { describe, expect, test } from "vitest";
import type { Expectation, ExpectedCall, ExpectedStep } from "../../../src/model/expectation.ts";
import type { Step } from "../../../src/model/trajectory.ts";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import { setOverlap } from "../../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../../src/score/path/step-credit.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";
import {
  type MatchMode,
  type TrajectoryMatchConfig,
  trajectoryMatch,
} from "../../../src/score/path/trajectory-match.ts";
import { occurrenceOf, scored, stepsOf } from "../support.ts";

/** Entries as `match a=a 0 1`: what was done, both sides, both places; `-` for a side that is absent. */
function shown(steps: unknown): string[] {
  const text = (value: unknown): string => (value === null ? "-" : typeof value === "string" ? value : "call");
  return (steps as readonly Record<string, unknown>[]).map(
    ({ op, expected, actual, expected_index, actual_index }) =>
      `${op} ${text(expected)}=${text(actual)} ${expected_index ?? "-"} ${actual_index ?? "-"}`,
  );
}
/** A tool `name`, or `name<raw_name`; an agent `@name`. */
const steps = (text: string): Step[] =>
  text.split(" ").flatMap((word): Step[] => {
    const [name = "", raw_name] = word.split("<");
    const [step] = stepsOf(name);
    return step === undefined || name === "" ? [] : [{ ...step, ...(raw_name === undefined ? {} : { raw_name }) }];
  });

describe("set_overlap reports distinct names of both sides", () => {
  const b_or_c = { any_of: ["b", "c"] };
  const servers = "a<mcp__s__a a<mcp__t__a";
  test.each<
    readonly [string, readonly ExpectedStep[], string, readonly string[], string, readonly string[], string, number]
  >([
    // title, expected steps, observed; distinct expected, distinct observed, missing, extra, and the score
    [
      "in their first spelling, optional ones last; those that were not used do not count",
      ["a", { optional: "c" }, "B", { optional: "d" }, "b", { optional: "A" }],
      "a c x X A",
      ["a", "B", "c", "d"],
      "a c x",
      ["B"],
      "x",
      // a and c of a, B, c, x.
      2 / 4,
    ],
    [
      "the same beside an agent",
      ["a", { optional: "c" }, "B", { optional: "d" }, "b", { optional: "A" }],
      "a c x X A @h",
      ["a", "B", "c", "d"],
      "a c x h",
      ["B"],
      "x h",
      2 / 5,
    ],
    ["optional and not is not optional", [{ optional: "a" }, "a"], "", ["a"], "", ["a"], "", 0],
    [
      "the same beside alternatives",
      [{ optional: "a" }, "a", b_or_c],
      "c",
      ["a", "b | c"],
      "c",
      ["a"],
      "",
      // c of a and c.
      1 / 2,
    ],
    ["nothing that had to be used, and nothing used", [{ optional: "a" }], "", ["a"], "", [], "", 1],
    ["the same of one server", [{ optional: "mcp__s__a" }], "", ["mcp__s__a"], "", [], "", 1],
    ["the same alternatives in any order", [b_or_c, { any_of: ["C", "b"] }], "b c", ["b | c"], "b c", [], "c", 1 / 2],
    [
      "tools of two servers, where both are expected",
      ["mcp__s__a", "mcp__t__a"],
      servers,
      ["mcp__s__a", "mcp__t__a"],
      "a a",
      [],
      "",
      1,
    ],
    ["tools of two servers, where one is expected", ["mcp__s__a"], servers, ["mcp__s__a"], "a a", [], "a", 1 / 2],
    [
      "tools of two servers, where neither is told from the other",
      ["a", "mcp__s__b"],
      "a<mcp__t__a a<mcp__u__a",
      ["a", "mcp__s__b"],
      "a",
      ["mcp__s__b"],
      "",
      1 / 2,
    ],
    ["a tool of one server, called twice", ["mcp__s__a"], "a<mcp__s__a A<mcp__S__A", ["mcp__s__a"], "a", [], "", 1],
    [
      "a tool with and without a server, where no server is expected",
      ["a", b_or_c],
      "a a<mcp__t__a",
      ["a", "b | c"],
      "a",
      ["b | c"],
      "",
      1 / 2,
    ],
    [
      "an agent, whatever its raw name",
      ["h", "mcp__s__h"],
      "@h<mcp__s__h @h",
      ["h", "mcp__s__h"],
      "h",
      ["mcp__s__h"],
      "",
      1 / 2,
    ],
    ["an agent and a tool of one name", ["a"], "a @a", ["a"], "a a", [], "a", 1 / 2],
  ])("%s", (_title, expected_steps, observed, expected, actual, missing, extra, score) => {
    const words = (text: string): string[] => text.split(" ").filter((word) => word !== "");
    const result = scored(setOverlap().score(occurrenceOf(steps(observed), { expected_steps })));
    const union = missing.length + words(actual).length;
    expect(result.metadata).toEqual({
      expected,
      actual: words(actual),
      intersection: words(actual).length - words(extra).length,
      union,
      missing,
      extra: words(extra),
    });
    expect(result.score).toBeCloseTo(score, 12);
  });
});

describe("tool_f1 reports what was matched, item by item, then what was too much", () => {
  test("with optional steps that were taken, and without those that were not", () => {
    const expected_steps = ["a", "b", { optional: "c" }, { optional: "d" }, "a"];
    const result = scored(toolF1().score(occurrenceOf(stepsOf("a", "x", "c"), { expected_steps })));
    expect(shown(result.metadata.steps)).toEqual([
      "match a=a 0 0",
      "delete b=- 1 -",
      "match c=c 2 2",
      "delete a=- 4 -",
      "insert -=x - 1",
    ]);
    // Two of three were expected; two of a, b, c, a were made: 2 * 2/3 * 1/2 / (2/3 + 1/2).
    expect(result.metadata).toMatchObject({ matched: 2, total: 4, observed: 3, precision: 2 / 3, recall: 1 / 2 });
    expect(result.score).toBeCloseTo(4 / 7, 12);
  });

  test("more expected calls than steps: each pair is compared for itself", () => {
    const expected_calls = [1, 2, 3].map((x) => ({ name: "a", args: { x } }));
    const observed: Step[] = [9, 1].map((x) => ({ kind: "TOOL", name: "a", args: { x } }));
    const result = scored(toolF1().score(occurrenceOf(observed, { expected_calls })));
    // Only x: 1 is on both sides.
    expect(result.metadata).toMatchObject({ matched: 1, total: 3, observed: 2 });
    expect(shown(result.metadata.steps)[0]).toBe("match a=a 0 1");
  });
});

describe("exact_match where steps are optional: what both have in common, the first expected step of several", () => {
  const abc = ["a", { optional: "b" }, "c"];
  const twice = [{ optional: "a" }, "a"];
  test.each<readonly [readonly ExpectedStep[], string, number, readonly string[]]>([
    [abc, "a b c", 1, ["match a=a 0 0", "match b=b 1 1", "match c=c 2 2"]],
    [abc, "a c", 1, ["match a=a 0 0", "match c=c 2 1"]],
    [abc, "a x c", 0, ["match a=a 0 0", "insert -=x - 1", "match c=c 2 2"]],
    [abc, "a b b c", 0, ["match a=a 0 0", "match b=b 1 1", "insert -=b - 2", "match c=c 2 3"]],
    [abc, "a b", 0, ["match a=a 0 0", "match b=b 1 1", "delete c=- 2 -"]],
    [abc, "c", 0, ["delete a=- 0 -", "match c=c 2 0"]],
    [abc, "a c c", 0, ["match a=a 0 0", "match c=c 2 1", "insert -=c - 2"]],
    [abc, "", 0, ["delete a=- 0 -", "delete c=- 2 -"]],
    [twice, "a", 1, ["match a=a 1 0"]],
    [twice, "a a", 1, ["match a=a 0 0", "match a=a 1 1"]],
    [[{ optional: "a" }, { optional: "b" }], "", 1, []],
    [[{ optional: "a" }, { optional: "b" }], "b", 1, ["match b=b 1 0"]],
    [[{ optional: "a" }, { optional: "b" }], "b a", 0, ["insert -=b - 0", "match a=a 0 1"]],
  ])("%j, done %j: %s", (expected_steps, observed, score, entries) => {
    const result = scored(exactMatch().score(occurrenceOf(steps(observed), { expected_steps })));
    expect(result.score).toBe(score);
    expect(shown(result.metadata.steps)).toEqual(entries);
  });
});

describe("trajectory_match reports its mode, both sides and what it compared", () => {
  const both = { expected: ["a", "b"], actual: ["b", "x", "a"] };
  const counts = { matched: 2, total: 2, observed: 3 };
  const matched = ["match a=a 0 2", "match b=b 1 0", "insert -=x - 1"];
  test.each<readonly [MatchMode | undefined, number, object, readonly string[]]>([
    [undefined, 0, { mode: "exact" }, ["substitute a=b 0 0", "substitute b=x 1 1", "insert -=a - 2"]],
    ["exact", 0, {}, ["substitute a=b 0 0", "substitute b=x 1 1", "insert -=a - 2"]],
    ["in_order", 0, {}, ["insert -=b - 0", "insert -=x - 1", "match a=a 0 2", "delete b=- 1 -"]],
    ["any_order", 1, counts, matched],
    ["superset", 1, counts, matched],
    ["unordered", 0, counts, matched],
    ["subset", 0, counts, matched],
    ["precision", 2 / 3, counts, matched],
    ["recall", 1, counts, matched],
  ])("%s: %s", (mode, score, more, entries) => {
    const occurrence = occurrenceOf(stepsOf("b", "x", "a"), { expected_calls: [{ name: "a" }, { name: "b" }] });
    const result = scored(trajectoryMatch({ mode }).score(occurrence));
    expect(result.score).toBeCloseTo(score, 12);
    const { steps: reported, ...metadata } = result.metadata;
    expect(metadata).toEqual({ mode, ...both, ...more });
    expect(shown(reported)).toEqual(entries);
  });

  const own = { mode: "single_tool_use", tool: "A" } as const;
  const several = { mode: "single_tool_use", tool: "A", expected: ["b"], actual: ["a", "x"] };
  test.each<readonly [string, TrajectoryMatchConfig, Expectation | undefined, object]>([
    ["the tool of the configuration", own, undefined, { ...several, expected: ["A"] }],
    ["beside run-level calls", { ...own, expected_calls: [{ name: "b" }] }, undefined, several],
    ["beside run-level steps", { ...own, expected_steps: ["b"] }, undefined, several],
    ["beside calls of the unit's own", own, { expected_calls: [{ name: "b" }] }, several],
    [
      "the only tool that is expected",
      { mode: "single_tool_use" },
      { expected_steps: ["a", "a"] },
      { ...several, tool: "a", expected: ["a", "a"] },
    ],
  ])("single_tool_use: %s", (_title, config, expectation, metadata) => {
    const result = scored(trajectoryMatch(config).score(occurrenceOf(stepsOf("a", "x"), expectation)));
    expect(result).toEqual({ status: "scored", score: 1, label: "informational", metadata });
  });

  test("single_tool_use says that there is no single tool", () => {
    const occurrence = occurrenceOf(stepsOf("a"), { expected_calls: [{ name: "a" }, { name: "b" }] });
    expect(trajectoryMatch({ mode: "single_tool_use" }).score(occurrence)).toEqual({
      status: "error",
      error: {
        type: "no_single_tool",
        message: "single_tool_use needs one tool: the configuration names none and 2 are expected",
      },
    });
  });

  test.each([[["a"], ["a", "b"]] as const, [["a", "b"], ["a"]] as const])(
    "single_tool_use: one of several trajectories without a single tool, %j and %j, is the answer",
    (...one_of) => {
      const result = trajectoryMatch({ mode: "single_tool_use" }).score(
        occurrenceOf(stepsOf("a"), { expected_steps: { one_of } }),
      );
      expect(result).toEqual({ status: "error", error: { type: "no_single_tool", message: expect.any(String) } });
      expect(Object.keys(result)).not.toContain("metadata");
    },
  );

  test.each(["exact", "in_order", "any_order", undefined] as const)(
    "%s: arguments that were not recorded are no mismatch",
    (mode) => {
      const occurrence = occurrenceOf(stepsOf("a"), { expected_calls: [{ name: "a", args: { x: 1 } }] });
      expect(trajectoryMatch({ mode }).score(occurrence)).toEqual({
        status: "non_evaluable",
        reason: "arguments_not_recorded",
      });
    },
  );

  test.each([
    ["exact", true],
    ["in_order", true],
    [undefined, true],
    ["any_order", false],
    ["recall", false],
  ] as const)("%s wants an order of a group: %s", (mode, refused) => {
    const result = trajectoryMatch({ mode }).score(occurrenceOf(stepsOf("b", "a"), { expected_steps: [["a", "b"]] }));
    if (!refused) expect(result).toMatchObject({ score: 1 });
    else {
      const message = "trajectory_match needs an order, and a group has none";
      expect(result).toEqual({ status: "non_evaluable", reason: "groups_not_scored", metadata: { message } });
    }
  });

  test("no configuration is the default", () => {
    expect(trajectoryMatch(null as never).config).toEqual(trajectoryMatch().config);
    expect(trajectoryMatch().config).toMatchObject({ mode: "exact" });
  });
});

describe("the work limit", () => {
  const many = (count: number, args: Record<string, unknown>): ExpectedCall[] =>
    Array.from({ length: count }, () => ({ name: "a", args, match: "subset" }));
  const did = (count: number, args?: object): Step[] =>
    Array.from({ length: count }, () => ({ kind: "TOOL", name: "a", args }));
  const over = { status: "non_evaluable", reason: "over_limit" };

  test("lists of calls whose arguments would take too long, by whatever needs every pair", () => {
    // 2 000 * 2 000 pairs at ten cells each are more than 25 000 000.
    const occurrence = occurrenceOf(did(2_000, { x: 1 }), { expected_calls: many(2_000, { x: 1 }) });
    const scorers = [orderAware(), stepCredit(), toolF1(), trajectoryMatch({ mode: "recall" })];
    for (const scorer of scorers) expect(scorer.score(occurrence), scorer.metric_name).toEqual(over);
    for (const scorer of [exactMatch(), inOrderSubset()]) expect(scored(scorer.score(occurrence)).score).toBe(1);
    // It says more than that the unit has no calls.
    expect(orderAware().score({ ...occurrence, kinds: [] })).toEqual(over);
    expect(inOrderSubset().score({ ...occurrence, kinds: [] })).toMatchObject({ reason: "kinds_missing" });
  });

  test("calls that come to just the limit are compared", () => {
    const expected_calls = many(1_250, { x: 1 });
    const other: Step[] = did(2_000).map((step) => ({ ...step, name: "b" }));
    expect(scored(stepCredit().score(occurrenceOf(other, { expected_calls }))).metadata).toMatchObject({
      matched: 0,
      missing: 1_250,
      extra: 2_000,
    });
  });

  test("optional steps, each of which may be anywhere", () => {
    const expected_steps = Array.from({ length: 5_001 }, () => ({ optional: "a" }));
    expect(exactMatch().score(occurrenceOf(did(5_001), { expected_steps }))).toEqual(over);
  });

  test("more equal calls than were made, each of which could take the place of any other", () => {
    expect(toolF1().score(occurrenceOf(did(1_000, {}), { expected_calls: many(1_100, {}) }))).toEqual(over);
  });
});

describe("where arguments are reported", () => {
  const [x, y] = [{ x: 1 }, { y: 2 }];
  test.each<readonly [string, Expectation, Step, object]>([
    [
      "both sides",
      { expected_calls: [{ name: "A", args: x, match: "ignore" }] },
      { kind: "TOOL", name: "a", args: y },
      { expected: { name: "A", args: x }, actual: { name: "a", args: y } },
    ],
    [
      "an expected call without any is a name",
      { expected_calls: [{ name: "A" }] },
      { kind: "TOOL", name: "a", args: y },
      { expected: "A", actual: { name: "a", args: y } },
    ],
    [
      "a step is a name, and so is a call that has none",
      { expected_steps: ["A"] },
      { kind: "TOOL", name: "a" },
      { expected: "A", actual: "a" },
    ],
  ])("%s", (_title, expectation, step, sides) => {
    const result = scored(orderAware({ report_args: true }).score(occurrenceOf([step], expectation)));
    expect(result.metadata.steps).toStrictEqual([{ op: "match", expected_index: 0, actual_index: 0, ...sides }]);
  });
});

test("in_order_subset reports where it walked", () => {
  const result = scored(
    inOrderSubset().score(occurrenceOf(stepsOf("x", "a", "y", "c"), { expected_steps: ["a", "b", "c"] })),
  );
  // b is not found behind a, and what comes after it is not looked for.
  expect(result.metadata).toMatchObject({ matched: 1, total: 3 });
  expect(shown(result.metadata.steps)).toEqual([
    "insert -=x - 0",
    "match a=a 0 1",
    "delete b=- 1 -",
    "delete c=- 2 -",
    "insert -=y - 2",
    "insert -=c - 3",
  ]);
});
