import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOut } from "../../src/kafka/assignor.ts";
import { nameOf } from "../../src/kafka/client.ts";

const places = (count: number): { topic: string; partition: number }[] =>
  Array.from({ length: count }, (_, partition) => ({ topic: "t", partition }));

/** Which member has which partition. */
function owners(members: readonly string[], count: number): Map<string, string> {
  return new Map(
    [...shareOut(members, places(count))].flatMap(([member, share]) =>
      share.map((place): [string, string] => [nameOf(place), member]),
    ),
  );
}

test("every partition has one owner, no member has two more than another, and the order of members is nothing", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 8 }),
      fc.nat(40),
      (members, count) => {
        const shares = shareOut(members, places(count));
        const sizes = [...shares.values()].map(({ length }) => length);
        expect([...shares.values()].flat().map(nameOf).sort()).toEqual(places(count).map(nameOf).sort());
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect(shareOut([...members].reverse(), places(count))).toEqual(shares);
      },
    ),
    { numRuns: 60 },
  );
});

test("where a member joins, those that stay keep most of what they need not give", () => {
  const members = ["a", "b", "c", "d"].map((name) => `otel-trajectory-${name}`);
  const before = owners(members.slice(0, 3), 48);
  const after = owners(members, 48);
  const moved = [...after].filter(([name, member]) => before.get(name) !== member);
  const toOld = moved.filter(([, member]) => member !== members[3]);
  expect(moved.filter(([, member]) => member === members[3])).toHaveLength(12);
  // All in turn would move three quarters of them.
  expect(toOld.length).toBeLessThanOrEqual(12);
});
