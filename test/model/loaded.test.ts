import { expect, test } from "vitest";
import { exportsOf } from "../../src/model/loaded.ts";

test.each([
  ["8", () => import("protobufjs/minimal.js")],
  // Its exports cannot be told from its text: all of them are the default export.
  ["7", () => import("protobufjs-7/minimal.js")],
])("the readers and writers of protobufjs %s are found", async (_, load) => {
  const { Reader, Writer } = exportsOf(await load());
  expect(Reader.create(Writer.create().uint32(300).finish()).uint32()).toBe(300);
});

test.each<readonly [what: string, imported: object, exports: unknown]>([
  ["named exports beside a default one", { default: { a: 1 }, b: 2 }, { default: { a: 1 }, b: 2 }],
  ["a default export alone", { default: { a: 1 } }, { a: 1 }],
  ["and as newer versions of Node show it", { default: { a: 1 }, "module.exports": { a: 1 } }, { a: 1 }],
  ["a default export that has none", { default: 7 }, { default: 7 }],
  ["nothing", {}, {}],
])("exports: %s", (_, imported, exports) => {
  expect(exportsOf(imported)).toEqual(exports);
});
