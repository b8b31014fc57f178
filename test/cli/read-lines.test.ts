import fc from "fast-check";
import { expect, test } from "vitest";
import { Lines, textOf } from "../../src/cli/read-lines.ts";
import { RequestReader } from "../../src/cli/read-requests.ts";

/** Texts of the lines; null of one that is too long. */
function linesOf(text: string, sizes: readonly number[], maxBytes?: number): (string | null)[] {
  const bytes = Buffer.from(text);
  const lines = new Lines(maxBytes);
  const found: (string | null)[] = [];
  const take = (some: ReturnType<Lines["of"]>): void => {
    for (const line of some) {
      expect(line.number).toBe(found.length + 1);
      found.push(line.tooLong ? null : textOf(line));
    }
  };
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] as number;
    take(lines.of(Buffer.from(bytes.subarray(at, at + size))));
    at += size;
  }
  take(lines.rest());
  return found;
}

test("a line that is too long is let go, whatever comes in which pieces, and the next one is read", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "\n"), maxLength: 60 });
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(text, sizes, (given, pieces) => {
      const plain = given.split("\n");
      if (plain.at(-1) === "") plain.pop();
      expect(linesOf(given, pieces)).toEqual(plain);
      expect(linesOf(given, pieces, 6)).toEqual(plain.map((line) => (Buffer.byteLength(line) > 6 ? null : line)));
    }),
  );
});

test("a line that is too long is told, and ends what went before it", () => {
  const told: [number, string][] = [];
  const reader = new RequestReader((line, problem) => told.push([line, problem]));
  const line = (number: number, text: string, tooLong = false) => ({ number, bytes: Buffer.from(text), tooLong });
  expect(reader.feed(line(1, "{"))).toBeUndefined();
  expect(reader.feed(line(2, "", true))).toBeUndefined();
  expect(reader.feed(line(3, "{}"))).toEqual({ line: 3, value: {} });
  expect(told).toEqual([
    [1, "not JSON: it ends too early"],
    [2, "a line of more than 536870912 bytes"],
  ]);
});
