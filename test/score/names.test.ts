import fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../../src/model/trajectory.ts";
import { LazyNames } from "../../src/score/lazy-names.ts";
import { NameCodes, type NameRule, sameName } from "../../src/score/names.ts";

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

test("the three ways to compare names agree", () => {
  let equal = 0;
  fc.assert(
    fc.property(name, step, rule, (expected, actual, how) => {
      const codes = new NameCodes(how);
      const want = codes.equal(codes.expected(expected), codes.actual(actual));
      expect(sameName(expected, actual, how)).toBe(want);
      const lazy = new LazyNames([expected], [actual], how);
      expect(lazy.equal(0, 0)).toBe(want);
      expect(lazy.equal(0, 0)).toBe(want);
      if (want) equal += 1;
    }),
    { seed: 42, numRuns: 5_000 },
  );
  expect(equal).toBeGreaterThan(200);
});

test("a step with alternatives equals what any of them equals, and no name is taken for a list", () => {
  const codes = new NameCodes("normalized");
  const both = codes.expectedAny(["a", "b"]);
  const text = codes.expected('["a","b"]');
  const of = (called: string) => codes.actual({ kind: "TOOL", name: called });
  expect(["A", "b", "c", '["a","b"]'].map((called) => codes.equal(both, of(called)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(codes.equal(text, of("a"))).toBe(false);
  expect(codes.expectedAny(["a", "b"])).toBe(both);
});
