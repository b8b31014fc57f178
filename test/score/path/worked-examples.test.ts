import { describe, expect, test } from "vitest";
import type { ExpectedCall } from "../../../src/model/expectation.ts";
import type { Step } from "../../../src/model/trajectory.ts";
import { renderDiff } from "../../../src/report/diff-text.ts";
import { agreement } from "../../../src/score/agreement.ts";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import { setOverlap } from "../../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../../src/score/path/step-credit.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";
import { rubric } from "../../../src/score/rubric/rubric.ts";
import { trajectoryShape } from "../../../src/score/trajectory-shape.ts";
import { occurrenceOf, scored, stepsOf } from "../support.ts";

const REFERENCE = ["search", "open", "convert", "answer"];

// The table of the trajectory article: run, path, exact, order, set, credit, then the two graders.
const RUNS = [
  ["R1", "search open convert answer", 1, 1, 1, 1, "PASS", "PASS"],
  ["R2", "open search convert answer", 0, 0.75, 1, 0.6, "FAIL", "PASS"],
  ["R3", "search open search answer", 0, 0.75, 0.75, 0.6, "FAIL", "PASS"],
  ["R4", "search open convert convert answer", 0, 1, 1, 0.8, "PASS", "PASS"],
  ["R5", "search answer", 0, 0.5, 0.5, 0.5, "FAIL", "FAIL"],
  ["R6", "search open convert answer answer", 0, 1, 1, 0.8, "PASS", "PASS"],
  ["R7", "search search open convert answer", 0, 1, 1, 0.8, "PASS", "PASS"],
  ["R8", "answer", 0, 0.25, 0.25, 0.25, "FAIL", "FAIL"],
] as const;

const run = (path: string) => occurrenceOf(stepsOf(...path.split(" ")), { expected_steps: REFERENCE });

/** The mock judge of the article: the whole path in order, at most one step too many. */
const mockJudge = rubric({
  all: [
    { metric: "order_aware", gte: 0.75 },
    { metric: "step_credit", field: "extra", lte: 1 },
  ],
});

describe("the eight runs, scored four ways, and the mock judge", () => {
  test.each(RUNS)("%s: %s", (_run, path, exact, order, overlap, credit, _human, judged) => {
    expect(scored(exactMatch().score(run(path))).score).toBe(exact);
    expect(scored(orderAware().score(run(path))).score).toBe(order);
    expect(scored(setOverlap().score(run(path))).score).toBe(overlap);
    expect(scored(stepCredit().score(run(path))).score).toBeCloseTo(credit, 12);
    expect(scored(mockJudge.score(run(path))).metadata.outcome).toBe(judged.toLowerCase());
  });

  test("the labels of R3: two matches, a needless search, an answer, and convert is missing", () => {
    const { metadata } = scored(stepCredit().score(run("search open search answer")));
    const labels = (metadata.steps as { label: string; expected: unknown; actual: unknown }[]).map(
      ({ label, expected, actual }) => `${label} ${expected ?? actual}`,
    );
    expect(labels).toEqual(["MATCH search", "MATCH open", "MISSING convert", "EXTRA search", "MATCH answer"]);
  });

  test("kappa of mock judge and human: po 0.75, pe 0.5, kappa 0.5", () => {
    const rows = RUNS.map(([unit_id, , , , , , human, judge]) => ({ unit_id, judge, human }));
    expect(agreement(rows)).toEqual({
      n: 8,
      labels: ["PASS", "FAIL"],
      // Rows judge, columns human: 4 both pass, 2 waved through, 0 wrongly failed, 2 both fail.
      table: [
        [4, 2],
        [0, 2],
      ],
      po: 0.75,
      // 6/8 * 4/8 + 2/8 * 4/8 = 0.5.
      pe: 0.5,
      kappa: 0.5,
    });
  });
});

describe("the table tests of the article in Go", () => {
  const call = (name: string, args: Record<string, unknown> = {}): ExpectedCall & Step => ({
    kind: "TOOL",
    name,
    args,
  });
  const calls = (...list: ExpectedCall[]): { expected_calls: ExpectedCall[] } => ({
    expected_calls: list.map(({ name, args }) => ({ name, args: args as Record<string, unknown> })),
  });
  const order = call("lookup_order", { id: "A-1029" });
  const exp = calls(order, call("get_shipping_estimate", { zip: "94016" }));
  const act = [order, call("get_shipping_estimate", { zip: 94016 })];
  const money = call("transfer_funds", { amt: 50 });
  const weather = (city: string): ExpectedCall & Step => call("get_weather", { city });

  test("TestExactMatch: text and number are one zip where the field is numeric", () => {
    expect(scored(exactMatch({ numeric_args: ["zip"] }).score(occurrenceOf(act, exp))).score).toBe(1);
    expect(scored(exactMatch().score(occurrenceOf(act, exp))).score).toBe(0);
  });
  test("TestExactMatch: a spurious extra call fails", () => {
    expect(scored(exactMatch({ numeric_args: ["zip"] }).score(occurrenceOf([...act, order], exp))).score).toBe(0);
  });
  test("TestInOrderSubset: required steps present in order", () => {
    const occurrence = occurrenceOf(
      [call("authenticate"), call("check_balance"), money],
      calls(call("authenticate"), money),
    );
    expect(scored(inOrderSubset().score(occurrence)).score).toBe(1);
  });
  test("TestInOrderSubset: transfer before authenticate is half", () => {
    const occurrence = occurrenceOf([money, call("authenticate")], calls(call("authenticate"), money));
    expect(scored(inOrderSubset().score(occurrence)).score).toBe(0.5);
  });
  test("TestSetScores: order of independent calls plays no part", () => {
    const occurrence = occurrenceOf([weather("NYC"), weather("SF")], calls(weather("SF"), weather("NYC")));
    expect(scored(toolF1().score(occurrence)).score).toBe(1);
  });
  test("TestSetScores: one of two calls is precision 1, recall 1/2", () => {
    const occurrence = occurrenceOf([weather("SF")], calls(weather("SF"), weather("NYC")));
    expect(scored(toolF1().score(occurrence)).metadata).toMatchObject({ precision: 1, recall: 0.5 });
  });
  test("TestDiffFlagsDivergence: the diff marks the wrong tool, with its arguments where they are reported", () => {
    const occurrence = occurrenceOf([call("refund_order", { id: "A-1029" })], calls(order));
    const result = scored(exactMatch({ report_args: true }).score(occurrence));
    expect(result.score).toBe(0);
    expect(renderDiff(result)).toBe('!! 0: expected lookup_order(id="A-1029")  actual refund_order(id="A-1029")');
    expect(renderDiff(exactMatch().score(occurrence))).toBe("!! 0: expected lookup_order  actual refund_order");
  });
});

describe("the unit ladder", () => {
  const member = (index: number, has_output: boolean) => ({ unit_id: `call:trace-42/${index}`, has_output });
  test("three members, two with an output: 0.67, informational", () => {
    const members = [member(1, true), member(2, false), member(3, true)];
    const result = trajectoryShape({ unit: "trajectory", threshold: 0.1 }).score(
      occurrenceOf([], { status: "approved" }, { members }),
    );
    expect(result).toEqual({
      status: "scored",
      score: 2 / 3,
      label: "informational",
      metadata: {
        members: ["call:trace-42/1", "call:trace-42/2", "call:trace-42/3"],
        total_members: 3,
        members_with_output: 2,
      },
    });
  });
  test.each([
    ["a call has no members of its own", { unit: "call", members: [member(1, true)] }, "not_aggregate"],
    ["no members", { members: [] }, "no_members"],
    ["members not given", {}, "no_members"],
    ["no output at all is no evidence, not 0", { members: [member(1, false)] }, "output_all_null"],
    ["session", { unit: "session", members: [member(1, false)] }, "output_all_null"],
    ["step", { unit: "step", members: [] }, "no_members"],
  ] as const)("%s", (_title, rest, reason) => {
    expect(trajectoryShape().score(occurrenceOf([], undefined, rest))).toEqual({ status: "non_evaluable", reason });
  });
  test.each<readonly [string, unknown, string]>([
    ["no list", 7, "members: must be a list, got 7"],
    ["a member that is null", [member(1, true), null], "members[1]: must be a member, got null"],
    ["a member that is text", ["m"], 'members[0]: must be a member, got "m"'],
  ])("members that are %s are an error that says where", (_title, members, message) => {
    const occurrence = occurrenceOf([], undefined, { members: members as never });
    expect(trajectoryShape({ unit: "trajectory" }).score(occurrence)).toEqual({
      status: "error",
      error: { type: "invalid_occurrence", message },
    });
  });
  test("an id that is no text is not reported", () => {
    const members = [member(1, true), { unit_id: 7, has_output: false }] as never;
    const result = scored(trajectoryShape().score(occurrenceOf([], undefined, { members })));
    expect(result.metadata.members).toEqual(["call:trace-42/1", null]);
  });
  test.each(["call", "step", "trajectory", "session"] as const)("takes unit %s", (unit) => {
    expect(trajectoryShape({ unit }).units).toEqual([unit]);
  });
  test("the default unit is call", () => expect(trajectoryShape().units).toEqual(["call"]));
});

describe("agreement with more labels", () => {
  const row = (judge: string, human: string) => ({ unit_id: `${judge}${human}`, judge, human });
  test("three labels", () => {
    const rows = [row("a", "a"), row("a", "b"), row("b", "b"), row("c", "c"), row("c", "a"), row("b", "b")];
    // po = 4/6; judge a2 b2 c2, human a2 b3 c1: pe = (4 + 6 + 2) / 36 = 1/3; kappa = (2/3 - 1/3) / (2/3) = 1/2.
    expect(agreement(rows)).toMatchObject({ po: 4 / 6, pe: 12 / 36, kappa: 0.5 });
  });
  test("no rows: nothing is known", () => {
    expect(agreement([])).toEqual({ n: 0, labels: [], table: [], po: null, pe: null, kappa: null });
  });
  test("both always say the same: chance explains all, kappa is null", () => {
    expect(agreement([row("pass", "pass"), row("pass", "pass")])).toMatchObject({ po: 1, pe: 1, kappa: null });
  });
  test("total disagreement is below chance", () => {
    // po = 0; pe = (1*1 + 1*1) / 4 = 1/2; kappa = -1.
    expect(agreement([row("pass", "fail"), row("fail", "pass")])).toMatchObject({ po: 0, pe: 0.5, kappa: -1 });
  });
  test("the order of rows never matters", () => {
    const rows = [row("x", "fail"), row("fail", "pass"), row("pass", "pass"), row("a", "x")];
    expect(agreement([...rows].reverse())).toEqual(agreement(rows));
    expect(agreement(rows).labels).toEqual(["pass", "fail", "a", "x"]);
  });
  test.each([
    ["no list", "x", "rows", 'must be a list of rows, got "x"'],
    ["a row that is text", ["x"], "rows[0]", 'must be { unit_id, judge, human }, got "x"'],
    ["a row that is null", [null], "rows[0]", "must be { unit_id, judge, human }, got null"],
    ["a number", [{ unit_id: "1", judge: "pass", human: 1 }], "rows[0].human", "must be a label, got 1"],
    ["an empty label", [{ unit_id: "1", judge: "", human: "pass" }], "rows[0].judge", 'must be a label, got ""'],
  ])("%s is refused", (_title, rows, path, problem) => {
    const error = { code: "invalid_input", path, message: `${path}: ${problem}` };
    expect(() => agreement(rows as never)).toThrow(expect.objectContaining(error));
  });
});
