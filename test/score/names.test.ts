import fc from "fast-check";
import { expect, test } from "vitest";
import { finish } from "../../src/align/sliced.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { codeInSlices, codeNames } from "../../src/score/code-names.ts";
import { LazyNames } from "../../src/score/lazy-names.ts";
import { type NameRule, sameName } from "../../src/score/names.ts";
import { scaled } from "../align/support.ts";

const names = [
  "a",
  "A",
  "a_",
  "-a",
  "ab",
  "a-B",
  "mcp__s__a",
  "MCP__S__A",
  "mcp__t__a",
  "_",
  "",
  "İ",
  "i̇",
  "\u212a",
  "k",
  "Σ",
  "ς",
];
const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, fc.string({ maxLength: 6 }));
const step: fc.Arbitrary<Step> = fc.record(
  { kind: fc.constantFrom("TOOL" as const, "AGENT" as const), name, raw_name: name },
  { requiredKeys: ["kind", "name"] },
);
const rule: fc.Arbitrary<NameRule> = fc.constantFrom("normalized", "exact");

// What lies beside the capitals is 32 from what lies beside the small letters.
const rows: readonly (readonly [expected: string, name: string, raw: string | undefined, equal: boolean])[] = [
  ["AZ", "az", undefined, true],
  ["Az_", "-aZ", undefined, true],
  ["@", "`", undefined, false],
  ["[", "{", undefined, false],
  ["ab", "abc", undefined, false],
  ["abc", "ab", undefined, false],
  ["aé", "aÉ", undefined, true],
  ["a\u007f", "A\u007f", undefined, true],
  ["mcp__a__b", "b", "mcp__a__b", true],
  ["mcp__a__b", "mcp__a__b", "mcp__c__b", false],
  ["mcp__a__b", "mcp__a__b", undefined, true],
  ["b", "b", "mcp__a__b", true],
];
test.each(rows)("%j against the tool %j, raw name %j: %j", (expected, name, raw, equal) => {
  const step = { kind: "TOOL" as const, name, ...(raw === undefined ? {} : { raw_name: raw }) };
  expect(sameName(expected, step, "normalized")).toBe(equal);
});
test("an agent goes by its name alone", () => {
  const agent = { kind: "AGENT" as const, name: "mcp__a", raw_name: "mcp__b" };
  expect(["mcp__a", "mcp__b", "MCP__a"].map((expected) => sameName(expected, agent, "normalized"))).toEqual([
    true,
    false,
    false,
  ]);
});

test("the three ways to compare names agree", () => {
  let equal = 0;
  fc.assert(
    fc.property(name, step, rule, (expected, actual, how) => {
      const want = sameName(expected, actual, how);
      const coded = codeNames([[expected]], [actual], how);
      expect(coded.equal(coded.expected[0] as number, coded.actual[0] as number)).toBe(want);
      // From the fourth time on the lists are coded.
      const lazy = new LazyNames([expected], [actual], how);
      for (let time = 0; time < 5; time += 1) expect(lazy.equal(0, 0)).toBe(want);
      if (want) equal += 1;
    }),
    { seed: 42, numRuns: scaled(5_000) },
  );
  expect(equal).toBeGreaterThan(scaled(200));
});

test("long lists: classes say of every pair what the names say, however they are spelled", () => {
  const several = fc.array(name, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(several, { maxLength: 8 }), fc.array(step, { maxLength: 8 }), rule, (expected, steps, how) => {
      const coded = codeNames(expected, steps, how);
      expected.forEach((names, left) => {
        steps.forEach((one, right) => {
          const want = names.some((any) => sameName(any, one, how));
          const [mine, its] = [coded.expected[left] as number, coded.actual[right] as number];
          expect(coded.equal(mine, its)).toBe(want);
          expect(coded.equal.partners?.(its).filter((partner) => partner === mine)).toEqual(want ? [mine] : []);
        });
      });
    }),
    { seed: 42, numRuns: scaled(1_000) },
  );
});

test("names that no step tells apart have one class, and an agent's name has its own", () => {
  const tools = ["ab", "A_B", "a-b"].map((called) => ({ kind: "TOOL" as const, name: called }));
  const agent = { kind: "AGENT" as const, name: "A_B" };
  const expected = [["ab"], ["A_B"], ["a-b"], ["x"], ["y"]];
  const { expected: plain, actual: steps } = codeNames(
    expected,
    [...tools, { kind: "AGENT", name: "z" }],
    "normalized",
  );
  expect([...plain]).toEqual([plain[0], plain[0], plain[0], plain[3], plain[3]]);
  expect(new Set(plain).size).toBe(2);
  expect([...steps.slice(0, 3)]).toEqual([steps[0], steps[0], steps[0]]);
  const { expected: told } = codeNames(expected, [...tools, agent], "normalized");
  expect([told[1] === told[0], told[2] === told[0], new Set(told).size]).toEqual([false, true, 3]);
});

test("lists of alternatives are told apart, however many names there are", () => {
  const tools = Array.from({ length: 24 }, (_, at) => ({ kind: "TOOL" as const, name: `t${at}` }));
  const singles = tools.map(({ name: called }) => [called]);
  const { expected, actual, equal } = codeNames([...singles, ["t1", "t2", "t3"], ["t1", "t23"]], tools, "normalized");
  const of = (item: number): number[] =>
    [...actual.keys()].filter((step) => equal(expected[item] as number, actual[step] as number));
  expect([of(24), of(25)]).toEqual([
    [1, 2, 3],
    [1, 23],
  ]);
});

test("the partners of a step are the classes that equal it, each once", () => {
  const steps = [
    { kind: "TOOL" as const, name: "ab" },
    { kind: "AGENT" as const, name: "A_B" },
    { kind: "TOOL" as const, name: "x" },
    { kind: "TOOL" as const, name: "y", raw_name: "mcp__s__y" },
  ];
  const { expected, actual, equal } = codeNames([["ab", "A_B"], ["mcp__s__y"], ["y"]], steps, "normalized");
  const [several, server, plain] = expected;
  const partners = [...actual].map((step) => [...(equal.partners?.(step) ?? [])].sort());
  // `A_B` is a tool and an agent; `x` is expected nowhere; `y` is there under both of its names.
  expect(
    partners.map((classes) => classes.filter((one) => one === several || one === server || one === plain)),
  ).toEqual([[several], [several], [], [server, plain]]);
  expect(partners[2]).toEqual([]);
  expect(partners.flat().every((one) => typeof one === "number")).toBe(true);
});

test.each([
  [1, 0],
  [128, 0],
  [129, 1],
  [256, 1],
  [257, 2],
])("%i names are coded with %i pauses for each side", (length, pauses) => {
  const list = Array.from({ length }, (_, at) => `t${at}`);
  const coding = codeInSlices(
    list.map((one) => [one]),
    list.map((called) => ({ kind: "TOOL", name: called })),
    "normalized",
  );
  let paused = 0;
  while (coding.next().done !== true) paused += 1;
  expect(paused).toBe(2 * pauses);
});

test.each([
  ["short lists are coded in passing", 512, 512, false],
  ["long ones when whoever works in slices asks for it", 513, 512, true],
])("once more comparisons have failed than there are names, %s", (_title, expected, observed, asked) => {
  const lazy = new LazyNames(
    Array.from({ length: expected }, () => "a"),
    Array.from({ length: observed }, () => ({ kind: "TOOL", name: "b" })),
    "normalized",
  );
  for (let failed = 0; failed < expected + observed; failed += 1) expect(lazy.equal(0, 0)).toBe(false);
  expect(lazy.wantsCodes).toBe(false);
  lazy.equal(0, 0);
  expect(lazy.wantsCodes).toBe(asked);
  finish(lazy.code());
  expect(lazy.wantsCodes).toBe(false);
  expect(lazy.equal(0, 0)).toBe(false);
});

test("a step with alternatives equals what any of them equals, and no name is taken for a list", () => {
  const called = ["A", "b", "c", '["a","b"]'].map((text) => ({ kind: "TOOL" as const, name: text }));
  const { expected, actual, equal } = codeNames([["a", "b"], ['["a","b"]'], ["b", "A"]], called, "normalized");
  const row = (item: number) => [...actual].map((one) => equal(expected[item] as number, one));
  expect([row(0), row(1), row(2)]).toEqual([
    [true, true, false, false],
    [false, false, false, true],
    [true, true, false, false],
  ]);
  expect(expected[2]).toBe(expected[0]);
});
