import type { AlignmentInput } from "../../src/align/alignment.ts";

/** Flattens a list of items and groups into what the aligner takes. */
export function inputOf(
  elements: readonly (number | readonly number[])[],
  actual: readonly number[],
  equal: AlignmentInput["equal"],
  limit?: number,
): AlignmentInput {
  const expected: number[] = [];
  const offsets: number[] = [0];
  for (const element of elements) {
    expected.push(...(typeof element === "number" ? [element] : element));
    offsets.push(expected.length);
  }
  return {
    expected: Int32Array.from(expected),
    offsets: Int32Array.from(offsets),
    grouped: Uint8Array.from(elements, (element) => (typeof element === "number" ? 0 : 1)),
    actual: Int32Array.from(actual),
    equal,
    ...(limit === undefined ? {} : { limit }),
  };
}

export const same: AlignmentInput["equal"] = (expected, actual) => expected === actual;

/** Equality that is not transitive: each side has 16 classes of two bits of kind and spelling, as names have. */
export const crossed: AlignmentInput["equal"] = (expected, actual) =>
  actual >= 8 ? expected === actual - 8 : expected >> 1 === actual >> 1;

/** So many runs of a property, or a share of them where each test runs thousands of times. */
export const scaled = (runs: number): number => Math.ceil(runs * Number(process.env.PROPERTY_SCALE ?? 1));
