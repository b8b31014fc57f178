import { expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
import { Numbers } from "../../src/align/numbers.ts";
import { inputOf, same } from "./support.ts";

test("a list in parts holds what was pushed, beyond the ends of its parts", () => {
  const numbers = new Numbers();
  const COUNT = 2 * 65_536 + 3;
  for (let index = 0; index < COUNT; index += 1) {
    expect(numbers.length).toBe(index);
    numbers.push(7 * index);
  }
  expect(numbers.length).toBe(COUNT);
  for (const index of [0, 1, 65_535, 65_536, 131_071, 131_072, COUNT - 1]) expect(numbers.at(index)).toBe(7 * index);
});

test.each([
  ["longer", 300, 1_500],
  ["shorter", 1_500, 300],
])("lists with nothing in common, one %s: replaced from the left, the rest at the end", (_, expected, actual) => {
  // Each of the 300 may stand at each of 1,201 places: 360,300 of them are kept.
  const list = Array.from({ length: expected }, (_item, index) => index);
  const observed = Array.from({ length: actual }, (_item, index) => 10_000 + index);
  const result = align(inputOf(list, observed, same));
  if (!result.ok) throw new Error("over the limit");
  const ops = result.entries.map(({ op }) => op);
  const rest = expected < actual ? "insert" : "delete";
  expect([result.cost, result.matches]).toEqual([1_500, 0]);
  expect(ops).toEqual([...Array(300).fill("substitute"), ...Array(1_200).fill(rest)]);
});

test("the one match of long lists decides where the rest is", () => {
  // Actual 400 is expected 100: before it 100 replaced and 300 inserted, behind it 199 replaced and 900 inserted.
  const list = Array.from({ length: 300 }, (_item, index) => (index === 100 ? -1 : index));
  const observed = Array.from({ length: 1_500 }, (_item, index) => (index === 400 ? -1 : 10_000 + index));
  const result = align(inputOf(list, observed, same));
  if (!result.ok) throw new Error("over the limit");
  expect([result.cost, result.matches]).toEqual([1_499, 1]);
  expect(result.entries.map(({ op }) => op)).toEqual([
    ...Array(100).fill("substitute"),
    ...Array(300).fill("insert"),
    "match",
    ...Array(199).fill("substitute"),
    ...Array(900).fill("insert"),
  ]);
});
