import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordYaml } from "../../src/cli/record-yaml.ts";
import { parseExpectations } from "../../src/expectation/parse.ts";
import { parseYaml } from "../../src/files/parse-yaml.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { type ObservedUnit, propose } from "../../src/record/propose.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";

const SEED = { seed: 42, numRuns: 150 };

function unitOf(steps: readonly Step[], index: number, attributes: Record<string, unknown> = {}): ObservedUnit {
  const request: ResolutionRequest = {
    unit: "trajectory",
    unit_id: `trajectory:${index}`,
    trace_ids: [String(index)],
    agent: "assistant",
    root_span: "root",
    attributes,
    resource: {},
    attribute_layers: [attributes],
    contextual: [],
    span_annotations: [],
  };
  return { occurrence: { unit: "trajectory", unit_id: `trajectory:${index}`, steps }, request };
}

/** Few names, so that runs share them, repeat them and disagree about their order. */
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom("a", "b", "c", "A", "d-e", "D_E").map((name): Step => ({ kind: "TOOL", name })),
  fc.constantFrom("a", "planner", "Planner").map((name): Step => ({ kind: "AGENT", name })),
  fc.constant<Step>({ kind: "TOOL", name: "mcp__x", raw_name: "mcp__a__mcp__x" }),
  fc.constant<Step>({ kind: "TOOL", name: "find", raw_name: "mcp__server__find" }),
);
const runs = fc.array(fc.array(step, { maxLength: 7 }), { minLength: 1, maxLength: 5 });

/** The rules of a recording as a file gives them back. */
function readBack(units: readonly ObservedUnit[], attribute?: string) {
  const parsed = parseExpectations(parseYaml(recordYaml(propose(units, attribute).proposals)), "recorded.yaml");
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  return parsed.rules;
}

describe("a recording", () => {
  test("scores every run that it was drawn from with 1", () =>
    fc.assert(
      fc.property(runs, (lists) => {
        const units = lists.map((steps, index) => unitOf(steps, index));
        const rules = readBack(units);
        expect(rules).toHaveLength(1);
        const { expected_steps, expected_tools } = rules[0] ?? {};
        for (const { occurrence } of units) {
          if (expected_steps !== undefined) {
            const result = stepAccuracy().score({ ...occurrence, expectation: { expected_steps } });
            expect(result).toMatchObject({ status: "scored", score: 1 });
          }
          if (expected_tools !== undefined) {
            const result = toolSelectionAccuracy().score({ ...occurrence, expectation: { expected_tools } });
            expect(result).toMatchObject({ status: "scored", score: 1 });
          }
        }
        expect(expected_steps === undefined).toBe(lists.every((list) => list.length === 0));
      }),
      SEED,
    ));

  test("of runs that were all the same is that run", () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 4 }),
        (names, times) => {
          const steps = names.map((name): Step => ({ kind: "TOOL", name }));
          const rules = readBack(Array.from({ length: times }, (_, index) => unitOf(steps, index)));
          expect(rules[0]?.expected_steps).toEqual(names);
        },
      ),
      SEED,
    ));

  test("reads back as it was written, whatever names and cases are called", () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" })), {
          minLength: 1,
          maxLength: 4,
        }),
        (rows) => {
          const units = rows.map(([name, value], index) => unitOf([{ kind: "TOOL", name }], index, { case: value }));
          const { proposals } = propose(units, "case");
          expect(proposals.length === 0 ? [] : readBack(units, "case")).toEqual(proposals.map(({ rule }) => rule));
        },
      ),
      SEED,
    ));

  test("gives every rule an id of its own", () => {
    const units = ["x", "X", "x!", "x-2", "", "…"].map((value, index) =>
      unitOf([{ kind: "TOOL", name: "a" }], index, { case: value }),
    );
    const ids = propose(units, "case").proposals.map(({ rule }) => rule.id);
    expect(ids).toEqual(["x", "x-2", "x-3", "x-2-2", "case", "assistant"]);
  });
});
