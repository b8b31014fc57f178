import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../src/align/alignment.ts";

/** Spends 100 cells at a time; gives after how many cells in all it was time to pause. */
function pausesOf(budget: WorkBudget, cells: number): number[] {
  const pauses: number[] = [];
  for (let spent = 100; spent <= cells; spent += 100) {
    budget.spend(100);
    if (budget.pauses()) pauses.push(spent);
  }
  return pauses;
}

describe("slices of 8 000 cells", () => {
  test("of short lists are whole from the start", () => {
    expect(pausesOf(new WorkBudget({ slice: 8_000 }, 1_000_000), 25_000)).toEqual([8_000, 16_000, 24_000]);
  });

  test("of long lists begin with an eighth, and each has twice the cells of the one before", () => {
    const budget = new WorkBudget({ slice: 8_000 }, 1_000_001);
    expect(pausesOf(budget, 32_000)).toEqual([1_000, 3_000, 7_000, 15_000, 23_000, 31_000]);
  });

  test("of long lists begin short again where other code is about to run", () => {
    const budget = new WorkBudget({ slice: 8_000 }, 1_000_001);
    expect(pausesOf(budget, 16_000)).toEqual([1_000, 3_000, 7_000, 15_000]);
    budget.warmUp();
    expect(pausesOf(budget, 15_000)).toEqual([1_000, 3_000, 7_000, 15_000]);
    budget.warmUp();
    budget.passTime(900);
    expect(pausesOf(budget, 300)).toEqual([100]);
  });

  test("of short lists change nothing there, and a slice that is nearly over is not made longer", () => {
    const budget = new WorkBudget({ slice: 8_000 }, 10);
    expect(pausesOf(budget, 7_900)).toEqual([]);
    budget.warmUp();
    expect(pausesOf(budget, 8_100)).toEqual([100, 8_100]);
  });
});
