import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Expectation, ExpectedCall, ExpectedStep } from "../../src/model/expectation.ts";
import type { ScoreResult } from "../../src/model/result.ts";
import type { Scorer } from "../../src/model/scorer.ts";
import type { Occurrence, Step } from "../../src/model/trajectory.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";

/** A built-in scorer under contract, and an expectation that says "do exactly these steps". */
export interface ContractSubject {
  readonly title: string;
  readonly scorer: Scorer;
  readonly expectationFor: (steps: readonly Step[]) => Expectation;
  /** What the unit has beside its steps, for a scorer that looks at something else. */
  readonly rest?: (steps: readonly Step[]) => Partial<Occurrence>;
  /** Runs of each property. @defaultValue 200 */
  readonly runs?: number;
  /** What a unit with no expectation and no steps gets: a score or a reason. @defaultValue "no_expectation" */
  readonly withoutExpectation?: number | string;
  /** Whether the order of both lists plays no part. @defaultValue false */
  readonly orderFree?: boolean;
  /** What it says, a score or a reason, when something was expected and nothing observed. */
  readonly nothingObserved: number | string;
  /** The same with nothing expected and nothing observed, then with nothing expected and one call. Absent: no such list. */
  readonly nothingExpected?: readonly [number | string, number | string];
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
    args: fc.oneof(fc.constant({ x: 1 }), fc.constant({ x: "1" }), fc.constant(null), fc.jsonValue({ maxDepth: 2 })),
    args_status: fc.constantFrom("ok" as const, "absent" as const, "truncated" as const),
  },
  { requiredKeys: ["kind", "name"] },
);
const nameArbitrary = fc.constantFrom(...NAMES.filter((name) => name !== ""));

const trajectoryArbitrary: fc.Arbitrary<ExpectedStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: nameArbitrary },
    fc.array(nameArbitrary, { maxLength: 4 }),
    fc.record({ optional: nameArbitrary }),
    fc.record({ any_of: fc.array(nameArbitrary, { maxLength: 3 }) }),
  ),
  { maxLength: 6 },
);
const callArbitrary: fc.Arbitrary<ExpectedCall> = fc.record(
  {
    name: nameArbitrary,
    args: fc.constantFrom({}, { x: 1 }, { x: "1" }, { x: 1, y: [2] }),
    match: fc.constantFrom("exact" as const, "subset" as const, "ignore" as const),
  },
  { requiredKeys: ["name"] },
);

/** Usable and unusable values alike. */
const expectationArbitrary: fc.Arbitrary<Expectation> = fc.record(
  {
    status: fc.constantFrom("proposed" as const, "approved" as const),
    expected_steps: fc.oneof(
      { weight: 5, arbitrary: trajectoryArbitrary },
      fc.record({ one_of: fc.array(trajectoryArbitrary, { maxLength: 3 }) }),
    ),
    expected_tools: fc.array(nameArbitrary, { maxLength: 5 }),
    expected_calls: fc.array(callArbitrary, { maxLength: 5 }),
    max_calls: fc.oneof(fc.nat({ max: 5 }), fc.dictionary(nameArbitrary, fc.nat({ max: 3 }), { maxKeys: 3 })),
    forbidden_tools: fc.array(nameArbitrary, { maxLength: 3 }),
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
    members: fc.array(fc.record({ unit_id: fc.string(), has_output: fc.boolean() }), { maxLength: 4 }),
  },
  { requiredKeys: ["unit", "unit_id", "steps", "expectation"] },
);

/** What every scorer of this package promises. */
export function scorerContract(subject: ContractSubject): void {
  const { title, scorer, expectationFor, rest = () => ({}) } = subject;
  const score = (occurrence: Occurrence): ScoreResult => scorer.score(occurrence) as ScoreResult;
  const runs = { seed: 42, numRuns: subject.runs ?? 200 };

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
        ...rest(tools("a", "b")),
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
          const result = score({
            unit: "trajectory",
            unit_id: "x",
            steps: steps.map(({ args, args_status, ...step }) => step),
            expectation: expectationFor(steps),
            ...rest(steps),
          });
          expect(result).toMatchObject({ status: "scored", score: 1 });
        }),
        runs,
      );
    });

    test("an expected unit that did nothing, and one that may do nothing, get what is documented", () => {
      const verdict = (
        steps: readonly Step[],
        expectation: Expectation,
        more: Partial<Occurrence>,
      ): number | string => {
        const result = score({ unit: "trajectory", unit_id: "x", steps, expectation, ...more });
        expectResult(result);
        return result.status === "scored" ? result.score : result.status === "error" ? "error" : result.reason;
      };
      expect(verdict([], expectationFor(tools("a")), rest([]))).toBe(subject.nothingObserved);
      if (subject.nothingExpected === undefined) return;
      const nothing = expectationFor([]);
      expect(verdict([], nothing, rest([]))).toBe(subject.nothingExpected[0]);
      expect(verdict(tools("a"), nothing, rest(tools("a")))).toBe(subject.nothingExpected[1]);
    });

    test("without an expectation no score is made up", () => {
      const result = score({ unit: "trajectory", unit_id: "x", steps: [] });
      const expected = subject.withoutExpectation ?? "no_expectation";
      if (typeof expected === "number") expect(result).toMatchObject({ status: "scored", score: expected });
      else expect(result).toMatchObject({ status: "non_evaluable", reason: expected });
    });

    if (subject.orderFree === true) {
      test("the order of listing never matters", () => {
        const names = fc.array(fc.constantFrom("a", "b", "c", "A_"), { maxLength: 6 });
        fc.assert(
          fc.property(names, names, fc.nat(), (expected, observed, turn) => {
            const shuffled = (list: readonly string[]): string[] =>
              [...list.slice(turn % 3), ...list.slice(0, turn % 3)].reverse();
            const of = (left: readonly string[], right: readonly string[]): ScoreResult =>
              score({
                unit: "trajectory",
                unit_id: "x",
                steps: tools(...right),
                expectation: expectationFor(tools(...left)),
              });
            const [one, other] = [of(expected, observed), of(shuffled(expected), shuffled(observed))];
            expect(other.status).toBe(one.status);
            if (one.status === "scored" && other.status === "scored") expect(other.score).toBe(one.score);
          }),
          runs,
        );
      });
    }

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
