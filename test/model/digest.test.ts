import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256Hex, utf8Of } from "../../src/model/digest.ts";

test("UTF-8 without an encoder is what an encoder writes, half pairs included", () => {
  const units = fc.array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f)));
  fc.assert(
    fc.property(units, (codes) => {
      const text = String.fromCharCode(...codes);
      expect([...utf8Of(text)]).toEqual([...new TextEncoder().encode(text)]);
    }),
  );
});

test("the digest is SHA-256, with an encoder and without", () => {
  // FIPS 180-2, appendix B.1.
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(sha256Hex("abc")).toBe(abc);
  const { TextEncoder: encoder } = globalThis;
  Object.assign(globalThis, { TextEncoder: undefined });
  try {
    expect(sha256Hex("abc")).toBe(abc);
  } finally {
    Object.assign(globalThis, { TextEncoder: encoder });
  }
});
