import { expect, test } from "vitest";
import { RecentIds } from "../../src/buffer/recent-ids.ts";

test("remembers at least half its capacity and never more than all of it", () => {
  const ids = new RecentIds(10);
  for (let index = 0; index < 100; index += 1) ids.add(`id-${index}`);
  const known = Array.from({ length: 100 }, (_, index) => index).filter((index) => ids.has(`id-${index}`));
  expect(known.length).toBeGreaterThanOrEqual(5);
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known.at(-1)).toBe(99);
  expect(known).toEqual(known.map((_, place) => (known[0] as number) + place));
});
