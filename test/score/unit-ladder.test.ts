import { expect, test } from "vitest";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";
import { unitLadder } from "../../src/score/unit-ladder.ts";
import { occurrenceOf, stepsOf } from "./support.ts";

const members = [
  { unit_id: "call:t1/s1", has_output: true, egress: "permitted" },
  { unit_id: "call:t1/s2", has_output: false, egress: "forbidden" },
] as const;
const trajectory = occurrenceOf(stepsOf("a"), undefined, {
  members,
  kinds: ["TOOL", "LLM"],
  egress: "forbidden",
  trace_ids: ["t1"],
});

test("one call unit per member, with its own egress", () => {
  expect(unitLadder(trajectory).call).toEqual([
    { unit: "call", unit_id: "call:t1/s1", steps: [], kinds: ["LLM"], egress: "permitted", trace_ids: ["t1"] },
    { unit: "call", unit_id: "call:t1/s2", steps: [], kinds: ["LLM"], egress: "forbidden", trace_ids: ["t1"] },
  ]);
});

test("one step unit per trace: the members and the worst egress of the trajectory", () => {
  expect(unitLadder(trajectory).step).toEqual({ ...trajectory, unit: "step", unit_id: "step:t1" });
});

test("the shape of each", () => {
  const { call, step } = unitLadder(trajectory);
  expect(trajectoryShape().score(call[0] as never)).toEqual({ status: "non_evaluable", reason: "not_aggregate" });
  expect(trajectoryShape({ unit: "step" }).score(step)).toMatchObject({ score: 0.5, label: "informational" });
});

test("a trace without LLM calls has no call units, and its step unit no members", () => {
  const { call, step } = unitLadder(occurrenceOf(stepsOf("a")));
  expect(call).toEqual([]);
  expect(trajectoryShape({ unit: "step" }).score(step)).toMatchObject({ reason: "no_members" });
});
