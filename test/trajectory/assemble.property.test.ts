import fc from "fast-check";
import { expect, test } from "vitest";
import { assembleTrace } from "../../src/trajectory/assemble.ts";
import { agent, factsOf, llm, type Sketch, tool } from "../support/spans.ts";
import { naiveTrajectory } from "./naive.ts";

const NAMES = ["a", "B", "data_analyst", "Data-Analyst"] as const;

/** Span `i` has a parent among those before it, none, or one that is not here; ids are shuffled against the tree. */
const forest = fc
  .array(
    fc.record({
      kind: fc.constantFrom("tool", "agent", "llm", "none"),
      parent: fc.integer({ min: -2, max: 11 }),
      named: fc.constantFrom(...NAMES),
      start: fc.integer({ min: 1, max: 4 }),
      length: fc.constantFrom(0, 0.5, 1, 3),
      scope: fc.constantFrom("x", "y"),
      call: fc.constantFrom("", "", "c1", "c2"),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      order: fc.shuffledSubarray(
        rows.map((_, index) => index),
        { minLength: rows.length },
      ),
    }),
  );

function sketchesOf(rows: Parameters<Parameters<typeof forest.map>[0]>[0]["rows"]): readonly Sketch[] {
  const idOf = (index: number): string => `s${(index * 7) % 12}`;
  return rows.map(({ kind, parent, named, start, length, scope, call }, index) => {
    const up = parent === -2 ? "gone" : parent >= 0 && parent < index ? idOf(parent) : "";
    // Every span has a name of its own, so that span names decide ties and step names never do.
    const more = { parent: up, start, end: start + length, scope, name: `${named} ${(index * 5) % 12}` };
    const id = idOf(index);
    if (kind === "tool") return tool(id, { ...more, named, ...(call === "" ? {} : { call }) });
    if (kind === "agent") return agent(id, { ...more, named });
    return kind === "llm" ? llm(id, more) : { id, ...more };
  });
}

test("random forests give what the plain reading of the rules gives", () => {
  fc.assert(
    fc.property(forest, ({ rows, order }) => {
      const sketches = sketchesOf(rows);
      const spans = factsOf(order.map((index) => sketches[index]).filter((one) => one !== undefined));
      const trace = assembleTrace(spans);
      const spanBorn = trace.steps.filter(({ step }) => step.source === "span");
      const want = naiveTrajectory(spans);
      expect(spanBorn.map(({ step }) => step.span_id)).toEqual(want.steps);
      expect(trace.tools.map(({ step }) => step.span_id)).toEqual(want.tools);
    }),
    { seed: 42, numRuns: 2_000 },
  );
});

test("any parents at all: every span is read once, and nothing throws", () => {
  const anyParents = fc.array(fc.integer({ min: -1, max: 14 }), { minLength: 1, maxLength: 15 });
  fc.assert(
    fc.property(anyParents, (parents) => {
      const spans = factsOf(
        parents.map((parent, index) => tool(`s${index}`, { parent: parent < 0 ? "" : `s${parent}` })),
      );
      const trace = assembleTrace(spans);
      expect(new Set(trace.tools.map(({ step }) => step.span_id)).size).toBe(parents.length);
      expect(trace.span_count).toBe(parents.length);
    }),
    { seed: 42, numRuns: 1_000 },
  );
});
