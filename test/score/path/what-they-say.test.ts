import { describe, expect, test } from "vitest";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import { setOverlap } from "../../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../../src/score/path/step-credit.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";
import { occurrenceOf, scored, stepsOf } from "../support.ts";

const builders = [exactMatch, inOrderSubset, toolF1, orderAware, setOverlap, stepCredit];
const entry = (
  op: string,
  expected: string | null,
  actual: string | null,
  at: number | null,
  place: number | null,
) => ({
  op,
  expected,
  actual,
  expected_index: at,
  actual_index: place,
});

describe("the steps that results show", () => {
  const steps = (build: typeof exactMatch, expected: readonly unknown[], ...observed: string[]) =>
    scored(build().score(occurrenceOf(stepsOf(...observed), { expected_steps: expected as never }))).metadata.steps;

  test("exact_match goes by places: each equal or not, then what is left of either", () => {
    const [a, b] = [entry("match", "a", "a", 0, 0), entry("substitute", "b", "x", 1, 1)];
    expect(steps(exactMatch, ["a", "b", "c"], "a", "x")).toEqual([a, b, entry("delete", "c", null, 2, null)]);
    expect(steps(exactMatch, ["a", "b"], "a", "x", "y")).toEqual([a, b, entry("insert", null, "y", null, 2)]);
  });

  test("order_aware matches in order; what is missing comes before what is extra", () => {
    expect(steps(orderAware, ["a", "b"], "x", "b")).toEqual([
      entry("delete", "a", null, 0, null),
      entry("insert", null, "x", null, 0),
      entry("match", "b", "b", 1, 1),
    ]);
  });
});

describe("what a path scorer says of itself", () => {
  test.each(builders.map((build) => [build.name, build] as const))("%s", (_name, build) => {
    const plain = build();
    expect(plain.name).toBe(`agent.${plain.metric_name}`);
    expect(plain.manifest.name).toBe(plain.name);
    expect(plain.config).toMatchObject({ metric_name: plain.metric_name, match: "exact", names: "normalized" });
    expect(Object.keys(plain.config)).not.toContain("compare_args");
    expect(build({ compare_args: () => true }).config).toMatchObject({ compare_args: "custom" });
    expect(Object.keys(plain)).not.toContain("fallback");
    const [expected_steps, expected_calls] = [["a"], [{ name: "b" }]];
    expect(build({ expected_steps }).fallback).toStrictEqual({ expected_steps, origin: "run" });
    expect(build({ expected_calls }).fallback).toStrictEqual({ expected_calls, origin: "run" });
    expect(build({ expected_steps, expected_calls }).fallback).toStrictEqual({
      expected_calls,
      expected_steps,
      origin: "run",
    });
    expect(plain.score({ ...occurrenceOf([], { expected_steps }), steps: 7 } as never)).toMatchObject({
      status: "error",
      error: { type: "invalid_occurrence", message: expect.stringMatching(/^steps: /) },
    });
  });

  test("set_overlap takes tool names too", () => {
    const scorer = setOverlap({ expected_tools: ["a", "b"] });
    expect(scorer.fallback).toStrictEqual({ expected_tools: ["a", "b"], origin: "run" });
    expect(setOverlap({ expected_steps: ["a"] }).fallback).toStrictEqual({ expected_steps: ["a"], origin: "run" });
    // Of a and b, and of a and c, one in three.
    expect(scored(scorer.score(occurrenceOf(stepsOf("a", "c"))))).toMatchObject({
      score: 1 / 3,
      metadata: { expected: ["a", "b"], actual: ["a", "c"], missing: ["b"], extra: ["c"] },
    });
  });
});
