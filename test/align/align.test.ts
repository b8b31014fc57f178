import { describe, expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
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
