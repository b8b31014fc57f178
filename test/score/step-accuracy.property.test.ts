import fc from "fast-check";
import { expect, test } from "vitest";
import type { ExpectedStep } from "../../src/model/expectation.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { modelAlign } from "../align/model.ts";
import { scaled } from "../align/support.ts";
import { occurrenceOf, scored } from "./support.ts";

const NAMES = [
  "a",
  "A",
  "a_",
  "-a-",
  "b",
  "mcp__s__a",
  "MCP__S__A",
  "__proto__",
  "proto",
  "r\u00e9",
  "re\u0301",
  "\u0130",
  "i\u0307",
  "ß",
  "ss",
];

const expectedName = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.record(
  {
    kind: fc.constantFrom("TOOL" as const, "TOOL" as const, "AGENT" as const),
    name: fc.constantFrom(...NAMES, "", "_"),
    raw_name: fc.constantFrom("mcp__s__a", "mcp__t__a", "mcp__s__A_"),
  },
  { requiredKeys: ["kind", "name"] },
);

/** Rule 9, written out for one pair. */
function namesEqual(expected: string, actual: Step, exact: boolean): boolean {
  if (actual.kind === "AGENT") return expected === actual.name;
  const plain = (name: string): string => (exact ? name : name.toLowerCase().split(/[-_]/).join(""));
  const called = expected.startsWith("mcp__") ? (actual.raw_name ?? actual.name) : actual.name;
  return plain(expected) === plain(called);
}

test.each(["normalized", "exact"] as const)(
  "odd names, agents, groups, duplicates: equal to the model (%s)",
  (names) => {
    const scorer = stepAccuracy({ names });
    const element = fc.oneof(expectedName, fc.array(expectedName, { maxLength: 3 }));
    const elements = fc
      .array(element, { minLength: 1, maxLength: 4 })
      .filter((list) => list.some((item) => item.length > 0));
    fc.assert(
      fc.property(elements, fc.array(step, { maxLength: 6 }), (expected, steps) => {
        const flat: string[] = expected.flat();
        let next = 0;
        const model = modelAlign({
          // Every member is its own class, so the model sees each pair of names by itself.
          elements: expected.map((item) => (typeof item === "string" ? next++ : item.map(() => next++))),
          actual: steps.map((_, index) => index),
          equal: (member, index) => namesEqual(flat[member] as string, steps[index] as Step, names === "exact"),
        });
        const result = scored(scorer.score(occurrenceOf(steps, { expected_steps: expected as ExpectedStep[] })));
        expect(result.score).toBeCloseTo(1 - model.cost / Math.max(flat.length, steps.length), 9);
        expect(result.metadata).toMatchObject({
          edit_distance: model.cost,
          correct_steps: model.matches,
          total_steps: flat.length,
          steps: model.entries.map(({ op, element: at, member, actual }) => ({
            op,
            expected: member < 0 ? null : flat[member],
            actual: actual < 0 ? null : steps[actual]?.name,
            expected_index: member < 0 ? null : at,
            actual_index: actual < 0 ? null : actual,
            ...(at >= 0 && typeof expected[at] !== "string" ? { group: at } : {}),
          })),
        });
      }),
      { seed: 42, numRuns: scaled(2000) },
    );
  },
);
