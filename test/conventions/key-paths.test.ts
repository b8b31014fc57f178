import fc from "fast-check";
import { expect, test } from "vitest";
import { Allowance, NOT_HELD } from "../../src/conventions/content.ts";
import { KeyPaths, type KeyTraits } from "../../src/conventions/key-paths.ts";

const traitsOf = (key: string): KeyTraits => ({ bits: key.startsWith("m") ? 1 << (key.length % 8) : 0, content: true });
const odd = fc.constantFrom("a", "b", "ma", "mb", "mcc", "__proto__", "constructor", "\u0000", "", "x".repeat(300));

/** An object with these keys of its own, `__proto__` included. */
function withKeys(keys: readonly string[]): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const key of keys) Object.defineProperty(attributes, key, { value: `v:${key}`, enumerable: true });
  return attributes;
}

test("says of any keys in any order what each of them says, and gives their values back", () => {
  const paths = new KeyPaths(traitsOf);
  fc.assert(
    fc.property(fc.uniqueArray(odd, { maxLength: 8 }), (keys) => {
      const attributes = withKeys(keys);
      // A key of NUL alone is the one that leads nowhere; it is no marker of anybody's.
      const bits = Object.keys(attributes).reduce((all, key) => all | traitsOf(key).bits, 0);
      expect(paths.walk(attributes).bits).toBe(bits);
      const { keys: path, values } = paths.collect(attributes, new Allowance(1_000));
      const rebuilt = path.toMap(values);
      for (const key of Object.keys(attributes)) {
        if (key !== "\u0000") expect(Object.getOwnPropertyDescriptor(rebuilt, key)?.value).toBe(`v:${key}`);
      }
      expect(Object.getPrototypeOf(rebuilt)).toBe(Object.prototype);
    }),
    { seed: 7, numRuns: 2_000 },
  );
});

test("spans of one place share their path", () => {
  const paths = new KeyPaths(traitsOf);
  expect(paths.walk({ a: 1, mb: 2 })).toBe(paths.walk({ a: 3, mb: 4 }));
  expect(paths.walk({ mb: 2, a: 1 })).not.toBe(paths.walk({ a: 1, mb: 2 }));
});

test("keys without end are forgotten and learnt again", () => {
  const paths = new KeyPaths(traitsOf);
  const first = paths.walk({ ma: 1 });
  for (let index = 0; index < 10_000; index += 1) expect(paths.walk({ [`k${index}`]: 1, ma: 1 }).bits).toBe(4);
  expect(paths.walk({ ma: 1 }).bits).toBe(first.bits);
  expect(paths.walk({ ma: 1 })).not.toBe(first);
});

test("a key that is too long to be remembered counts all the same", () => {
  const paths = new KeyPaths(traitsOf);
  const long = `m${"x".repeat(299)}`;
  expect(paths.walk({ [long]: 1 }).bits).toBe(1 << (300 % 8));
  expect(paths.walk({ [long]: 1 })).not.toBe(paths.walk({ [long]: 1 }));
});

test("values that are written down are held as told: short lists copied, the rest of a list's kind not held", () => {
  const paths = new KeyPaths(() => ({ bits: 0, content: false }));
  const list = ["a", 1, null];
  const given = { list, long: "x".repeat(1_025), nested: { a: 1 }, f: () => 1, n: 1 };
  const { keys, values } = paths.collect(given, new Allowance(100));
  const held = keys.toMap(values);
  expect(held).toEqual({ list, long: NOT_HELD, nested: NOT_HELD, n: 1 });
  expect(held.list).not.toBe(list);
});

test("of nested values some hundred members are copied of one span; lists of texts and numbers are copied whole", () => {
  const paths = new KeyPaths(() => ({ bits: 0, content: true }));
  const allowance = new Allowance(65_536);
  const list = (length: number): number[] => Array.from({ length }, (_, index) => index);
  const held = (...values: unknown[]): readonly unknown[] => paths.collect({ ...values }, allowance).values;
  expect(held(list(4_000), list(5_000))).toEqual([list(4_000), NOT_HELD]);
  expect(held({ ...list(513) })).toEqual([NOT_HELD]);
  allowance.renew();
  expect(held({ ...list(300) }, { ...list(200) }, { ...list(13) }, "text")).toEqual([
    { ...list(300) },
    { ...list(200) },
    NOT_HELD,
    "text",
  ]);
  allowance.renew();
  const lists = (length: number): number[][] => Array.from({ length }, () => [1]);
  expect(held(lists(511), lists(1))).toEqual([lists(511), NOT_HELD]);
});

test("of more keys than SDKs take only those are held that say something", () => {
  const paths = new KeyPaths((key) => ({ bits: key === "mark" ? 4 : 0, content: key === "text" }));
  const attributes = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, index]));
  const { keys, values, bits } = paths.collect({ ...attributes, mark: 1, other: 2, text: "t" }, new Allowance(100));
  const held = Object.fromEntries(Object.entries(attributes).slice(0, 128));
  expect([keys.toMap(values), bits]).toEqual([{ ...held, mark: 1, text: "t" }, 4]);
  expect(paths.walk({ ...attributes, mark: 1 }).bits).toBe(4);
});
