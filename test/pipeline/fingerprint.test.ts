import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../src/align/sliced.ts";
import { fingerprint, hashLists } from "../../src/pipeline/fingerprint.ts";

describe("fingerprint", () => {
  test("copies have one fingerprint, different data have different ones", () => {
    const seen = new Map<number, string>();
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        const hash = fingerprint(value);
        expect(fingerprint(structuredClone(value))).toBe(hash);
        // -0 is written as 0.
        if (text.includes("-0") || Object.is(value, -0)) return;
        const other = seen.get(hash);
        if (other !== undefined) expect(JSON.parse(other)).toEqual(JSON.parse(text));
        seen.set(hash, text);
      }),
      { numRuns: 3_000 },
    );
    expect(seen.size).toBeGreaterThan(1_000);
  });

  test.each<readonly [name: string, one: unknown, other: unknown]>([
    ["a number and its text", 1, "1"],
    ["null and the text null", null, "null"],
    ["true and false", true, false],
    ["an absent and an empty text", [null], [""]],
    ["nesting", [["a"], "b"], [["a", "b"]]],
    ["nesting of objects", { a: { b: 1 } }, { a: {}, b: 1 }],
    ["order of items", ["a", "b"], ["b", "a"]],
    ["empty lists and objects", [], {}],
    ["fractions", 0.1 + 0.2, 0.3],
    ["large integers", 2 ** 53, 2 ** 53 - 1],
    ["signs", 1, -1],
    ["a number whose bits look like a list", 2.5e-323, []],
  ])("%s differ", (_, one, other) => {
    expect(fingerprint(one)).not.toBe(fingerprint(other));
  });

  test("all of many results that differ in one place differ", () => {
    const hashes = new Set<number>();
    for (let place = 0; place < 200; place += 1) {
      for (let other = 0; other < 100; other += 1) {
        const steps = Array.from({ length: 200 }, (_, index) => ({
          op: "match",
          index: index === place ? 1_000 + other : index,
        }));
        hashes.add(fingerprint({ score: 0.5, steps }));
      }
    }
    expect(hashes.size).toBe(200 * 100);
  });

  test("long lists have one fingerprint, whether or not they were hashed beforehand, and differ in every place", () => {
    const made = (changed = -1) => ({
      steps: Array.from({ length: 700 }, (_, index) => ({ op: "match", index: index === changed ? -7 : index })),
      names: Array.from({ length: 300 }, (_, index) => `name ${index}`),
    });
    const metadata = made();
    const cold = fingerprint([metadata, true]);
    let pauses = 0;
    for (const work = hashLists(metadata); work.next().done !== true; ) pauses += 1;
    // 700 are three parts, 300 are two.
    expect([pauses, fingerprint([metadata, true]), fingerprint([made(), true])]).toEqual([5, cold, cold]);
    const hashes = new Set([cold]);
    for (const place of [0, 255, 256, 511, 512, 699]) {
      const other = made(place);
      finish(hashLists(other));
      hashes.add(fingerprint([other, true]));
    }
    expect(hashes.size).toBe(7);
    // The same items in another number of lists, or in another order of parts.
    const { steps } = metadata;
    expect(fingerprint([...steps.slice(256, 512), ...steps.slice(0, 256), ...steps.slice(512)])).not.toBe(
      fingerprint(steps),
    );
    expect(fingerprint([steps.slice(0, 300), steps.slice(300)])).not.toBe(fingerprint([steps]));
  });

  test("a long ring is refused, and hashing it beforehand changes nothing", () => {
    const ring: unknown[] = Array.from({ length: 300 }, () => 1);
    ring[10] = ring;
    finish(hashLists({ ring }));
    expect(() => fingerprint(ring)).toThrow(RangeError);
  });

  test("a ring, and branches that unfold without end, are refused in bounded time", () => {
    const ring: unknown[] = [];
    ring.push(ring);
    expect(() => fingerprint(ring)).toThrow(RangeError);
    let doubled: unknown = ["x"];
    for (let depth = 0; depth < 60; depth += 1) doubled = [doubled, doubled];
    expect(() => fingerprint(doubled)).toThrow(RangeError);
  });
});
