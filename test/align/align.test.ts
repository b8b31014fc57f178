import { describe, expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
import { alignOptional } from "../../src/align/align-optional.ts";
import type { AlignmentResult } from "../../src/align/alignment.ts";
import { finish } from "../../src/align/sliced.ts";
import { inputOf, same } from "./support.ts";

/** Items with nothing in common: 1, 2, 3 … against -1, -2, -3 … */
const positive = (length: number): number[] => Array.from({ length }, (_, index) => index + 1);
const negative = (length: number): number[] => positive(length).map((item) => -item);

describe("the work limit", () => {
  // Lists of one length with nothing in common cost what a full matrix would: 10 * 10 = 100.
  const rows = [
    ["lists with nothing in common, at the limit", positive(10), negative(10), 100, true],
    ["lists with nothing in common, one below", positive(10), negative(10), 99, false],
    ["equal lists cost nothing", positive(10_000), positive(10_000), 0, true],
    ["nothing at all", [], [], 0, true],
    ["a group whose members all came, in any order", [[1, 2, 3]], [3, 1, 2], 1, true],
  ] as const;
  test.each(rows)("%s", (_title, elements, actual, limit, ok) => {
    const result = align(inputOf(elements, actual, same, limit));
    expect(result.ok).toBe(ok);
    if (!result.ok) expect(result).toEqual({ ok: false, reason: "over_limit" });
  });

  // Costs of tails: at 0, the windows of the whole group are collected, for 3 + 1; at 1 the wave has two more entries,
  // which count twice, 4, the windows kept are looked at again, 4, the group is passed, 1, and from the second place
  // there are windows of up to two items, 3. The path: the windows once to see where they lead, once to choose, 8. The
  // window 3 9 1 is matched: each item is compared with three members and counts once, 3 and 1 find one each: 14.
  test.each([
    ["a group and an item that is none of it", [[1, 2, 3]], [3, 9, 1], 38],
    ["two items in the place of two", [1, 2], [3, 4], 4],
    ["a group in another order, at a place of its own", [[1, 2]], [2, 1], 1],
  ])("what it counts: %s", (_title, elements, actual, cells) => {
    const within = (limit?: number) => align(inputOf(elements, actual, same, limit));
    expect(within(cells)).toEqual(within());
    expect(within(cells)).toMatchObject({ ok: true });
    for (let limit = 0; limit < cells; limit += 1) expect(within(limit)).toEqual({ ok: false, reason: "over_limit" });
  });

  test("what it says depends on the input alone", () => {
    const input = inputOf(positive(200), negative(150), same, 12_000);
    expect(align(input)).toEqual(align(input));
  });
});

describe("long lists", () => {
  test("5 000 items, one replaced in the middle and one more at the end", () => {
    const actual = [...positive(2499), -1, ...positive(5000).slice(2500), -2];
    const result = align(inputOf(positive(5000), actual, same));
    if (!result.ok) throw new Error("over limit");
    expect([result.cost, result.matches, result.entries.length]).toEqual([2, 4999, 5001]);
    expect(result.entries[2499]).toEqual({ op: "substitute", element: 2499, member: 2499, actual: 2499 });
    expect(result.entries[5000]).toEqual({ op: "insert", element: -1, member: -1, actual: 5000 });
  });

  test("a thousand equal items that are one too many: the first thousand match", () => {
    const ones = (length: number): number[] => new Array(length).fill(1);
    const result = align(inputOf(ones(1000), ones(1001), same));
    if (!result.ok) throw new Error("over limit");
    expect(result.entries.map((entry) => entry.op).slice(-2)).toEqual(["match", "insert"]);
  });
});

describe("large groups", () => {
  // 40 members, each once; 3 foreign items between them and 2 members that never came, all in one window of 41:
  // max(40, 41) - 38 = 3, two of which are substitutions and one an insertion.
  test("forty members in another order, three foreign items, two missing", () => {
    const members = positive(40);
    const seen = [...members].reverse().slice(2);
    seen.splice(5, 0, -1);
    seen.splice(15, 0, -2);
    seen.splice(25, 0, -3);
    const result = align(inputOf([members], seen, same));
    if (!result.ok) throw new Error("over limit");
    const count = (op: string): number => result.entries.filter((entry) => entry.op === op).length;
    expect([result.cost, count("match"), count("substitute"), count("insert"), count("delete")]).toEqual([
      3, 38, 2, 1, 0,
    ]);
    // The missing members are 39 and 40, at positions 38 and 39; they pair with the foreign items in order.
    expect(result.entries.filter((entry) => entry.op === "substitute").map((entry) => entry.member)).toEqual([38, 39]);
  });

  test("a thousand members of two names, all of them observed, in one block each", () => {
    const members = positive(1000).map((item) => item % 2);
    const seen = [...members].sort((left, right) => left - right);
    const result = align(inputOf([members], seen, same));
    if (!result.ok) throw new Error("over limit");
    expect([result.cost, result.matches]).toEqual([0, 1000]);
    // The first 0 is member 1, the second 0 member 3: within a name, members are taken as written.
    expect(result.entries.slice(0, 2).map((entry) => entry.member)).toEqual([1, 3]);
  });
});

describe("equally dear alignments", () => {
  const spelled = (result: AlignmentResult): unknown => {
    if (!result.ok) throw new Error("over limit");
    return [result.cost, result.matches, result.entries.map(({ op, element, member }) => [op, element, member])];
  };
  test.each([
    [
      // 1 9 | 2 8 3 and 1 9 2 | 8 3 cost 2, match 3 and have windows of 5 items; 9 stands for the missing 2 in the first
      // and is inserted in the second: substitute comes before insert.
      "windows of one length in all: the one whose entries come first",
      [
        [1, 2],
        [2, 3],
      ],
      [1, 9, 2, 8, 3],
      [
        2,
        3,
        [
          ["match", 0, 0],
          ["substitute", 0, 1],
          ["match", 1, 2],
          ["insert", 1, -1],
          ["match", 1, 3],
        ],
      ],
    ],
    [
      // 7 replaced by 1, and 9 2 for the group, costs 2 as well but matches only 2.
      "a window longer than its group, behind a missing item",
      [7, [1, 2]],
      [1, 9, 2],
      [
        2,
        2,
        [
          ["delete", 0, 0],
          ["match", 1, 1],
          ["insert", 1, -1],
          ["match", 1, 2],
        ],
      ],
    ],
    [
      // The window of all five costs 2 and leaves 7 against 7 8 9, which costs 2. Behind windows of three and of four items
      // 2 3 7 and 3 7 are left, either of which costs 3; so these are known, and longer ones looked for, at a cost of 4.
      "a window that is looked for again when it may cost more",
      [[1, 2, 3], 7, 8, 9],
      [1, 10, 10, 2, 3, 7],
      [
        4,
        4,
        [
          ["match", 0, 0],
          ["insert", 0, -1],
          ["insert", 0, -1],
          ["match", 0, 1],
          ["match", 0, 2],
          ["match", 1, 3],
          ["delete", 2, 4],
          ["delete", 3, 5],
        ],
      ],
    ],
  ] as const)("%s", (_title, elements, actual, wanted) => {
    const input = inputOf(elements, actual, same);
    expect(spelled(align(input))).toEqual(wanted);
    expect(spelled(finish(alignOptional(input, new Uint8Array(elements.length))))).toEqual(wanted);
  });
});

// Tail costs are kept in two bytes up to so many elements, in four beyond.
test.each([65_533, 65_534, 65_535, 70_000])("%d elements, a few of which are missing, exchanged or added", (length) => {
  const expected = positive(length);
  const actual = [-1, ...expected.slice(0, 30_000), -2, -3, ...expected.slice(30_001, length - 9), -4, -5];
  const result = align(inputOf(expected, actual, same));
  if (!result.ok) throw new Error("over the limit");
  // One in front, one for 30 001 and one beside it, and of the last nine two are exchanged and seven missing.
  expect([result.cost, result.matches]).toEqual([1 + 2 + 9, length - 10]);
  const ops = result.entries.map(({ op }) => op[0]).join("");
  expect(ops.replace(/m+/g, "m")).toBe("imsimssddddddd");
});

// Most windows of such groups tie. Told apart by counts, they cost no more than collecting them.
test("ten groups of three hundred, of a hundred names, against 280 items fit the limit", () => {
  const groups = positive(10).map((group) => positive(300).map((member) => (group * 7 + member * 3) % 97));
  const actual = positive(280).map((index) => (index * 31) % 120);
  const result = align(inputOf(groups, actual, same));
  // A group takes every name that it has, more often than they came: one takes all, and leaves 23 names of 120 to substitute.
  if (!result.ok) throw new Error("over the limit");
  const named = actual.filter((name) => name < 97).length;
  expect([result.cost, result.matches]).toEqual([10 * 300 - named, named]);
});
