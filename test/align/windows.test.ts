import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../src/align/alignment.ts";
import { finish } from "../../src/align/sliced.ts";
import { compareWindows } from "../../src/align/window-order.ts";
import { GroupWindows } from "../../src/align/windows.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

describe("windows of the group 1 2", () => {
  const nines = (length: number): number[] => new Array(length).fill(9);
  const LIMIT = 10_000;
  // Up to 128 items beyond the group each one is looked at; where more are allowed, only those that equal a member.
  test.each([
    ["the other member behind all that is allowed", [1, ...nines(100), 2], 0, 99, [0, 1, 2], [0, 1, 1]],
    ["the other member at the very end", [1, ...nines(100), 2], 0, 100, [0, 1, 2, 102], [0, 1, 1, 2]],
    ["from the middle", [1, ...nines(100), 2, 1, 2], 1, 128, [0, 1, 2, 101, 102], [0, 0, 0, 1, 2]],
    ["far behind all that is allowed", [1, ...nines(200), 2], 0, 199, [0, 1, 2], [0, 1, 1]],
    ["far, at the very end", [1, ...nines(200), 2], 0, 200, [0, 1, 2, 202], [0, 1, 1, 2]],
    ["far, from the middle", [1, ...nines(200), 2, 1, 2], 1, 250, [0, 1, 2, 201, 202], [0, 0, 0, 1, 2]],
    ["a group that came whole", [2, 1, ...nines(300)], 0, 300, [0, 1, 2], [0, 1, 2]],
    ["fewer items than members", [1], 0, 5, [0, 1], [0, 1]],
  ])("%s", (_title, actual, start, excess, lengths, matched) => {
    const windows = new GroupWindows(inputOf([[1, 2]], actual, same), new WorkBudget({ limit: LIMIT }));
    // Looking again finds the same.
    for (let time = 0; time < 2; time += 1) {
      windows.collect(0, start, excess);
      expect([windows.lengths, windows.matched]).toEqual([lengths, matched]);
    }
  });

  test.each([
    // 2 + 1 windows, and 100 items beyond.
    ["near", 100, 100, 103],
    // 2 + 1 windows; 202 items, each looked at and compared with two members; the one that equals, and where it ends.
    ["far", 200, 200, 3 + 202 + 2 * 202 + 2],
  ])("what the limit counts: %s", (_title, between, excess, cells) => {
    const budget = new WorkBudget({ limit: LIMIT });
    new GroupWindows(inputOf([[1, 2]], [1, ...nines(between), 2], same), budget).collect(0, 0, excess);
    expect([budget.affords(LIMIT - cells), budget.affords(LIMIT - cells + 1)]).toEqual([true, false]);
  });
});

describe("windows that are equally good, by what they show: match, substitute, delete, insert, nothing", () => {
  test.each([
    ["the same", 2, [0, -1], [0, -1], 0],
    ["a substitute and a match", 2, [0, -1], [0, 1], 1],
    ["a substitute and an insert", 2, [0, -1], [0, -1, 1], -1],
    ["a delete and a match", 2, [0], [0, 1], 1],
    ["a substitute and a delete", 1, [-1], [], -1],
    ["an insert and a delete, at once", 2, [-1, 0, 1], [], 1],
    ["an insert and a delete, behind a substitute", 2, [-1, -1, 0], [-1], 1],
    ["nothing and an insert", 2, [0, 1], [0, 1, -1], 1],
  ])("%s", (_title, size, left, right, sign) => {
    const order = (one: number[], other: number[]): number =>
      Math.sign(compareWindows(size, Int32Array.from(one), Int32Array.from(other)));
    expect(order(left, right)).toBe(sign);
    expect(order(right, left) + sign).toBe(0);
  });
});

test("which window comes first is told by counts as it is by what they show", () => {
  const answers = { longer: 0, shorter: 0 };
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 4 }), { maxLength: 6 }),
      fc.array(fc.nat({ max: 6 }), { maxLength: 14 }),
      fc.nat({ max: 4 }),
      fc.boolean(),
      (group, actual, start, twisted) => {
        const windows = new GroupWindows(inputOf([group], actual, twisted ? crossed : same), new WorkBudget());
        const from = Math.min(start, actual.length);
        windows.collect(0, from, 200);
        const lengths = [...windows.lengths];
        for (let longer = 1; longer < lengths.length; longer += 1) {
          for (let shorter = 0; shorter < longer; shorter += 1) {
            const shown = [longer, shorter].map((at) => finish(windows.assign(0, from, lengths[at] as number)));
            windows.collect(0, from, 200);
            const order = compareWindows(group.length, shown[0] as Int32Array, shown[1] as Int32Array);
            const work = windows.comesFirst(0, from, longer, shorter);
            let answer = work.next();
            while (answer.done !== true) answer = work.next();
            expect(answer.value).toBe(order < 0);
            answers[order < 0 ? "longer" : "shorter"] += 1;
          }
        }
      },
    ),
    { seed: 42, numRuns: scaled(1_000) },
  );
  expect(Math.min(answers.longer, answers.shorter)).toBeGreaterThan(scaled(300));
});
