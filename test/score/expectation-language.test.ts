import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvedColumn } from "../../src/expectation/found.ts";
import { parseColumn, parseExpectations } from "../../src/expectation/parse.ts";
import type { ExpectedStep } from "../../src/model/expectation.ts";
import type { AlignedStep } from "../../src/model/result.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../src/score/path/order-aware.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { scaled } from "../align/support.ts";
import { occurrenceOf, scored, stepsOf } from "./support.ts";

type Plain = (string | readonly string[])[];

const NAMES = ["a", "b", "c", "D"];
const name = fc.constantFrom(...NAMES);
const observed = fc.array(fc.constantFrom("a", "b", "c", "d", "x", "@a"), { maxLength: 5 });
const element = (groups: boolean): fc.Arbitrary<ExpectedStep> =>
  fc.oneof(
    { weight: 2, arbitrary: name },
    { weight: 2, arbitrary: fc.record({ optional: name }) },
    fc.record({ any_of: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }) }),
    ...(groups ? [fc.array(name, { maxLength: 3 })] : []),
  );
const trajectory = (groups: boolean) => fc.array(element(groups), { minLength: 1, maxLength: 5 });

/** Every plain list that an expectation stands for: optional steps kept or dropped, one of each step's alternatives. */
function variants(expected: readonly ExpectedStep[]): Plain[] {
  return expected.reduce<Plain[]>(
    (lists, step) => {
      if (typeof step === "string") return lists.map((list) => [...list, step]);
      if ("optional" in step) return lists.flatMap((list) => [list, [...list, step.optional]]);
      if ("any_of" in step) return lists.flatMap((list) => step.any_of.map((one) => [...list, one]));
      return lists.map((list) => [...list, step]);
    },
    [[]],
  );
}

const isEmpty = (plain: Plain): boolean => plain.flat().length === 0;
const runs = { seed: 42, numRuns: scaled(400) };

/** Built once: to check a configuration takes longer than to score these short lists. */
const SCORERS = {
  exactMatch: exactMatch(),
  inOrderSubset: inOrderSubset(),
  orderAware: orderAware(),
  setOverlap: setOverlap(),
  stepAccuracy: stepAccuracy(),
  stepCredit: stepCredit(),
  toolF1: toolF1(),
};

describe("optional steps and alternatives against a naive enumeration", () => {
  test("step_accuracy: least distance of all lists, then most matches", () => {
    let optional = 0;
    fc.assert(
      fc.property(trajectory(true), observed, (expected, names) => {
        const steps = stepsOf(...names);
        const parsed = parseColumn("expected_steps", expected);
        if (!parsed.ok) return;
        const { score, metadata } = scored(
          SCORERS.stepAccuracy.score(occurrenceOf(steps, { expected_steps: expected })),
        );
        const plain = variants(expected).map((list) => {
          if (isEmpty(list)) return { distance: names.length, matches: 0 };
          const result = scored(SCORERS.stepAccuracy.score(occurrenceOf(steps, { expected_steps: list })));
          return {
            distance: result.metadata.edit_distance as number,
            matches: result.metadata.correct_steps as number,
          };
        });
        const distance = Math.min(...plain.map((one) => one.distance));
        const matches = Math.max(...plain.filter((one) => one.distance === distance).map((one) => one.matches));
        expect(metadata).toMatchObject({ edit_distance: distance, correct_steps: matches });
        const longest = Math.max(metadata.total_steps as number, names.length);
        expect(score).toBe(longest === 0 ? 1 : 1 - distance / longest);
        // The alignment is one of the plain list that keeps just the optional steps which were taken.
        const entries = metadata.steps as AlignedStep[];
        const kept = new Set(entries.map((entry) => entry.expected_index));
        const absent = (metadata.absent_optional_steps ?? []) as string[];
        const list = expected.filter(
          (step, index) => typeof step === "string" || !("optional" in step) || kept.has(index),
        );
        const all = expected.filter((step) => typeof step !== "string" && "optional" in step);
        expect(list.length + absent.length).toBe(expected.length);
        if (all.length > 0) optional += 1;
        expect(entries.filter((entry) => entry.op === "match")).toHaveLength(matches);
        expect(entries.filter((entry) => entry.op !== "match")).toHaveLength(distance);
      }),
      runs,
    );
    expect(optional).toBeGreaterThan(scaled(100));
  });

  test("exact_match: some list is matched exactly", () => {
    fc.assert(
      fc.property(trajectory(false), observed, (expected_steps, names) => {
        const steps = stepsOf(...names);
        const exact = (list: readonly ExpectedStep[]): number =>
          isEmpty(list as Plain)
            ? Number(names.length === 0)
            : scored(SCORERS.exactMatch.score(occurrenceOf(steps, { expected_steps: list }))).score;
        expect(exact(expected_steps)).toBe(Math.max(...variants(expected_steps).map(exact)));
      }),
      runs,
    );
  });

  test("step_credit: fewest missing and extra steps of all lists, then most matches", () => {
    fc.assert(
      fc.property(trajectory(false), observed, (expected_steps, names) => {
        const steps = stepsOf(...names);
        const credit = (list: readonly ExpectedStep[]): [number, number] => {
          if (isEmpty(list as Plain)) return [names.length, 0];
          const { metadata } = scored(SCORERS.stepCredit.score(occurrenceOf(steps, { expected_steps: list })));
          return [(metadata.missing as number) + (metadata.extra as number), metadata.matched as number];
        };
        const plain = variants(expected_steps).map(credit);
        const cost = Math.min(...plain.map(([one]) => one));
        const matched = Math.max(...plain.filter(([one]) => one === cost).map(([, matches]) => matches));
        expect(credit(expected_steps)).toEqual([cost, matched]);
      }),
      runs,
    );
  });

  test("order_aware and in_order_subset: optional steps are neither asked for nor counted", () => {
    fc.assert(
      fc.property(trajectory(false), observed, (expected_steps, names) => {
        const steps = stepsOf(...names);
        const required = expected_steps.filter((step) => typeof step === "string" || !("optional" in step));
        for (const scorer of [SCORERS.orderAware, SCORERS.inOrderSubset]) {
          const { score } = scored(scorer.score(occurrenceOf(steps, { expected_steps })));
          const plain = variants(required).filter((list) => !isEmpty(list));
          const scores = plain.map((list) => scored(scorer.score(occurrenceOf(steps, { expected_steps: list }))).score);
          expect(score).toBe(scores.length === 0 ? 1 : Math.max(...scores));
        }
      }),
      runs,
    );
  });

  test("tool_f1: fewest missing and extra calls by the largest matching, found by trying all", () => {
    fc.assert(
      fc.property(trajectory(true), observed, (expected_steps, names) => {
        if (!parseColumn("expected_steps", expected_steps).ok) return;
        const steps = stepsOf(...names);
        const counted = (list: readonly ExpectedStep[]): [number, number] => {
          if (isEmpty(list as Plain)) return [names.length, 0];
          const { metadata } = scored(SCORERS.toolF1.score(occurrenceOf(steps, { expected_steps: list })));
          const { matched, total, observed: seen } = metadata as Record<"matched" | "total" | "observed", number>;
          return [total - matched + seen - matched, matched];
        };
        const plain = variants(expected_steps).map(counted);
        const cost = Math.min(...plain.map(([one]) => one));
        const matched = Math.max(...plain.filter(([one]) => one === cost).map(([, matches]) => matches));
        expect(counted(expected_steps)).toEqual([cost, matched]);
      }),
      runs,
    );
  });

  test("largest matchings of calls with arguments against brute force", () => {
    const call = fc.record({
      name: fc.constantFrom("s", "t"),
      args: fc.constantFrom({}, { q: 1 }, { q: 2 }, { q: 1, r: 1 }),
      match: fc.constantFrom("subset" as const, "exact" as const),
    });
    const step = fc.record({
      kind: fc.constant("TOOL" as const),
      name: fc.constantFrom("s", "t"),
      args: fc.constantFrom({}, { q: 1 }, { q: 2 }, { q: 1, r: 1 }),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 5 }), fc.array(step, { maxLength: 5 }), (expected_calls, steps) => {
        const equal = (i: number, j: number): boolean =>
          scored(
            SCORERS.exactMatch.score(
              occurrenceOf([steps[j] as (typeof steps)[0]], { expected_calls: [expected_calls[i] as never] }),
            ),
          ).score === 1;
        const largest = (i: number, used: number): number => {
          if (i === expected_calls.length) return 0;
          let best = largest(i + 1, used);
          steps.forEach((_step, j) => {
            if ((used >> j) % 2 === 0 && equal(i, j)) best = Math.max(best, 1 + largest(i + 1, used | (1 << j)));
          });
          return best;
        };
        const { metadata } = scored(SCORERS.toolF1.score(occurrenceOf(steps, { expected_calls })));
        expect(metadata.matched).toBe(largest(0, 0));
      }),
      { seed: 42, numRuns: scaled(100) },
    );
  });

  test("several acceptable trajectories: the first of those with the best score, and the result says which", () => {
    const many = fc.array(trajectory(false), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(many, observed, (one_of, names) => {
        const steps = stepsOf(...names);
        for (const scorer of [
          SCORERS.stepAccuracy,
          SCORERS.stepCredit,
          SCORERS.setOverlap,
          SCORERS.toolF1,
          SCORERS.exactMatch,
        ]) {
          const each = one_of.map((list) => scored(scorer.score(occurrenceOf(steps, { expected_steps: list }))));
          const best = Math.max(...each.map((one) => one.score));
          const index = each.findIndex((one) => one.score === best);
          const { score, metadata } = scored(scorer.score(occurrenceOf(steps, { expected_steps: { one_of } })));
          expect(score).toBe(best);
          expect(metadata).toEqual({
            ...each[index]?.metadata,
            trajectory_index: index,
            trajectory_count: one_of.length,
          });
        }
      }),
      { seed: 42, numRuns: scaled(150) },
    );
  });
});

describe("what results say", () => {
  const result = (expected_steps: never, ...names: string[]) =>
    scored(stepAccuracy().score(occurrenceOf(stepsOf(...names), { expected_steps })));
  test("an absent optional step has no entry and costs nothing", () => {
    const { score, metadata } = result(["a", { optional: "b" }, "c"] as never, "a", "c");
    expect(score).toBe(1);
    expect(metadata).toMatchObject({ total_steps: 2, correct_steps: 2, absent_optional_steps: ["b"] });
    expect(metadata.steps).toHaveLength(2);
  });
  test("an optional step that was taken counts as a step", () => {
    const { score, metadata } = result(["a", { optional: "b" }, "c"] as never, "a", "b");
    // a and b match, c is missing: 1 of 3.
    expect(score).toBeCloseTo(2 / 3, 12);
    expect(metadata).toMatchObject({ total_steps: 3, absent_optional_steps: [] });
  });
  test("a step with alternatives names them all, and the result what was done", () => {
    const { metadata } = result(["a", { any_of: ["b", "c"] }] as never, "a", "c");
    expect((metadata.steps as AlignedStep[])[1]).toMatchObject({ op: "match", expected: "b | c", actual: "c" });
  });
  test("the names of a step with alternatives, put together, are no name", () => {
    // A group beside it, so that no list is compared name by name.
    const { score } = result([["a"], { any_of: ["b", "c"] }] as never, "a", "b | c");
    expect(score).toBe(1 / 2);
  });
  test("a result shares no list even with an expectation that the resolver froze", () => {
    const found = resolvedColumn("expected_steps", ["a"], { status: "proposed" }, "own");
    if (found.state !== "resolved") throw new Error("not resolved");
    const strict = stepAccuracy({ scoring_method: "strict_position" });
    for (const scorer of [stepAccuracy(), strict, exactMatch(), setOverlap(), toolF1(), orderAware(), stepCredit()]) {
      const occurrence = occurrenceOf(stepsOf("a"), found.expectation);
      for (const value of Object.values(scored(scorer.score(occurrence)).metadata)) {
        if (Array.isArray(value)) value.push("changed");
      }
      const again = scored(scorer.score(occurrence));
      expect(again.score).toBe(1);
      expect(JSON.stringify(again.metadata)).not.toContain("changed");
    }
  });
  test("plain lists have no metadata of their own for it", () => {
    const keys = Object.keys(result(["a", ["b", "c"]] as never, "a").metadata);
    expect(keys).toEqual(["expected_steps", "actual_steps", "total_steps", "correct_steps", "edit_distance", "steps"]);
  });
  test("strict_position takes alternatives and several trajectories, and refuses optional steps", () => {
    const strict = stepAccuracy({ scoring_method: "strict_position" });
    const of = (expected_steps: never) => strict.score(occurrenceOf(stepsOf("a", "c"), { expected_steps }));
    expect(of(["a", { any_of: ["b", "c"] }] as never)).toMatchObject({ score: 1 });
    expect(of({ one_of: [["x"], ["a", "c"]] } as never)).toMatchObject({ score: 1, metadata: { trajectory_index: 1 } });
    expect(of(["a", { optional: "c" }] as never)).toMatchObject({ error: { type: "optional_under_strict_position" } });
  });
  test("nothing but optional steps, and nothing done", () => {
    expect(result([{ optional: "a" }] as never).score).toBe(1);
    expect(result([{ optional: "a" }] as never, "x").score).toBe(0);
  });
});

describe("the language in a document", () => {
  test("all of it", () => {
    const document = {
      expectations: [
        {
          expected_steps: {
            one_of: [
              ["a", { optional: "b" }],
              [{ any_of: ["a", "c"] }, ["d", "e"]],
            ],
          },
          max_calls: { search: 2 },
          forbidden_tools: ["delete_account"],
        },
        { max_calls: 3 },
      ],
    };
    expect(parseExpectations(document, "")).toEqual({ ok: true, rules: document.expectations });
  });
  test.each([
    ["an empty list of trajectories", { one_of: [] }, "at least one"],
    ["a trajectory without a name", { one_of: [["a"], []] }, "at least one name"],
    ["no alternatives", [{ any_of: [] }], "at least one name"],
    ["a group among alternatives", [{ any_of: [["a"]] }], "must be a name"],
    ["an optional group", [{ optional: ["a"] }], "must be a name"],
    ["an unusable optional name", [{ optional: "_" }], "more in it than"],
    ["a key too many", [{ optional: "a", any_of: ["b"] }], "must be a name"],
  ])("%s is refused", (_title, value, message) => {
    const parsed = parseColumn("expected_steps", value);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining("expected_steps") });
    expect(parsed).toMatchObject({ message: expect.stringContaining(message) });
  });
  test.each([[-1], [1.5], ["three"], [{}], [{ a: -1 }], [{ _: 1 }], [null]])("max_calls %j is refused", (value) => {
    expect(parseColumn("max_calls", value).ok).toBe(false);
  });
});
