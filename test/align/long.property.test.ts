import fc from "fast-check";
import { expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";
import { tableAlign } from "./table-model.ts";

const RANK = { match: "0", substitute: "1", delete: "2", insert: "3" };

function check(
  elements: readonly (number | readonly number[])[],
  actual: readonly number[],
  equal: (expected: number, actual: number) => boolean,
): void {
  const result = align(inputOf(elements, actual, equal));
  const model = tableAlign({ elements, actual, equal });
  if (!result.ok) throw new Error("over limit");
  const spelled = result.entries.map((entry) => RANK[entry.op]).join("");
  expect({ cost: result.cost, matches: result.matches, spelled }).toEqual({
    cost: model.cost,
    matches: model.matches,
    spelled: model.spelled,
  });
}

test("long plain lists: equal to a plain full table", () => {
  const items = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 40, size: "max" });
  fc.assert(
    fc.property(items, items, (elements, actual) => check(elements, actual, same)),
    { seed: 42, numRuns: scaled(500) },
  );
});

test("long lists with a few edits and groups: equal to a plain full table", () => {
  const item = fc.integer({ min: 0, max: 9 });
  const element = fc.oneof({ weight: 4, arbitrary: item }, { weight: 1, arbitrary: fc.array(item, { maxLength: 3 }) });
  const edit = fc.record({ at: fc.nat(40), remove: fc.nat(2), insert: fc.array(item, { maxLength: 2 }) });
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 16, size: "max" }),
      fc.array(edit, { maxLength: 3 }),
      fc.boolean(),
      (elements, edits, reversed) => {
        const actual = elements.flatMap((each) =>
          typeof each === "number" ? [each] : reversed ? [...each].reverse() : each,
        );
        for (const { at, remove, insert } of edits) actual.splice(at, remove, ...insert);
        check(elements, actual, same);
      },
    ),
    { seed: 42, numRuns: scaled(400) },
  );
});

test("groups all over, an equality that differs by kind: equal to a plain full table", () => {
  const item = fc.integer({ min: 0, max: 3 });
  const element = fc.oneof(item, fc.array(item, { maxLength: 3 }));
  const observed = fc.oneof(item, fc.integer({ min: 8, max: 11 }));
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 6 }),
      fc.array(observed, { maxLength: 9, size: "max" }),
      (elements, actual) => check(elements, actual, crossed),
    ),
    { seed: 42, numRuns: scaled(300) },
  );
});
