import fc from "fast-check";
import { expect, test } from "vitest";
import { portableSha256Hex, sha256Hex, utf8Of } from "../../src/model/digest.ts";

/** Texts of any code units, half pairs included. */
const texts = fc
  .array(fc.oneof(fc.nat(0xffff), fc.integer({ min: 0xd800, max: 0xdfff }), fc.nat(0x7f)))
  .map((codes) => String.fromCharCode(...codes));

test("UTF-8 without an encoder is what an encoder writes", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect([...utf8Of(text)]).toEqual([...new TextEncoder().encode(text)]);
    }),
  );
});

test("Node's digest is the portable one", () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(sha256Hex(text)).toBe(portableSha256Hex(text));
    }),
  );
});

test("the digest is SHA-256, with an encoder and without", () => {
  // FIPS 180-2, appendix B.1.
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  expect(sha256Hex("abc")).toBe(abc);
  expect(portableSha256Hex("abc")).toBe(abc);
  const { TextEncoder: encoder } = globalThis;
  Object.assign(globalThis, { TextEncoder: undefined });
  try {
    expect(portableSha256Hex("abc")).toBe(abc);
  } finally {
    Object.assign(globalThis, { TextEncoder: encoder });
  }
});
