import fc from "fast-check";
import { expect, test } from "vitest";
import { align, alignFree } from "../../src/align/align.ts";
import { alignFew } from "../../src/align/align-few.ts";
import { alignOptional } from "../../src/align/align-optional.ts";
import { type ClassEquality, flipped, sameClass, WorkBudget } from "../../src/align/alignment.ts";
import { longestCommonSubsequence } from "../../src/align/lcs.ts";
import { GroupMatcher, largestMatching } from "../../src/align/matching.ts";
import { andThen, finish, isSliced, type Sliced, toSlices } from "../../src/align/sliced.ts";
import { modelAssign } from "./model.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

/** Least cost, then most matches, of a plain full table that tries every window; of plain equality. */
function tableTotals(elements: readonly (number | readonly number[])[], actual: readonly number[]): [number, number] {
  let below: [number, number][] = actual.map((_item, place) => [actual.length - place, 0]);
  below.push([0, 0]);
  for (const element of [...elements].reverse()) {
    const row: [number, number][] = [];
    for (let place = actual.length; place >= 0; place -= 1) {
      const members = typeof element === "number" ? [element] : element;
      const left = [...members];
      let best: [number, number] = [Number.POSITIVE_INFINITY, 0];
      const offer = (then: [number, number] | undefined, cost: number, matches: number): void => {
        if (then === undefined) return;
        const found: [number, number] = [then[0] + cost, then[1] + matches];
        if (found[0] < best[0] || (found[0] === best[0] && found[1] > best[1])) best = found;
      };
      const most = typeof element === "number" ? 1 : actual.length - place;
      for (let length = 0; length <= most; length += 1) {
        const at = length === 0 ? -1 : left.indexOf(actual[place + length - 1] as number);
        if (at >= 0) left.splice(at, 1);
        const matched = members.length - left.length;
        offer(below[place + length], Math.max(members.length, length) - matched, matched);
      }
      offer(row[place + 1], 1, 0);
      row[place] = best;
    }
    below = row;
  }
  return below[0] as [number, number];
}

test("windows that may be far longer than their group: equal to a plain full table", () => {
  const member = fc.nat({ max: 4 });
  const element = fc.oneof(member, fc.array(member, { minLength: 1, maxLength: 4 }));
  const lists = fc.record({
    elements: fc.array(element, { minLength: 1, maxLength: 4 }),
    // Members far apart, among hundreds of items that nothing expects.
    places: fc.array(fc.record({ at: fc.nat({ max: 299 }), item: member }), { maxLength: 8, size: "max" }),
    length: fc.integer({ min: 280, max: 300 }),
  });
  fc.assert(
    fc.property(lists, ({ elements, places, length }) => {
      const actual = Array.from({ length }, () => 9);
      for (const { at, item } of places) if (at < length) actual[at] = item;
      const result = align(inputOf(elements, actual, same));
      if (!result.ok) throw new Error("over limit");
      expect([result.cost, result.matches]).toEqual(tableTotals(elements, actual));
      expect(result.entries.filter((entry) => entry.op === "match")).toHaveLength(result.matches);
    }),
    { seed: 42, numRuns: scaled(60) },
  );
});

/** The equality of {@link crossed}, with its partners. */
const crossedPartners: ClassEquality = Object.assign((left: number, right: number) => crossed(left, right), {
  partners: (actual: number) => (actual >= 8 ? [actual - 8] : [actual | 1, actual & ~1]),
});

test.each([
  ["the same classes", sameClass, same],
  ["kinds", crossedPartners, crossed],
] as const)("an equality that knows its partners gives what comparing gives: %s", (_title, knowing, comparing) => {
  const members = fc.array(fc.nat({ max: 40 }), { minLength: 10, maxLength: 30, size: "max" });
  const items = fc.array(fc.nat({ max: 50 }), { maxLength: 30, size: "max" });
  fc.assert(
    fc.property(members, items, (classes, window) => {
      const [left, right] = [Int32Array.from(classes), Int32Array.from(window)];
      const taken = finish(largestMatching(left, right, knowing));
      expect(taken).toEqual(finish(largestMatching(left, right, comparing)));
      const matcher = new GroupMatcher(left, knowing, new WorkBudget());
      for (const item of window) expect(matcher.accepts(item)).toBe(classes.some((one) => comparing(one, item)));
      expect(align(inputOf([classes], window, knowing))).toEqual(align(inputOf([classes], window, comparing)));
      const pair = { expected: left, actual: right };
      expect(finish(longestCommonSubsequence({ ...pair, equal: knowing }))).toEqual(
        finish(longestCommonSubsequence({ ...pair, equal: comparing })),
      );
    }),
    { seed: 42, numRuns: scaled(500) },
  );
});

test("sides exchanged: what equals stays equal, and the same classes stay so", () => {
  expect(flipped(sameClass)).toBe(sameClass);
  const below: ClassEquality = (expected, actual) => expected < actual;
  expect([flipped(below)(1, 2), flipped(below)(2, 1)]).toEqual([false, true]);
});

test("a matching beyond the limit is none", () => {
  const many = Int32Array.from({ length: 40 }, (_item, index) => index);
  // 40 items, each compared with 40 members when it is first met.
  expect(finish(largestMatching(many, many, same, { limit: 1_500 }))).toBeUndefined();
  expect([...(finish(largestMatching(many, many, same, { limit: 2_000 })) as Int32Array)]).toEqual([...many]);
});

test("forced to move: an item takes a later member so that another has one", () => {
  // 17 members, of which only the first two matter: item 1 equals both, item 2 the first alone.
  const members = Int32Array.from({ length: 17 }, (_member, index) => index);
  const equal: ClassEquality = (member, item) => (item === 1 ? member < 2 : item === 2 && member === 0);
  expect(modelAssign(equal, [...members], [1, 2])).toEqual([1, 0]);
  expect([...(finish(largestMatching(members, Int32Array.from([1, 2]), equal)) as Int32Array)]).toEqual([1, 0]);
  const crowd = Int32Array.from([1, 1, 2, 2, 3]);
  expect(finish(largestMatching(members, crowd, equal))).toEqual(Int32Array.from([0, 1, -1, -1, -1]));
});

test("nothing beyond the ends of the lists is compared", () => {
  const items = fc.array(fc.nat({ max: 2 }), { maxLength: 7 });
  fc.assert(
    fc.property(items, items, (expected, actual) => {
      const equal = (left: number, right: number): boolean => {
        if (left >= expected.length || right >= actual.length) throw new Error("beyond the end");
        return expected[left] === actual[right];
      };
      const places = { expected: expected.map((_item, at) => at), actual: actual.map((_item, at) => at) };
      alignFew(expected.length, actual.length, equal);
      align(inputOf(places.expected, places.actual, equal));
      alignFree(inputOf([places.expected], places.actual, equal));
      finish(alignOptional(inputOf(places.expected, places.actual, equal), new Uint8Array(expected.length).fill(1)));
    }),
    { seed: 42, numRuns: scaled(1_000) },
  );
});

test("a budget pauses once for every slice, whether or not the limit counts the work", () => {
  const budget = new WorkBudget({ limit: 100, slice: 10 });
  const pausesAfter = (cells: number) => {
    budget.spend(cells);
    return budget.pauses();
  };
  expect([pausesAfter(9), budget.has_paused, pausesAfter(1), budget.has_paused]).toEqual([false, false, true, true]);
  expect([0, 9, 1, 25, 0].map(pausesAfter)).toEqual([false, false, true, true, false]);
  budget.passTime(10);
  expect([budget.pauses(), budget.pauses()]).toEqual([true, false]);
  expect([budget.affords(55), budget.affords(56), budget.spend(55), budget.exhausted]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  expect([budget.spend(1), budget.exhausted]).toEqual([false, true]);
});

test("a table beyond the limit is not begun", () => {
  let compared = 0;
  const counting: ClassEquality = (left, right) => {
    compared += 1;
    return left === right;
  };
  const list = Array.from({ length: 40 }, (_item, index) => index);
  const input = (limit: number) => inputOf(list, [...list].reverse(), counting, limit);
  // 41 * 41 cells of 6.
  expect(finish(alignOptional(input(10_085), new Uint8Array(40).fill(1)))).toEqual({ ok: false, reason: "over_limit" });
  expect(compared).toBe(0);
  expect(finish(alignOptional(input(10_086), new Uint8Array(40).fill(1))).ok).toBe(true);
});

test("work and results are told apart, and what is made of them follows either", () => {
  function* work(): Sliced<{ readonly value: number }> {
    yield;
    return { value: 1 };
  }
  const double = ({ value }: { readonly value: number }) => ({ value: 2 * value });
  expect([isSliced(work()), isSliced({ value: 1 }), isSliced({ next: 1 })]).toEqual([true, false, false]);
  expect(andThen({ value: 1 }, double)).toEqual({ value: 2 });
  const later = andThen(work(), double);
  expect(isSliced(later)).toBe(true);
  expect(finish(later)).toEqual({ value: 2 });
  expect([finish(toSlices({ value: 3 })), finish(toSlices(work()))]).toEqual([{ value: 3 }, { value: 1 }]);
});
