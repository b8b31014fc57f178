import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { align, alignInSlices } from "../../src/align/align.ts";
import { alignOptional } from "../../src/align/align-optional.ts";
import { type ClassEquality, SLICE_CELLS, type WorkLimits } from "../../src/align/alignment.ts";
import { longestCommonSubsequence } from "../../src/align/lcs.ts";
import { commonSubsequenceWithOptional } from "../../src/align/lcs-optional.ts";
import { largestMatching } from "../../src/align/matching.ts";
import { finish, type Sliced } from "../../src/align/sliced.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

/** Longest equal to the 40th item, so that every algorithm has several rows. */
const items = (most: number) => fc.array(fc.nat({ max: 3 }), { maxLength: most, size: "max" });
const elements = fc.array(fc.oneof(fc.nat({ max: 3 }), fc.array(fc.nat({ max: 3 }), { maxLength: 20, size: "max" })), {
  maxLength: 8,
});

type Work = (limits: WorkLimits) => Sliced<object | undefined>;

/** Every algorithm that works in slices, on one pair of lists. */
function worksOn(
  list: readonly (number | readonly number[])[],
  actual: readonly number[],
  equal: ClassEquality,
): Work[] {
  const input = inputOf(list, actual, equal);
  const optional = Uint8Array.from(list, (element, index) => (typeof element === "number" && index % 3 === 0 ? 1 : 0));
  const flags = Uint8Array.from(input.expected, (_item, index) => (index % 3 === 0 ? 1 : 0));
  return [
    (limits) => alignInSlices({ ...input, ...limits }),
    (limits) => alignOptional({ ...input, ...limits }, optional),
    (limits) => longestCommonSubsequence({ ...input, ...limits }),
    (limits) => commonSubsequenceWithOptional({ ...input, ...limits }, flags),
    (limits) => largestMatching(input.expected, input.actual, equal, limits),
  ];
}

/** Does one slice of each in turn until all are done; gives the results and how often each paused. */
function inTurn(works: readonly Sliced<object | undefined>[]): { results: unknown[]; pauses: number[] } {
  const results: unknown[] = works.map(() => undefined);
  const pauses = works.map(() => 0);
  let open = works.map((work, index) => ({ work, index }));
  while (open.length > 0) {
    open = open.filter(({ work, index }) => {
      const slice = work.next();
      if (slice.done === true) results[index] = slice.value;
      else pauses[index] = (pauses[index] as number) + 1;
      return slice.done !== true;
    });
  }
  return { results, pauses };
}

describe.each([
  ["plain equality", same],
  ["equality that is not transitive", crossed],
])("work in slices, %s", (_title, equal) => {
  test("gives what it gives at once, however often it pauses and whatever runs between", () => {
    const paused = [0, 0, 0, 0, 0];
    fc.assert(
      fc.property(elements, items(40), fc.integer({ min: 1, max: 30 }), (list, actual, slice) => {
        const works = worksOn(list, actual, equal);
        const { results, pauses } = inTurn(works.map((work) => work({ slice })));
        pauses.forEach((count, index) => {
          paused[index] = (paused[index] as number) + count;
        });
        const at = works.map((work) => inTurn([work({ slice: 1e9 })]));
        expect(at.map(({ pauses: none }) => none)).toEqual(works.map(() => [0]));
        expect(results).toEqual(at.map(({ results: [one] }) => one));
        expect(align(inputOf(list, actual, equal))).toEqual(results[0]);
      }),
      { seed: 42, numRuns: scaled(300) },
    );
    for (const count of paused) expect(count).toBeGreaterThan(0);
  });

  test("stops at the limit, in slices as at once", () => {
    let over = 0;
    fc.assert(
      fc.property(elements, items(30), fc.nat({ max: 300 }), (list, actual, limit) => {
        const works = worksOn(list, actual, equal);
        const { results } = inTurn(works.map((work) => work({ limit, slice: 7 })));
        expect(results).toEqual(works.map((work) => inTurn([work({ limit })]).results[0]));
        for (const result of results) if (result === undefined || (result as { ok?: boolean }).ok === false) over += 1;
      }),
      { seed: 42, numRuns: scaled(300) },
    );
    expect(over).toBeGreaterThan(scaled(20));
  });
});

describe("a slice", () => {
  const LENGTH = Number(process.env.SLICES_LENGTH ?? 1_200);
  const list = (length: number, of: (index: number) => number): number[] =>
    Array.from({ length }, (_item, index) => of(index));
  const mine = list(LENGTH, (index) => index);
  const others = list(LENGTH, (index) => LENGTH + index);
  const few = list(LENGTH, (index) => (index * index) % 7);
  const groups = list(LENGTH / 4, (index) => index).map((index) => list(4, (member) => (index * 5 + member * 3) % 20));

  /** A list's length may come between two looks. A cell is a comparison or two, in small groups one per member twice. */
  test.each([
    ["nothing in common", 2, mine, others],
    ["few names", 2, few, [...few].reverse()],
    ["groups", 8, groups, list(LENGTH, (index) => (index * 7) % 20)],
    ["one group of all", 2, [mine], [...mine.slice(1).reverse(), -1]],
    ["one group of none", 2, [mine], others],
  ])("%s: bounded in comparisons, whatever the length of the lists", (_title, perCell, expected, actual) => {
    let compared = 0;
    let most = 0;
    const counting: ClassEquality = Object.assign(
      (left: number, right: number) => {
        compared += 1;
        return left === right;
      },
      { partners: (actual: number) => [actual] },
    );
    for (const work of worksOn(expected, actual, counting)) {
      compared = 0;
      for (const _pause of work({})) {
        most = Math.max(most, compared);
        compared = 0;
      }
      most = Math.max(most, compared);
    }
    expect(most).toBeLessThan(perCell * (SLICE_CELLS + 4 * LENGTH));
    expect(most).toBeGreaterThan(1_000);
  });
});

test("a result at hand is finished", () => {
  const result = { ok: true };
  expect(finish(result)).toBe(result);
});
