import { describe, expect, test } from "vitest";
import { mergeRuns } from "../../src/record/merge-runs.ts";
import type { ObservedRun } from "../../src/record/observed.ts";

/** A run by the letters of a word. */
const run = (word: string): ObservedRun => [...word].map((name) => ({ name, key: name.toLowerCase() }));
const optional = (name: string) => ({ optional: name });

const rows: [string, string[], unknown[]][] = [
  ["no run", [], []],
  ["a run without steps", [""], []],
  ["one run", ["abca"], ["a", "b", "c", "a"]],
  ["the same run twice", ["abc", "abc"], ["a", "b", "c"]],
  ["other spellings of one name", ["aBc", "Abc"], ["a", "B", "c"]],
  ["a step that one run left out", ["abc", "ac"], ["a", optional("b"), "c"]],
  ["a step that one run added at the end", ["a", "ab"], ["a", optional("b")]],
  ["two steps in both orders", ["abcd", "acbd"], ["a", ["b", "c"], "d"]],
  ["three steps in several orders", ["xabcy", "xcaby"], ["x", ["a", "b", "c"], "y"]],
  [
    "two groups",
    ["abcd", "badc"],
    [
      ["a", "b"],
      ["c", "d"],
    ],
  ],
  ["a group and an optional step", ["abxc", "bac"], [["a", "b"], optional("x"), "c"]],
  ["a second call of one tool", ["abc", "abbc"], ["a", "b", optional("b"), "c"]],
  ["a call that comes again, in another place", ["aab", "aba"], ["a", ["a", "b"]]],
  ["steps of different runs, in order of appearance", ["axd", "ayd"], ["a", optional("x"), optional("y"), "d"]],
  ["nothing in common", ["ab", "cd"], [optional("a"), optional("b"), optional("c"), optional("d")]],
  ["one run without steps", ["a", ""], [optional("a")]],
  // b is left out by one and changes places in the others: it may stand on either side of a.
  ["tangled: left out and in both orders", ["a", "ab", "ba"], [optional("b"), "a", optional("b")]],
  // abc and cab agree on ab; c stands before or behind it.
  ["tangled: a longer piece stays together", ["ab", "abc", "cab"], [optional("c"), "a", "b", optional("c")]],
];

describe("mergeRuns", () => {
  test.each(rows)("%s", (_name, words, expected) => {
    expect(mergeRuns(words.map(run))).toEqual(expected);
  });

  test("how often a run was seen, and which came first, decides nothing but the order of what no run orders", () => {
    expect(mergeRuns(["axd", "ayd", "ayd"].map(run))).toEqual(["a", optional("y"), optional("x"), "d"]);
  });

  test("long runs that are tangled all over are too much, and it says so", () => {
    const names = Array.from({ length: 2_500 }, (_, index) => ({ name: `s${index}`, key: `s${index}` }));
    expect(mergeRuns([names, [...names].reverse(), names.slice(1)])).toBeUndefined();
    // In order, or with nothing left out, they are no work.
    expect(mergeRuns([names, names.slice(1)])).toHaveLength(2_500);
    expect(mergeRuns([names, [...names].reverse()])).toEqual([names.map(({ name }) => name)]);
  });
});
