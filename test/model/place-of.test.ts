import { expect, test } from "vitest";
import { placeOf } from "../../src/model/errors.ts";

function withStack(message: string, stack: unknown): Error {
  return Object.defineProperty(new Error(message), "stack", { value: stack });
}

test("a real error: the first frame", () => {
  expect(placeOf(new TypeError("secret"))).toMatch(/^at .*place-of\.test\.ts:\d+:\d+\)?$/);
});

test.each<readonly [what: string, error: unknown, place: string | undefined]>([
  ["a frame", withStack("m", "Error: m\n    at f (file:///a.mjs:1:2)\n    at g (b)"), "at f (file:///a.mjs:1:2)"],
  ["a message that looks like one", withStack("x\n    at secret", "Error: x\n    at secret\n    at f (a)"), "at f (a)"],
  ["no frame behind the message", withStack("x\n    at secret", "Error: x\n    at secret"), undefined],
  ["a message that was changed", withStack("other", "Error: x\n    at f (a)"), undefined],
  ["no stack", withStack("m", undefined), undefined],
  ["no error", "text", undefined],
  [
    "a stack that throws",
    Object.defineProperty(new Error("m"), "stack", {
      get(): never {
        throw new Error("no");
      },
    }),
    undefined,
  ],
])("%s", (_, error, place) => {
  expect(placeOf(error)).toBe(place);
});
