import { describe, expect, test } from "vitest";
import { assembleInSlices, assembleTrace } from "../../src/trajectory/assemble.ts";
import { buildForest } from "../../src/trajectory/tree.ts";
import { plainFacts } from "../support/facts.ts";

const SPANS = 5_000;
const spansWith = (parentOf: (index: number) => string) =>
  Array.from({ length: SPANS }, (_, index) =>
    plainFacts({
      trace_id: "t",
      span_id: `s${index}`,
      parent_id: index === 0 ? "" : parentOf(index),
      start_s: 1,
      start_n: index,
      seq: index,
    }),
  );

const pausesOf = (work: Iterator<unknown>): number => {
  let pauses = 0;
  while (work.next().done !== true) pauses += 1;
  return pauses;
};

describe.each([
  ["siblings", spansWith(() => "s0")],
  ["a chain", spansWith((index) => `s${index - 1}`)],
  ["roots", spansWith(() => "")],
  [
    "a ring",
    spansWith((index) => `s${index - 1}`).map((span, index) =>
      index === 0 ? { ...span, parent_id: `s${SPANS - 1}` } : span,
    ),
  ],
])("5,000 spans, %s", (_, spans) => {
  test("are put in trees with four pauses for each of three passes", () => {
    expect(pausesOf(buildForest(spans))).toBe(3 * Math.floor(SPANS / 256));
  });

  test("are assembled in slices as they are at once", () => {
    const work = assembleInSlices(spans);
    let pauses = 0;
    for (;;) {
      const slice = work.next();
      if (slice.done === true) {
        expect(slice.value).toEqual(assembleTrace(spans));
        break;
      }
      pauses += 1;
    }
    // The three passes of the trees, three of the walk, and the parts between which it always pauses.
    expect(pauses).toBeGreaterThan(6 * Math.floor(SPANS / 256) + 10);
  });
});

test("a short trace has no pauses in its trees", () => {
  expect(pausesOf(buildForest(spansWith(() => "s0").slice(0, 255)))).toBe(0);
});
