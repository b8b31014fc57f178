import fc from "fast-check";
import { expect, test } from "vitest";
import { align } from "../../src/align/align.ts";
import { alignOptional } from "../../src/align/align-optional.ts";
import { finish } from "../../src/align/sliced.ts";
import { modelAlign } from "./model.ts";
import { crossed, inputOf, same, scaled } from "./support.ts";

const elements = fc.array(fc.oneof(fc.nat({ max: 3 }), fc.array(fc.nat({ max: 3 }), { maxLength: 3 })), {
  maxLength: 5,
});
const actual = fc.array(fc.nat({ max: 4 }), { maxLength: 5 });
const flags = fc.array(fc.boolean(), { minLength: 5, maxLength: 5 });

test("without optional items it is the general aligner, entry by entry", () => {
  fc.assert(
    fc.property(elements, actual, fc.boolean(), (list, items, twisted) => {
      const input = inputOf(list, items, twisted ? crossed : same);
      expect(finish(alignOptional(input, new Uint8Array(list.length)))).toEqual(align(input));
    }),
    { seed: 42, numRuns: scaled(1_000) },
  );
});

test("with optional items: least cost, then most matches, of all lists that keep or drop them", () => {
  let optionals = 0;
  fc.assert(
    fc.property(elements, actual, flags, (list, items, wanted) => {
      const optional = list.map((element, index) => typeof element === "number" && wanted[index] === true);
      const places = optional.flatMap((is, index) => (is ? [index] : []));
      optionals += places.length > 0 ? 1 : 0;
      let best: { cost: number; matches: number } | undefined;
      for (let mask = 0; mask < 2 ** places.length; mask += 1) {
        const dropped = new Set(places.filter((_place, bit) => (mask >> bit) % 2 === 1));
        const kept = list.filter((_element, index) => !dropped.has(index));
        const { cost, matches } = modelAlign({ elements: kept, actual: items, equal: same });
        if (best === undefined || cost < best.cost || (cost === best.cost && matches > best.matches)) {
          best = { cost, matches };
        }
      }
      const found = finish(
        alignOptional(
          inputOf(list, items, same),
          Uint8Array.from(optional, (is) => (is ? 1 : 0)),
        ),
      );
      if (!found.ok) throw new Error("over limit");
      expect({ cost: found.cost, matches: found.matches }).toEqual(best);
      // Every observed item has one entry, every item that is not optional too; an optional one only as a match.
      expect(found.entries.filter(({ actual: place }) => place >= 0).map(({ actual: place }) => place)).toEqual(
        items.map((_item, index) => index),
      );
      for (const { element, op } of found.entries) if (optional[element]) expect(op).toBe("match");
    }),
    { seed: 42, numRuns: scaled(500) },
  );
  expect(optionals).toBeGreaterThan(scaled(200));
});

// Ten items and ten others have a table of 11 * 11 cells, each of which counts six times: 726.
// A group of three, an item, and four observed: 5 * 3 * 6 = 90 for the table. Of the group's windows 4 + 4 + 3 + 2 + 1
// from the five places, and one more item that is looked at beyond its size: 15. The window 3 9 1 is not the group, so
// its items are matched: each is compared with three members and counts once, 3 and 1 find a member each: 14.
test.each([
  ["items with nothing in common", Array.from({ length: 10 }, (_item, at) => at), new Array(10).fill(99), 726],
  ["a group, spelled in the end", [[1, 2, 3], 4], [3, 9, 1, 4], 119],
])("what the limit counts: %s", (_title, list, items, cells) => {
  const optional = Uint8Array.from(list, (element) => (typeof element === "number" ? 1 : 0));
  const within = (limit?: number) => finish(alignOptional(inputOf(list, items, same, limit), optional));
  expect(within(cells)).toEqual(within());
  expect(within(cells)).toMatchObject({ ok: true });
  for (let limit = 0; limit < cells; limit += 1) expect(within(limit)).toEqual({ ok: false, reason: "over_limit" });
});
