import fc from "fast-check";
import { expect, test } from "vitest";
import { WorkBudget } from "../../src/align/alignment.ts";
import { GroupMatcher } from "../../src/align/matching.ts";
import { finish } from "../../src/align/sliced.ts";
import { modelAssign } from "./model.ts";
import { scaled } from "./support.ts";

test("a random equality table: sizes and members taken as the model finds them by trying everything", () => {
  const members = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 5 });
  const items = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 6 });
  const table = fc.array(fc.boolean(), { minLength: 25, maxLength: 25 });
  fc.assert(
    fc.property(members, items, table, (classes, window, cells) => {
      const equal = (expected: number, actual: number): boolean => cells[expected * 5 + actual] === true;
      const matcher = new GroupMatcher(Int32Array.from(classes), equal, new WorkBudget());
      const model = modelAssign(equal, classes, window);
      expect([...finish(matcher.assign(Int32Array.from(window)))]).toEqual(model);
      matcher.reset();
      const sizes = window.map((item) => {
        const before = matcher.matched;
        expect(matcher.add(item)).toBe(matcher.matched > before);
        return matcher.matched;
      });
      const sizeOf = (length: number): number =>
        modelAssign(equal, classes, window.slice(0, length)).filter((position) => position >= 0).length;
      expect(sizes).toEqual(window.map((_, index) => sizeOf(index + 1)));
    }),
    { seed: 42, numRuns: scaled(5000) },
  );
});

test("more distinct members than are searched one by one: taken as the model finds them", () => {
  const members = fc.uniqueArray(fc.nat(29), { minLength: 17, maxLength: 24, size: "max" });
  const items = fc.array(fc.nat(9), { maxLength: 5 });
  fc.assert(
    fc.property(members, items, fc.integer({ min: 1, max: 9 }), (classes, window, modulus) => {
      // An item equals the members that share its remainder, and those that are three times it.
      const equal = (expected: number, actual: number): boolean =>
        expected === actual * 3 || (expected % 10 === actual % modulus && expected % 4 === 1);
      const matcher = new GroupMatcher(Int32Array.from(classes), equal, new WorkBudget());
      expect([...finish(matcher.assign(Int32Array.from(window)))]).toEqual(modelAssign(equal, classes, window));
    }),
    { seed: 42, numRuns: scaled(1000) },
  );
});
