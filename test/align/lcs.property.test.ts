import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
import { alignFew, FEW_DELETE, FEW_INSERT, type FewEdits } from "../../src/align/align-few.ts";
import { sameClass } from "../../src/align/alignment.ts";
import { longestCommonSubsequence } from "../../src/align/lcs.ts";
import { commonSubsequenceWithOptional } from "../../src/align/lcs-optional.ts";
import { finish } from "../../src/align/sliced.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

const classes = (most: number) => fc.array(fc.nat({ max: 3 }), { maxLength: most });

interface Pairs {
  readonly expected: number[];
  readonly actual: number[];
}

/** Every common subsequence of two lists, as pairs. */
function everyCommon(left: readonly number[], right: readonly number[], equal: typeof same): Pairs[] {
  const all: Pairs[] = [];
  const walk = (from: number, to: number, pairs: Pairs): void => {
    all.push(pairs);
    for (let i = from; i < left.length; i += 1) {
      for (let j = to; j < right.length; j += 1) {
        if (!equal(left[i] as number, right[j] as number)) continue;
        walk(i + 1, j + 1, { expected: [...pairs.expected, i], actual: [...pairs.actual, j] });
      }
    }
  };
  walk(0, 0, { expected: [], actual: [] });
  return all;
}

/** Compares index lists from the left. */
function compareIndexes(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? 0 : (left[at] as number) - (right[at] as number);
}

/** Least cost first, then most matches, then smallest expected, then smallest actual indexes. */
function modelCommon(
  left: readonly number[],
  right: readonly number[],
  equal: typeof same,
  optional: readonly boolean[],
): Pairs {
  const cost = ({ expected, actual }: Pairs): number =>
    left.filter((_item, index) => !optional[index] && !expected.includes(index)).length + right.length - actual.length;
  return everyCommon(left, right, equal).reduce((best, next) => {
    const order =
      cost(next) - cost(best) ||
      best.expected.length - next.expected.length ||
      compareIndexes(next.expected, best.expected) ||
      compareIndexes(next.actual, best.actual);
    return order < 0 ? next : best;
  });
}

describe.each([
  ["plain equality", same],
  ["equality that is not transitive", crossed],
])("common subsequence, %s", (_title, equal) => {
  const left = equal === same ? classes(6) : fc.array(fc.nat({ max: 7 }), { maxLength: 6 });
  const right = equal === same ? classes(6) : fc.array(fc.nat({ max: 15 }), { maxLength: 6 });
  test("the longest one, by the tie rule, of all that there are", () => {
    fc.assert(
      fc.property(left, right, (expected, actual) => {
        const input = { expected: Int32Array.from(expected), actual: Int32Array.from(actual), equal };
        const want = modelCommon(expected, actual, equal, []);
        expect(finish(longestCommonSubsequence(input))).toEqual({ ok: true, ...want });
        expect(finish(commonSubsequenceWithOptional(input, new Uint8Array(expected.length)))).toEqual({
          ok: true,
          ...want,
        });
      }),
      { seed: 42, numRuns: scaled(500) },
    );
  });
  test("with optional items, the one with the least missing and extra", () => {
    fc.assert(
      fc.property(left, right, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (expected, actual, optional) => {
        const input = { expected: Int32Array.from(expected), actual: Int32Array.from(actual), equal };
        const flags = Uint8Array.from(expected, (_item, index) => (optional[index] ? 1 : 0));
        const want = modelCommon(expected, actual, equal, optional);
        expect(finish(commonSubsequenceWithOptional(input, flags))).toEqual({ ok: true, ...want });
      }),
      { seed: 42, numRuns: scaled(500) },
    );
  });
});

// With few names every word of 32 places has a match; with many most have none, and nothing may be carried over them.
test.each([5, 80])("long lists of %i names: bits across words agree with a plain table", (max) => {
  const items = fc.array(fc.nat({ max }), { minLength: 60, maxLength: 150 });
  fc.assert(
    fc.property(items, items, (expected, actual) => {
      const input = { expected: Int32Array.from(expected), actual: Int32Array.from(actual), equal: same };
      expect(finish(longestCommonSubsequence(input))).toEqual(
        finish(commonSubsequenceWithOptional(input, new Uint8Array(expected.length))),
      );
    }),
    { seed: 42, numRuns: scaled(60) },
  );
});

test("work beyond the limit is an outcome", () => {
  const many = Int32Array.from({ length: 100 }, (_item, index) => index);
  const other = Int32Array.from({ length: 100 }, (_item, index) => 1000 + index);
  const input = { expected: many, actual: other, equal: same, limit: 300 };
  expect(finish(longestCommonSubsequence(input))).toEqual({ ok: false, reason: "over_limit" });
  expect(finish(commonSubsequenceWithOptional(input, new Uint8Array(100)))).toEqual({
    ok: false,
    reason: "over_limit",
  });
  // 100 rows of 4 words, and 100 masks of 4 words over 100 classes.
  expect(finish(longestCommonSubsequence({ ...input, limit: 11_000 }))).toEqual({ ok: true, expected: [], actual: [] });
});

test("a match in the second word, and none in the first", () => {
  const actual = Int32Array.from({ length: 64 }, (_item, index) => index);
  const input = { expected: Int32Array.of(10), actual, equal: same };
  expect(finish(longestCommonSubsequence(input))).toEqual({ ok: true, expected: [0], actual: [10] });
});

// A mask of one word for each of three items, over two others, which have to be compared with or not: 3 * 3, or 3 * 2.
// Ten rows of two words for 40 places: 20; the one mask, 2 + 1, is made of what is left.
test.each([
  ["compared", [1, 2, 3], [8, 9], same, 9],
  ["looked up", [1, 2, 3], [8, 9], sameClass, 6],
  ["rows of words", new Array<number>(10).fill(1), new Array<number>(40).fill(2), same, 20],
])("what the limit counts of a longest one: %s", (_title, expected, actual, equal, cells) => {
  const input = { expected: Int32Array.from(expected), actual: Int32Array.from(actual), equal };
  const within = (limit: number) => finish(longestCommonSubsequence({ ...input, limit }));
  expect(within(cells)).toEqual({ ok: true, expected: [], actual: [] });
  for (let limit = 0; limit < cells; limit += 1) expect(within(limit)).toEqual({ ok: false, reason: "over_limit" });
});

test("with optional items a table of (2 + 1) * (3 + 1) cells counts twice", () => {
  const input = { expected: Int32Array.of(1, 2), actual: Int32Array.of(3, 4, 5), equal: same };
  const within = (limit: number) => finish(commonSubsequenceWithOptional({ ...input, limit }, Uint8Array.of(1, 0)));
  expect(within(24)).toEqual({ ok: true, expected: [], actual: [] });
  expect(within(23)).toEqual({ ok: false, reason: "over_limit" });
});

test("one item that could be either: the expected one that is not optional, lest it be missing", () => {
  const input = { expected: Int32Array.of(1, 1), actual: Int32Array.of(1), equal: same };
  const pairs = finish(commonSubsequenceWithOptional(input, Uint8Array.of(1, 0)));
  expect(pairs).toEqual({ ok: true, expected: [1], actual: [0] });
});

/** Operations from the left, as the aligner's entries spell them. */
function spell({ moves, runs }: FewEdits): string {
  return runs
    .map((run, index) => {
      const move = moves[index];
      const letter = move === undefined ? "" : move === FEW_DELETE ? "D" : move === FEW_INSERT ? "I" : "S";
      return "M".repeat(run) + letter;
    })
    .join("");
}

test("lists that differ in up to three places: the same alignment as the general one, and no other is taken on", () => {
  let few = 0;
  fc.assert(
    fc.property(classes(9), classes(9), fc.boolean(), (expected, noise, related) => {
      // Half of the pairs are a list and an edited copy.
      const actual = related ? expected.filter((_item, index) => index !== noise[0]).concat(noise.slice(0, 1)) : noise;
      const general = align(inputOf(expected, actual, same));
      if (!general.ok) throw new Error("over limit");
      const found = alignFew(expected.length, actual.length, (i, j) => expected[i] === actual[j]);
      expect(found === undefined).toBe(general.cost > 3);
      if (found === undefined) return;
      few += 1;
      expect({ cost: found.cost, matches: found.matches }).toEqual({ cost: general.cost, matches: general.matches });
      expect(spell(found)).toBe(general.entries.map(({ op }) => op.charAt(0).toUpperCase()).join(""));
    }),
    { seed: 42, numRuns: scaled(2_000) },
  );
  expect(few).toBeGreaterThan(scaled(500));
});
