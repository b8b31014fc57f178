import fc from "fast-check";
import { expect, test } from "vitest";
import { align, alignFree } from "../../src/align/align.ts";
import { modelAlign } from "./model.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

function check(
  elements: readonly (number | readonly number[])[],
  actual: readonly number[],
  equal: (expected: number, actual: number) => boolean,
): void {
  const result = align(inputOf(elements, actual, equal));
  const model = modelAlign({ elements, actual, equal });
  if (!result.ok) throw new Error("over limit");
  const free = alignFree(inputOf(elements, actual, equal));
  if (free !== undefined) expect(free).toEqual(result);
  else if (equal === same) expect(result.cost).toBeGreaterThan(0);
  expect(result.cost).toBe(model.cost);
  expect(result.matches).toBe(model.matches);
  expect(result.entries).toEqual(model.entries);
}

const runs = { seed: 42, numRuns: scaled(3000) };

test("plain items: equal to the model that lists every alignment", () => {
  const items = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 6 });
  fc.assert(
    fc.property(items, items, (elements, actual) => check(elements, actual, same)),
    runs,
  );
});

test("groups, duplicates and empty groups: equal to the model", () => {
  const item = fc.integer({ min: 0, max: 3 });
  const element = fc.oneof(item, fc.array(item, { maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(element, { maxLength: 4 }), fc.array(item, { maxLength: 7 }), (elements, actual) =>
      check(elements, actual, same),
    ),
    runs,
  );
});

test("an equality that differs by kind, as tool and agent names do: equal to the model", () => {
  const expectedItem = fc.integer({ min: 0, max: 3 });
  const element = fc.oneof(expectedItem, fc.array(expectedItem, { maxLength: 4 }));
  const actualItem = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 8, max: 11 }));
  fc.assert(
    fc.property(fc.array(element, { maxLength: 3 }), fc.array(actualItem, { maxLength: 6 }), (elements, actual) =>
      check(elements, actual, crossed),
    ),
    runs,
  );
});
