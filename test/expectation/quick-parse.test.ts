import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resolvedColumn } from "../../src/expectation/found.ts";
import { parseColumn } from "../../src/expectation/parse.ts";
import { quickNames, quickSteps } from "../../src/expectation/quick-parse.ts";
import { expectationStepsSchema, expectedToolsSchema } from "../../src/expectation/schemas.ts";

const names = fc.constantFrom("a", "_", "-_-", "", "__x", "B");
const item = fc.oneof(names, fc.array(names, { maxLength: 3 }), fc.constantFrom(1, null, undefined, {}, [["a"]]));

test("what is checked by hand is what the schema takes, and the same", () => {
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(fc.array(names, { maxLength: 4 }), fc.array(item, { maxLength: 4 }), item), (value) => {
      const steps = quickSteps(value);
      if (steps !== undefined) {
        taken += 1;
        expect(expectationStepsSchema.safeParse(value)).toEqual({ success: true, data: steps });
      }
      const tools = quickNames(value);
      if (tools !== undefined) expect(expectedToolsSchema.safeParse(value)).toEqual({ success: true, data: tools });
      // Whatever is not taken by hand is left to the schema: the answer is the schema's either way.
      expect(parseColumn("expected_steps", value).ok).toBe(expectationStepsSchema.safeParse(value).success);
    }),
    { seed: 42, numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(100);
});

describe("what the host may change is never trusted", () => {
  test("a list is copied, groups too", () => {
    const list = ["a", ["b"]];
    const parsed = parseColumn("expected_steps", list);
    if (!parsed.ok) throw new Error("not parsed");
    expect(parsed.value).toEqual(list);
    expect(parsed.value).not.toBe(list);
    expect((parsed.value as unknown[])[1]).not.toBe(list[1]);
  });
  test("a list that the host froze is not one that was checked", () => {
    expect(parseColumn("expected_steps", Object.freeze(["_"])).ok).toBe(false);
    const list = Object.freeze(["a", ["b"]]);
    expect(parseColumn("expected_steps", list)).toEqual({ ok: true, value: list });
    (list[1] as string[])[0] = "_";
    expect(parseColumn("expected_steps", list).ok).toBe(false);
  });
  test("a list changed after it was read is read again", () => {
    const list: unknown[] = ["a"];
    expect(parseColumn("expected_steps", list).ok).toBe(true);
    list[0] = 7;
    expect(parseColumn("expected_steps", list).ok).toBe(false);
  });
  test.each([
    [
      "a proxy that throws",
      new Proxy([], {
        get: () => {
          throw new Error("boom");
        },
      }),
    ],
    [
      "a list with a getter that throws",
      Object.defineProperty(["a"], 0, {
        get: () => {
          throw new Error("boom");
        },
      }),
    ],
    ["a list with holes", new Array(3)],
  ])("%s is refused, not thrown", (_title, value) => {
    expect(parseColumn("expected_steps", value)).toMatchObject({ ok: false });
  });
});

test("a value that was resolved is known, for its own column alone", () => {
  const found = resolvedColumn("expected_steps", ["a", "b"], { status: "proposed" }, "own");
  if (found.state !== "resolved") throw new Error("not resolved");
  const value = found.expectation.expected_steps;
  expect(Object.isFrozen(value)).toBe(true);
  expect(parseColumn("expected_steps", value)).toEqual({ ok: true, value });
  expect((parseColumn("expected_steps", value) as { value: unknown }).value).toBe(value);
  expect((parseColumn("expected_tools", value) as { value: unknown }).value).not.toBe(value);
});
