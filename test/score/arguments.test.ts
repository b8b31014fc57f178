import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expectation, ExpectedCall } from "../../src/model/expectation.ts";
import type { Occurrence, Step } from "../../src/model/trajectory.ts";
import { canonicalText } from "../../src/score/arguments/canonical.ts";
import { decimalOf, decimalOfNumber } from "../../src/score/arguments/decimal.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../src/score/path/order-aware.ts";
import type { PathConfig } from "../../src/score/path/path-config.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { scaled } from "../align/support.ts";
import { occurrenceOf, scored } from "./support.ts";

describe("decimals", () => {
  test.each([
    ["0", "-0"],
    ["1", "1.0"],
    ["1", "10e-1"],
    ["120", "1.2e2"],
    ["0.001", "1e-3"],
    ["-5", "-5.00"],
    ["1e400", "10e399"],
    ["0", "0e99999999999999999999"],
  ])("%s is %s", (left, right) => {
    expect(decimalOf(left)).toBeDefined();
    expect(decimalOf(left)).toBe(decimalOf(right));
  });
  test.each([
    ["9007199254740993", "9007199254740992"],
    ["0.1", "0.10000000000000001"],
    ["1", "-1"],
    ["10", "1"],
    ["1e99999999999999999999", "1e99999999999999999998"],
  ])("%s is not %s", (left, right) => expect(decimalOf(left)).not.toBe(decimalOf(right)));
  test.each(["", " 1", "00742", "0x10", "1.", ".5", "+1", "1e", "NaN", "Infinity", "1_000", "١", "1".repeat(5_000)])(
    "%j is no number text",
    (text) => expect(decimalOf(text)).toBeUndefined(),
  );
  test.each<readonly [number | bigint, string]>([
    [0, "0"],
    [-0, "0"],
    [7, "7e0"],
    [10, "1e1"],
    [-1_200, "-12e2"],
    [2 ** 53, "9007199254740992e0"],
    [1e21, "1e21"],
    [0.25, "25e-2"],
    [30n, "3e1"],
    [Number.NaN, "NaN"],
  ])("the number %s is spelled %s", (number, text) => {
    expect(decimalOfNumber(number)).toBe(text);
    if (!Number.isNaN(number)) expect(decimalOf(Object.is(number, -0) ? "-0.0" : String(number))).toBe(text);
  });
  test("the longest number text has 4 096 digits", () => {
    expect(decimalOf("1".repeat(4_096))).toBe(`${"1".repeat(4_096)}e0`);
    expect(decimalOf("1".repeat(4_097))).toBeUndefined();
  });
  test("numbers and bigints agree with their text", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.bigInt(), (number, integer) => {
        expect(decimalOfNumber(number)).toBe(decimalOf(JSON.stringify(number)));
        expect(decimalOfNumber(integer)).toBe(decimalOf(integer.toString()));
      }),
      { seed: 42, numRuns: scaled(500) },
    );
  });
});

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);

describe("canonical text", () => {
  test("equal exactly for values that are deeply equal as JSON", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const plain = (json: unknown): unknown =>
      JSON.parse(JSON.stringify(json), (_key, member: unknown) => (Object.is(member, -0) ? 0 : member));
    fc.assert(
      fc.property(value, value, (left, right) => {
        let same = true;
        try {
          expect(plain(left)).toEqual(plain(right));
        } catch {
          same = false;
        }
        expect(canonicalText(left) === canonicalText(right)).toBe(same);
        expect(canonicalText(structuredClone(left))).toBe(canonicalText(left));
      }),
      { seed: 42, numRuns: scaled(500) },
    );
  });
  test.each<readonly [unknown, string]>([
    [true, "true"],
    [false, "false"],
    [null, "null"],
    [[], "[]"],
    [{}, "{}"],
    [[1, undefined, "a"], '[1e0,null,"a"]'],
    [{ b: [], a: "x", c: undefined }, '{"a":"x","b":[]}'],
  ])("%j", (value, text) => expect(canonicalText(value)).toBe(text));
  test("lists are read to 200 levels, and 100 000 values in all", () => {
    expect(canonicalText(nested(200))).toBe(`${"[".repeat(200)}1e0${"]".repeat(200)}`);
    expect(canonicalText(nested(201))).toBeUndefined();
    // The list itself is a value.
    const ones = (length: number): unknown => new Array(length).fill(1);
    expect(canonicalText(ones(99_999))).toHaveLength(99_999 * "1e0,".length + 1);
    expect(canonicalText(ones(100_000))).toBeUndefined();
  });
  test("what is too deep, a ring, too large or a function is not known", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 300; level += 1) deep = [deep];
    const ring: Record<string, unknown> = {};
    ring.self = ring;
    let wide: unknown = 1;
    for (let level = 0; level < 40; level += 1) wide = [wide, wide];
    expect([deep, ring, wide, () => 1, { f: Symbol("x") }].map(canonicalText)).toEqual(new Array(5).fill(undefined));
  });
  test("keys such as __proto__ are data", () => {
    expect(canonicalText(JSON.parse('{"__proto__":1}'))).not.toBe(canonicalText({}));
  });
});

const call = (args?: Record<string, unknown>, match?: ExpectedCall["match"]): ExpectedCall => ({
  name: "ship",
  ...(args && { args }),
  ...(match && { match }),
});
const exact = (config: PathConfig, expected: ExpectedCall, step: Partial<Step>): unknown => {
  const observed: Step = { kind: "TOOL", name: "ship", raw_name: "mcp__s__ship", ...step };
  const result = exactMatch(config).score(occurrenceOf([observed], { expected_calls: [expected] }));
  return result.status === "scored"
    ? result.score
    : result.status === "non_evaluable"
      ? result.reason
      : result.error.type;
};
const bomb = (): boolean => {
  throw new Error("boom");
};

const mcp: ExpectedCall = { name: "mcp__s__ship", args: { a: 1 } };

describe("the policy", () => {
  test.each<readonly [string, PathConfig, ExpectedCall, unknown, unknown]>([
    ["text is compared as written", {}, call({ a: "x " }), { a: "x" }, 0],
    ["unless it is trimmed", { trim_args: ["a"] }, call({ a: "x " }), { a: " x" }, 1],
    ["only in the fields that are named", { trim_args: ["b"] }, call({ a: "x " }), { a: "x" }, 0],
    ["only at the top", { trim_args: ["a"] }, call({ a: { a: "x " } }), { a: { a: "x" } }, 0],
    ["an extra argument is a difference", {}, call({ a: 1 }), { a: 1, id: 7 }, 0],
    ["unless it is ignored", { ignore_args: ["id"] }, call({ a: 1 }), { a: 1, id: 7 }, 1],
    ["ignored where it is expected, too", { ignore_args: ["id"] }, call({ a: 1, id: 6 }), { a: 1, id: 7 }, 1],
    ["a rule for one tool", { tools: { Ship: { ignore_args: ["id"] } } }, call({ a: 1 }), { a: 1, id: 7 }, 1],
    ["a rule for another tool", { tools: { skip: { ignore_args: ["id"] } } }, call({ a: 1 }), { a: 1, id: 7 }, 0],
    ["a rule for one tool of a server", { tools: { mcp__S__ship: { match: "ignore" } } }, mcp, { a: 2 }, 1],
    ["a rule for a tool is none for that of a server", { tools: { ship: { match: "ignore" } } }, mcp, { a: 2 }, 0],
    [
      "it replaces the one for all",
      { ignore_args: ["id"], tools: { ship: { ignore_args: [] } } },
      call({ a: 1 }),
      { a: 1, id: 7 },
      0,
    ],
    ["subset for all calls with arguments", { match: "subset" }, call({ a: 1 }), { a: 1, id: 7 }, 1],
    ["subset for one tool", { tools: { ship: { match: "subset" } } }, call({ a: 1 }), { a: 1, id: 7 }, 1],
    ["what a call says itself goes first", { match: "subset" }, call({ a: 1 }, "exact"), { a: 1, id: 7 }, 0],
    ["a call without arguments ignores them", { match: "exact" }, call(), { id: 7 }, 1],
    ["unless it says otherwise", {}, call(undefined, "exact"), { id: 7 }, 0],
    ["arguments written and ignored", {}, call({ a: 1 }, "ignore"), { a: 2 }, 1],
    ["numbers in text, trimmed", { numeric_args: ["a"] }, call({ a: " 1.50 " }), { a: 1.5 }, 1],
    ["a numeric field that is no number stays text", { numeric_args: ["a"] }, call({ a: "x" }), { a: "x" }, 1],
    ["bigints", {}, call({ a: 5 }), { a: 5n }, 1],
    ["null is a value", {}, call({ a: null }), {}, 0],
    ["a member that is undefined is none", {}, call({ a: 1 }), { a: 1, b: undefined }, 1],
    ["no arguments at all are an empty object", {}, call({}), null, 1],
    ["a list is no object", {}, call({}), [], 0],
    ["a number is no object", {}, call({}), 5, 0],
    ["what cannot be read is not known", {}, call({ a: 1 }), { a: bomb }, "arguments_not_recorded"],
    ["a custom comparator in place of the rules", { compare_args: () => true }, call({ a: 1 }), { a: 2 }, 1],
    ["also where the rules ask for nothing", { compare_args: () => false }, call({}, "subset"), { a: 1 }, 0],
    ["which must say true", { compare_args: () => "yes" as never }, call({ a: 1 }), { a: 1 }, 0],
    ["and is not asked where arguments are ignored", { compare_args: bomb }, call(), { a: 2 }, 1],
    ["one that throws", { compare_args: bomb }, call({ a: 1 }), { a: 1 }, "scorer_failed"],
  ])("%s", (_title, config, expected, args, want) => expect(exact(config, expected, { args })).toBe(want));

  test.each<readonly [string, ExpectedCall, Partial<Step>, unknown]>([
    ["not recorded", call({ a: 1 }), {}, "arguments_not_recorded"],
    ["absent", call({ a: 1 }), { args: { a: 1 }, args_status: "absent" }, "arguments_not_recorded"],
    ["truncated", call({ a: 1 }), { args: '{"a":', args_status: "truncated" }, "arguments_not_recorded"],
    ["not parsed", call({ a: 1 }), { args: "?", args_status: "unparsed" }, "arguments_not_recorded"],
    ["recorded as none", call({}), { args_status: "ok" }, 1],
    ["not recorded, and of no interest", call(), {}, 1],
    ["not recorded, and nothing is asked of them", call({}, "subset"), {}, 1],
  ])("arguments %s", (_title, expected, step, want) => expect(exact({}, expected, step)).toBe(want));

  test("no metric makes a mismatch of what was not recorded", () => {
    const expectation = { expected_calls: [call({ a: 1 }), { name: "b" }] };
    const steps: Step[] = [
      { kind: "TOOL", name: "ship" },
      { kind: "TOOL", name: "b" },
    ];
    for (const scorer of [exactMatch(), inOrderSubset(), toolF1(), orderAware(), stepCredit()]) {
      expect(scorer.score(occurrenceOf(steps, expectation)), scorer.metric_name).toEqual({
        status: "non_evaluable",
        reason: "arguments_not_recorded",
      });
    }
    // Names are all that a set needs.
    expect(scored(setOverlap().score(occurrenceOf(steps, expectation))).score).toBe(1);
  });

  test("arguments are reported only when asked for", () => {
    const occurrence = occurrenceOf([{ kind: "TOOL", name: "ship", args: { a: "secret" } }], {
      expected_calls: [call({ a: "secret" })],
    });
    for (const build of [exactMatch, inOrderSubset, toolF1, orderAware, stepCredit, setOverlap]) {
      expect(JSON.stringify(build().score(occurrence)), build.name).not.toContain("secret");
    }
    expect(JSON.stringify(stepCredit({ report_args: true }).score(occurrence))).toContain("secret");
  });
});

describe("guards, in their order", () => {
  const steps: Step[] = [{ kind: "TOOL", name: "ship" }];
  const expectation = { expected_calls: [call({ a: 1 })] };
  const reason = (rest: object, given: object = expectation): unknown =>
    (stepCredit().score(occurrenceOf(steps, given, rest)) as { reason?: unknown }).reason;
  test.each([
    ["kinds before lists that were not recorded", { kinds: ["AGENT"], unread: ["tools"] }, "kinds_missing"],
    ["lists before arguments", { kinds: ["TOOL"], unread: ["tools"] }, "steps_not_recorded"],
    ["the other list does not matter", { unread: ["steps"] }, "arguments_not_recorded"],
  ])("%s", (_title, rest, want) => expect(reason(rest)).toBe(want));
  test("a bad expectation before all of them", () => {
    expect(reason({ kinds: [], unread: ["tools", "steps"] }, { expected_calls: "[" })).toBe("invalid_expectation");
  });
  test.each<readonly [string, Expectation, Partial<Occurrence>, unknown]>([
    ["an agent is kind enough for steps", { expected_steps: ["ship"] }, { kinds: ["AGENT"] }, undefined],
    ["but not for calls", { expected_calls: [call()] }, { kinds: ["AGENT"] }, "kinds_missing"],
    ["an LLM is, for both", { expected_calls: [call()] }, { kinds: ["LLM"] }, undefined],
    ["steps that were not recorded", { expected_steps: ["ship"] }, { unread: ["steps"] }, "steps_not_recorded"],
    ["kinds before groups", { expected_steps: [["ship"]] }, { kinds: [] }, "kinds_missing"],
    ["groups", { expected_steps: [["ship"]] }, {}, "groups_not_scored"],
    [
      "groups of a trajectory that is not the first",
      { expected_steps: { one_of: [["ship"], [["ship", "x"]]] } },
      {},
      "groups_not_scored",
    ],
  ])("%s", (_title, given, rest, want) => expect(reason(rest, given)).toBe(want));

  const agent: Step = { kind: "AGENT", name: "ship" };
  test.each<readonly [string, Partial<Occurrence>, number]>([
    ["the list of calls", { tools: steps }, 1],
    ["agents in it left out", { tools: [agent, ...steps, agent] }, 1],
    ["the list of calls where it is empty", { tools: [] }, 0],
    ["else the steps, agents left out", { steps: [...steps, agent] }, 1],
    ["agents alone", { steps: [agent] }, 0],
  ])("expected calls are compared with %s", (_title, rest, score) => {
    expect(scored(stepCredit().score(occurrenceOf(steps, { expected_calls: [call()] }, rest))).score).toBe(score);
  });

  test.each<readonly [string, Expectation | undefined, object, string]>([
    ["calls", expectation, { tools: [7] }, "tools[0]: must be a step, got 7"],
    ["calls that are none", expectation, { tools: 7 }, "tools: must be a list of steps, got 7"],
    ["steps in their place", expectation, { steps: [null] }, "steps[0]: must be a step, got null"],
    [
      "steps",
      { expected_steps: ["a"] },
      { steps: [{ kind: "LLM" }] },
      'steps[0].kind: must be TOOL or AGENT, got "LLM"',
    ],
    [
      "a name",
      { expected_steps: ["a"] },
      { steps: [agent, { kind: "TOOL" }] },
      "steps[1].name: must be text, got undefined",
    ],
    [
      "a raw name",
      { expected_steps: ["a"] },
      { steps: [{ ...agent, raw_name: 7 }] },
      "steps[0].raw_name: must be text, got 7",
    ],
    ["steps, even where nothing is expected", undefined, { steps: 7 }, "steps: must be a list of steps, got 7"],
  ])("a unit whose list is wrong is an error that says where: %s", (_title, given, rest, message) => {
    expect(stepCredit().score(occurrenceOf(steps, given, rest))).toEqual({
      status: "error",
      error: { type: "invalid_occurrence", message },
    });
  });

  test("the first column that can be used counts, and a bad one is reported only where none can", () => {
    expect(reason({}, { expected_calls: 7, expected_steps: ["ship"] })).toBeUndefined();
    expect(reason({}, { expected_calls: 7 })).toBe("invalid_expectation");
  });
  test("too many calls to compare are over the limit, names alone are not", () => {
    const many: Step[] = Array.from({ length: 2_000 }, (_step, index) => ({
      kind: "TOOL",
      name: "a",
      args: { index },
    }));
    const expected_calls = many.map((_step, index) => ({ name: "a", args: { index: -index } }));
    expect(toolF1().score(occurrenceOf(many, { expected_calls }))).toEqual({
      status: "non_evaluable",
      reason: "over_limit",
    });
    expect(scored(toolF1({ match: "ignore" }).score(occurrenceOf(many, { expected_calls }))).score).toBe(1);
  });
});
