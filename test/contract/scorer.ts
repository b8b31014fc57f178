import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expectation } from "../../src/model/expectation.ts";
import type { ScoreResult } from "../../src/model/result.ts";
import type { Scorer } from "../../src/model/scorer.ts";
import type { Occurrence, Step } from "../../src/model/trajectory.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";

/** A built-in scorer under contract, and an expectation that says "do exactly these steps". */
export interface ContractSubject {
  readonly title: string;
  readonly scorer: Scorer;
  readonly expectationFor: (steps: readonly Step[]) => Expectation;
}

const NAMES = [
  "a",
  "A_",
  "b",
  "mcp__s__a",
  "",
  "__proto__",
  "r\u00e9sum\u00e9",
  "\u{1f600}",
  "line\nbreak",
  "constructor",
];

const stepArbitrary: fc.Arbitrary<Step> = fc.record(
  {
    kind: fc.constantFrom("TOOL" as const, "AGENT" as const),
    name: fc.constantFrom(...NAMES),
    raw_name: fc.constantFrom(...NAMES),
  },
  { requiredKeys: ["kind", "name"] },
);
const nameArbitrary = fc.constantFrom(...NAMES.filter((name) => name !== ""));

/** Usable and unusable values alike. */
const expectationArbitrary: fc.Arbitrary<Expectation> = fc.record(
  {
    status: fc.constantFrom("proposed" as const, "approved" as const),
    expected_steps: fc.array(fc.oneof(nameArbitrary, fc.array(nameArbitrary, { maxLength: 4 })), { maxLength: 6 }),
    expected_tools: fc.array(nameArbitrary, { maxLength: 5 }),
  },
  { requiredKeys: [] },
);
const occurrenceArbitrary: fc.Arbitrary<Occurrence> = fc.record(
  {
    unit: fc.constantFrom("trajectory" as const, "session" as const),
    unit_id: fc.constant("trajectory:t1"),
    steps: fc.array(stepArbitrary, { maxLength: 10 }),
    tools: fc.array(stepArbitrary, { maxLength: 10 }),
    expectation: expectationArbitrary,
    kinds: fc.subarray(["TOOL", "AGENT", "LLM"] as const),
    unread: fc.subarray(["steps", "tools"] as const),
  },
  { requiredKeys: ["unit", "unit_id", "steps", "expectation"] },
);

/** What every scorer of this package promises. */
export function scorerContract({ title, scorer, expectationFor }: ContractSubject): void {
  const score = (occurrence: Occurrence): ScoreResult => scorer.score(occurrence) as ScoreResult;
  const runs = { seed: 42, numRuns: 500 };

  describe(`scorer contract: ${title}`, () => {
    test("scores lie between 0 and 1, and nothing in a result is NaN or infinite", () => {
      let scored = 0;
      fc.assert(
        fc.property(occurrenceArbitrary, (occurrence) => {
          const result = score(occurrence);
          expectResult(result);
          if (result.status === "scored") scored += 1;
        }),
        runs,
      );
      expect(scored).toBeGreaterThan(20);
    });

    test("the same occurrence gives the same result, and so does its deeply frozen copy, which stays as it was", () => {
      fc.assert(
        fc.property(occurrenceArbitrary, (occurrence) => {
          const before = JSON.stringify(occurrence);
          const first = score(occurrence);
          expect(JSON.stringify(occurrence)).toBe(before);
          expect(score(deepFreeze(structuredClone(occurrence)))).toEqual(first);
          expect(score(occurrence)).toEqual(first);
        }),
        runs,
      );
    });

    test("a result shares no list with the occurrence", () => {
      const occurrence = {
        unit: "trajectory",
        unit_id: "x",
        steps: tools("a", "b"),
        expectation: expectationFor(tools("a", "b")),
      } as const;
      const result = score(occurrence);
      const text = JSON.stringify(occurrence);
      if (result.status !== "scored") throw new Error("not scored");
      for (const value of Object.values(result.metadata)) if (Array.isArray(value)) value.length = 0;
      expect(JSON.stringify(occurrence)).toBe(text);
      expect(score(occurrence)).toMatchObject({ status: "scored", score: 1 });
    });

    test("doing exactly what was expected scores 1", () => {
      const usable = stepArbitrary.filter(
        (step) => step.kind === "TOOL" && step.name !== "" && !step.name.startsWith("mcp__"),
      );
      fc.assert(
        fc.property(fc.array(usable, { minLength: 1, maxLength: 20 }), (steps) => {
          const result = score({ unit: "trajectory", unit_id: "x", steps, expectation: expectationFor(steps) });
          expect(result).toMatchObject({ status: "scored", score: 1 });
        }),
        runs,
      );
    });

    test("nothing observed and nothing expected: no score is made up", () => {
      expectResult(score({ unit: "trajectory", unit_id: "x", steps: [], expectation: expectationFor(tools("a")) }));
      expect(score({ unit: "trajectory", unit_id: "x", steps: [] })).toEqual({
        status: "non_evaluable",
        reason: "no_expectation",
      });
    });

    test.each(hostile(expectationFor(tools("a"))))(
      "never throws, never returns a promise: %s",
      (_title, occurrence) => {
        expectResult(score(occurrence as Occurrence));
      },
    );

    test("never throws on random values", () => {
      fc.assert(
        fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withObjectString: true }), (value) => {
          expectResult(score(value as Occurrence));
          expectResult(score({ unit: "trajectory", unit_id: "x", steps: value } as unknown as Occurrence));
          expectResult(
            score({ unit: "trajectory", unit_id: "x", steps: tools("a"), expectation: value } as unknown as Occurrence),
          );
        }),
        runs,
      );
    });

    test("it is a built-in with a manifest of its own name and version", () => {
      expect(isBuiltIn(scorer)).toBe(true);
      expect(scorer.manifest).toMatchObject({ name: scorer.name, version: scorer.version, manifest_version: "1" });
      expect(scorer.manifest).toBe(scorer.manifest);
      expect(scorer.metric_name).toMatch(/^[a-z][a-z0-9_]*$/);
    });
  });
}

function tools(...names: readonly string[]): Step[] {
  return names.map((name) => ({ kind: "TOOL", name }));
}

function expectResult(result: ScoreResult): void {
  expect(result).not.toHaveProperty("then");
  expect(["scored", "non_evaluable", "error"]).toContain(result.status);
  if (result.status === "scored") {
    expect(result.score).toBeGreaterThanOrEqual(0);
    expect(result.score).toBeLessThanOrEqual(1);
    expect(["pass", "fail", "informational"]).toContain(result.label);
  }
  if (result.status === "error")
    expect(result.error).toEqual({ type: expect.any(String), message: expect.any(String) });
  const pending: unknown[] = [result];
  for (let value = pending.pop(); pending.length > 0 || value !== undefined; value = pending.pop()) {
    if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
    if (typeof value === "object" && value !== null)
      pending.push(...Object.values(value).filter((item) => item !== undefined));
  }
}

function hostile(expectation: Expectation): readonly (readonly [string, unknown])[] {
  const base = { unit: "trajectory", unit_id: "x", steps: tools("a"), expectation };
  const ring: unknown[] = [];
  ring.push(ring);
  const bomb = (): never => {
    throw new Error("boom");
  };
  const throwing = Object.defineProperty({ ...base }, "steps", { get: bomb });
  const unprintable = {
    get message(): never {
      return bomb();
    },
  };
  return [
    ["undefined", undefined],
    ["null", null],
    ["text", "trajectory"],
    ["an array", []],
    ["an empty object", {}],
    ["steps that are text", { ...base, steps: "abc" }],
    ["steps with holes", { ...base, steps: new Array(3) }],
    ["steps that are null", { ...base, steps: [null] }],
    ["a step without a kind", { ...base, steps: [{ name: "a" }] }],
    ["a step whose name is a number", { ...base, steps: [{ kind: "TOOL", name: 7 }] }],
    ["a step whose raw name is an object", { ...base, steps: [{ kind: "TOOL", name: "a", raw_name: {} }] }],
    ["tools that are a number", { ...base, tools: 7 }],
    ["a ring of steps", { ...base, steps: ring }],
    ["a getter that throws", throwing],
    [
      "a getter that throws something unprintable",
      Object.defineProperty({ ...base }, "steps", { get: () => Promise.reject.call(null, unprintable) }),
    ],
    ["a proxy that throws", new Proxy({}, { get: bomb })],
    ["an expectation that is text", { ...base, expectation: "a" }],
    ["an expectation of null", { ...base, expectation: null }],
    ["an expectation that holds rings", { ...base, expectation: { expected_steps: ring, expected_tools: ring } }],
    ["an expectation that holds numbers", { ...base, expectation: { expected_steps: [1], expected_tools: [1] } }],
    ["an expectation with no name at all", { ...base, expectation: { expected_steps: [[]], expected_tools: [] } }],
    ["an expectation of odd names", { ...base, expectation: { expected_steps: ["-_"], expected_tools: ["-_"] } }],
    ["an expectation of broken text", { ...base, expectation: { expected_steps: "[", expected_tools: "[" } }],
    [
      "an expectation with a polluting key",
      { ...base, expectation: JSON.parse('{"__proto__":{"expected_steps":["x"]}}') },
    ],
    [
      "an expectation with an odd status and origin",
      { ...base, expectation: { ...expectation, status: 1, origin: 1 } },
    ],
    ["a unit id that is a symbol", { ...base, expectation: undefined, unit_id: Symbol("x") }],
    ["kinds and unread that are text", { ...base, kinds: "TOOL", unread: "steps" }],
  ];
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}
