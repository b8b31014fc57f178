import { expect, test } from "vitest";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { forbiddenTools } from "../../src/score/checks/forbidden-tools.ts";
import { maxCalls } from "../../src/score/checks/max-calls.ts";
import { defineScorer } from "../../src/score/define-scorer.ts";
import { manifests } from "../../src/score/manifests.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../src/score/path/order-aware.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { trajectoryMatch } from "../../src/score/path/trajectory-match.ts";
import { rubric } from "../../src/score/rubric/rubric.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";
import { type ContractSubject, scorerContract } from "./scorer.ts";

const steps: ContractSubject["expectationFor"] = (list) => ({ expected_steps: list.map((step) => step.name) });
const calls: ContractSubject["expectationFor"] = (list) => ({ expected_calls: list.map(({ name }) => ({ name })) });
const toolNames: ContractSubject["expectationFor"] = (list) => ({ expected_tools: list.map((step) => step.name) });
const annotations = { t1: { expected_steps: '["a",["b","a"]]', expected_tools: '["a"]' } };

/** Every list of steps may hold nothing only where it is a list of calls. */
const subjects: readonly ContractSubject[] = [
  { title: "step accuracy", runs: 500, scorer: stepAccuracy(), expectationFor: steps, nothingObserved: 0 },
  {
    title: "step accuracy, all options",
    runs: 500,
    scorer: stepAccuracy({ metric_name: "steps_exact", names: "exact", threshold: 0.5, unit: "session" }),
    expectationFor: steps,
    nothingObserved: 0,
  },
  {
    title: "step accuracy, strict position",
    runs: 500,
    scorer: stepAccuracy({ scoring_method: "strict_position" }),
    expectationFor: steps,
    nothingObserved: 0,
  },
  {
    title: "step accuracy, one group",
    runs: 500,
    scorer: stepAccuracy({ threshold: 1 }),
    expectationFor: (list) => ({ expected_steps: [list.map((step) => step.name).reverse()] }),
    nothingObserved: 0,
    orderFree: true,
  },
  {
    title: "step accuracy, alternatives and an optional step",
    scorer: stepAccuracy(),
    expectationFor: (list) => ({
      expected_steps: [...list.map((step) => ({ any_of: ["nothing else", step.name] })), { optional: "not taken" }],
    }),
    nothingObserved: 0,
  },
  {
    title: "step accuracy, one of two trajectories",
    scorer: stepAccuracy(),
    expectationFor: (list) => ({ expected_steps: { one_of: [["something else"], list.map((step) => step.name)] } }),
    nothingObserved: 0,
  },
  {
    title: "tool selection accuracy",
    runs: 500,
    scorer: toolSelectionAccuracy(),
    expectationFor: toolNames,
    nothingObserved: "no_tool_calls",
    orderFree: true,
  },
  {
    title: "tool selection accuracy, all options",
    runs: 500,
    scorer: toolSelectionAccuracy({ names: "exact", threshold: 1, treat_no_calls_as_zero: true }),
    expectationFor: toolNames,
    nothingObserved: 0,
    orderFree: true,
  },
  // Expected calls may be none: then what was observed decides.
  { title: "exact match", scorer: exactMatch(), expectationFor: calls, nothingObserved: 0, nothingExpected: [1, 0] },
  { title: "exact match of steps", scorer: exactMatch({ threshold: 1 }), expectationFor: steps, nothingObserved: 0 },
  {
    title: "in-order subset",
    scorer: inOrderSubset(),
    expectationFor: calls,
    nothingObserved: 0,
    nothingExpected: [1, 1],
  },
  {
    title: "tool F1",
    scorer: toolF1(),
    expectationFor: calls,
    nothingObserved: 0,
    nothingExpected: [1, 0],
    orderFree: true,
  },
  {
    title: "tool F1 with rules for arguments",
    scorer: toolF1({ numeric_args: ["x"], trim_args: ["y"], ignore_args: ["z"], tools: { a: { match: "subset" } } }),
    expectationFor: calls,
    nothingObserved: 0,
    nothingExpected: [1, 0],
    orderFree: true,
  },
  { title: "order aware", scorer: orderAware(), expectationFor: calls, nothingObserved: 0, nothingExpected: [1, 1] },
  { title: "step credit", scorer: stepCredit(), expectationFor: calls, nothingObserved: 0, nothingExpected: [1, 0] },
  {
    title: "step credit, reporting arguments",
    scorer: stepCredit({ report_args: true, names: "exact" }),
    expectationFor: steps,
    nothingObserved: 0,
  },
  {
    title: "set overlap",
    scorer: setOverlap(),
    expectationFor: calls,
    nothingObserved: 0,
    nothingExpected: [1, 0],
    orderFree: true,
  },
  {
    title: "set overlap of tools",
    scorer: setOverlap(),
    expectationFor: toolNames,
    nothingObserved: 0,
    orderFree: true,
  },
  ...(["exact", "in_order", "any_order", "unordered", "subset", "superset", "precision", "recall"] as const).map(
    (mode): ContractSubject => ({
      title: `trajectory match, ${mode}`,
      scorer: trajectoryMatch({ mode }),
      expectationFor: calls,
      // A subset of what was expected may be empty.
      nothingObserved: mode === "subset" ? 1 : 0,
      nothingExpected: [1, ["in_order", "any_order", "superset", "recall"].includes(mode) ? 1 : 0],
      orderFree: mode !== "exact" && mode !== "in_order",
    }),
  ),
  {
    title: "trajectory match, single tool use",
    scorer: trajectoryMatch({ mode: "single_tool_use", tool: "a" }),
    expectationFor: (list) => ({ expected_calls: list.map(({ name }) => ({ name })), id: "any" }),
    rest: (list) => ({ tools: [...list, { kind: "TOOL", name: "a" }] }),
    // The tool is named by the scorer itself, and it was not called.
    withoutExpectation: 0,
    nothingObserved: 1,
    nothingExpected: [1, 1],
    orderFree: false,
  },
  {
    title: "max calls",
    scorer: maxCalls(),
    expectationFor: (list) => ({ max_calls: list.length }),
    nothingObserved: 1,
    nothingExpected: [1, 0],
    orderFree: true,
  },
  {
    title: "forbidden tools",
    scorer: forbiddenTools({ threshold: 1 }),
    expectationFor: () => ({ forbidden_tools: ["never called"] }),
    nothingObserved: 1,
  },
  {
    title: "trajectory shape",
    scorer: trajectoryShape({ unit: "trajectory" }),
    expectationFor: () => ({}),
    rest: (list) => ({ members: list.map((_step, index) => ({ unit_id: `call:t1/${index}`, has_output: true })) }),
    withoutExpectation: "no_members",
    nothingObserved: "no_members",
  },
  {
    title: "rubric",
    scorer: rubric({
      all: [
        { metric: "order_aware", gte: 1 },
        { metric: "step_credit", field: "extra", eq: 0 },
      ],
    }),
    expectationFor: calls,
    nothingObserved: 0,
    // One call too many: one extra step.
    nothingExpected: [1, 0],
  },
];

for (const subject of subjects) scorerContract(subject);

test("every scorer of the package is under contract", () => {
  const covered = new Set(subjects.map(({ scorer }) => scorer.name));
  expect(manifests()).toHaveLength(14);
  // A judge is a function of the user's: its contract is its own, in test/score/judge.test.ts.
  expect(
    manifests()
      .map(({ name }) => name)
      .filter((name) => !covered.has(name)),
  ).toEqual(["agent.judge"]);
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
