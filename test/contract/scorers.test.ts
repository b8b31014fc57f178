import { expect, test } from "vitest";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { defineScorer } from "../../src/score/define-scorer.ts";
import { manifests } from "../../src/score/manifests.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { type ContractSubject, scorerContract } from "./scorer.ts";

const steps: ContractSubject["expectationFor"] = (list) => ({ expected_steps: list.map((step) => step.name) });
const annotations = { t1: { expected_steps: '["a",["b","a"]]', expected_tools: '["a"]' } };

const subjects: readonly ContractSubject[] = [
  { title: "step accuracy", scorer: stepAccuracy(), expectationFor: steps },
  {
    title: "step accuracy, all options",
    scorer: stepAccuracy({ metric_name: "steps_exact", names: "exact", threshold: 0.5, unit: "session" }),
    expectationFor: steps,
  },
  {
    title: "step accuracy, strict position",
    scorer: stepAccuracy({ scoring_method: "strict_position" }),
    expectationFor: steps,
  },
  {
    title: "step accuracy, one group",
    scorer: stepAccuracy({ threshold: 1 }),
    expectationFor: (list) => ({ expected_steps: [list.map((step) => step.name).reverse()] }),
  },
  {
    title: "tool selection accuracy",
    scorer: toolSelectionAccuracy(),
    expectationFor: (list) => ({ expected_tools: list.map((step) => step.name) }),
  },
  {
    title: "tool selection accuracy, all options",
    scorer: toolSelectionAccuracy({ names: "exact", threshold: 1, treat_no_calls_as_zero: true }),
    expectationFor: (list) => ({ expected_tools: list.map((step) => step.name) }),
  },
];

for (const subject of subjects) scorerContract(subject);

test("every scorer of the package is under contract", () => {
  const covered = new Set(subjects.map(({ scorer }) => scorer.name));
  expect(manifests().length).toBeGreaterThanOrEqual(2);
  expect(
    manifests()
      .map(({ name }) => name)
      .filter((name) => !covered.has(name)),
  ).toEqual([]);
});

test("annotations reach the scorer however it is called", () => {
  const bare = { unit: "trajectory", unit_id: "trajectory:t1", steps: [{ kind: "TOOL", name: "a" }] } as const;
  // ["a", ["b", "a"]] against [a]: the group is deleted, 2 of 3.
  expect(stepAccuracy({ annotations }).score(bare)).toMatchObject({ status: "scored", score: 1 - 2 / 3 });
  expect(toolSelectionAccuracy({ annotations }).score(bare)).toMatchObject({ status: "scored", score: 1 });
});

test("a custom scorer has a full manifest and is no built-in", async () => {
  const scorer = defineScorer({
    name: "shop.short",
    version: "1.2.0",
    metric_name: "short",
    units: ["trajectory", "session"],
    columns: ["expected_steps"],
    needs: ["TOOL"],
    timeout_seconds: 5,
    score: async ({ steps: list }) => ({
      status: "scored",
      score: list.length < 3 ? 1 : 0,
      label: "informational",
      metadata: {},
    }),
  });
  expect(isBuiltIn(scorer)).toBe(false);
  expect(Object.keys(scorer.manifest).sort()).toEqual(Object.keys(stepAccuracy().manifest).sort());
  expect(scorer.manifest).toMatchObject({
    name: "shop.short",
    version: "1.2.0",
    partition_types: ["trace", "session"],
    required_kinds: [{ anyOf: ["TOOL"] }],
    required_columns: ["expected_steps"],
    execution: { timeout_seconds: 5, max_concurrency: 4 },
  });
  expect(await scorer.score({ unit: "trajectory", unit_id: "x", steps: [] })).toMatchObject({ score: 1 });
});
