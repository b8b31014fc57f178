import { expect, test } from "vitest";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { expectSteps, occurrenceOf, scored, stepsOf } from "./support.ts";

const grouped = expectSteps("authenticate", ["fetch_a", "fetch_b", "fetch_c"], "finalize");

test("agent.step_accuracy: an extra first step costs one insertion on three steps", () => {
  const steps = stepsOf("preamble_call", "search", "open_document");
  const result = scored(stepAccuracy().score(occurrenceOf(steps, expectSteps("search", "open_document"))));
  expect(result.score).toBeCloseTo(1 - 1 / 3, 9);
  expect(result.metadata.correct_steps).toBe(2);
  expect(result.metadata.edit_distance).toBe(1);
});

test("agent.step_accuracy: strict_position scores the same example 0 of 2", () => {
  const scorer = stepAccuracy({ scoring_method: "strict_position" });
  const steps = stepsOf("preamble_call", "search", "open_document");
  const result = scored(scorer.score(occurrenceOf(steps, expectSteps("search", "open_document"))));
  expect(result.score).toBe(0);
  expect(result.metadata.extra_steps).toEqual(["open_document"]);
});

test("agent.step_accuracy: members of a group in another order all match", () => {
  const steps = stepsOf("authenticate", "fetch_c", "fetch_a", "fetch_b", "finalize");
  expect(scored(stepAccuracy().score(occurrenceOf(steps, grouped))).score).toBe(1);
});

test("agent.step_accuracy: a member that never ran is one of five steps", () => {
  const steps = stepsOf("authenticate", "fetch_c", "fetch_a", "finalize");
  const result = scored(stepAccuracy().score(occurrenceOf(steps, grouped)));
  expect(result.score).toBeCloseTo(0.8, 9);
  expect(result.metadata.total_steps).toBe(5);
});

test("agent.tool_selection_accuracy: one of two required tools", () => {
  const expectation = { expected_tools: ["get_weather", "get_time"] };
  const result = scored(toolSelectionAccuracy().score(occurrenceOf(stepsOf("get_weather"), expectation)));
  expect(result.score).toBe(0.5);
  expect(result.metadata).toEqual({
    expected_tools: ["get_weather", "get_time"],
    called_tools: ["get_weather"],
    missing_tools: ["get_time"],
    total_tools: 2,
    correct_tools: 1,
  });
});

test("agent.tool_selection_accuracy: a session pools the calls of its traces", () => {
  const expectation = { expected_tools: ["get_weather", "get_time"] };
  const session = occurrenceOf(stepsOf("get_weather", "get_time"), expectation, {
    unit: "session",
    unit_id: "session:s1",
  });
  expect(scored(toolSelectionAccuracy({ unit: "session" }).score(session)).score).toBe(1);
});

test("the library example works as written: only kind and name of a step are needed", () => {
  const result = stepAccuracy({ scoring_method: "strict_position" }).score({
    unit: "trajectory",
    unit_id: "x",
    steps: [{ kind: "TOOL", name: "search" }],
    expectation: { expected_steps: ["search"] },
  });
  expect(scored(result).score).toBe(1);
});
