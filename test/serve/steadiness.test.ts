import { describe, expect, test } from "vitest";
import { MOST_PER_HOUR, steadiness } from "../../bench/steadiness.mjs";

/** Half an hour of samples, each 10 s, around 100 MiB alive and 300 resident. */
function samples(live: (hours: number, index: number) => number, resident = (_: number): number => 300) {
  return Array.from({ length: 180 }, (_, index) => {
    const seconds = index * 10;
    return { seconds, live: live(seconds / 3_600, index), resident: resident(seconds / 3_600) };
  });
}
/** What the garbage collector leaves by chance: the same in every run, and without a slope. */
const noise = (index: number): number => [3, -2, 5, -5, 2, -3][index % 6] as number;

describe("memory of a steady load", () => {
  test("is flat where only chance moves it", () => {
    const { live, resident, slope, twoErrors, verdict } = steadiness(samples((_, index) => 100 + noise(index)));
    expect(verdict).toBe("flat");
    expect(Math.abs(slope)).toBeLessThan(twoErrors);
    expect([live, resident]).toEqual([
      [102, 102, 102],
      [300, 300, 300],
    ]);
  });

  test("is not flat where it grows for certain, and is where it grew before the last two thirds", () => {
    const leak = steadiness(samples((hours, index) => 100 + 40 * hours + noise(index)));
    expect(leak.verdict).toBe("not flat");
    expect(Math.abs(leak.slope - 40)).toBeLessThan(leak.twoErrors);
    expect(leak.slope - leak.twoErrors).toBeGreaterThan(MOST_PER_HOUR);
    expect(steadiness(samples((hours) => Math.min(100, 20 + 600 * hours))).verdict).toBe("flat");
  });

  test("is not flat where more and more is resident that is not on the heap", () => {
    expect(
      steadiness(
        samples(
          () => 100,
          (hours) => 300 + 400 * hours,
        ),
      ).verdict,
    ).toBe("not flat");
  });

  test("cannot be told from samples that differ much, or of a few minutes", () => {
    const rough = samples((_, index) => 100 + 20 * noise(index));
    expect(steadiness(rough).verdict).toBe("too short to tell");
    expect(steadiness(samples((hours) => 100 + 400 * hours).slice(0, 60)).verdict).toBe("too short to tell");
    expect(() => steadiness(rough.slice(0, 8))).toThrow(RangeError);
  });

  test("is judged by samples that a collection of garbage has preceded", () => {
    const every = samples((hours, index) => 100 + 40 * hours + noise(index));
    const some = every.map((sample, index) => (index % 3 === 0 ? sample : { ...sample, live: undefined }));
    expect(steadiness(some)).toEqual(steadiness(every.filter((_, index) => index % 3 === 0)));
  });
});
