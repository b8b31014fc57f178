import { describe, expect, test } from "vitest";
import { resolvedColumn } from "../../../src/expectation/found.ts";
import type { ExpectedCall } from "../../../src/model/expectation.ts";
import type { Step } from "../../../src/model/trajectory.ts";
import { ArgumentPolicy } from "../../../src/score/arguments/policy.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import type { PathValue } from "../../../src/score/path/path-list.ts";
import { type Comparison, workFor } from "../../../src/score/path/shared-work.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";
import { occurrenceOf, scored, stepsOf } from "../support.ts";

const config = {
  match: "exact",
  numeric_args: [],
  trim_args: [],
  ignore_args: [],
  tools: {},
  report_args: false,
} as const;
const comparison = (key = "k"): Comparison => ({
  names: "normalized",
  policy: new ArgumentPolicy(config, "normalized"),
  key,
});

/** A value as the resolver hands it over: checked, then frozen. */
function resolved(path: PathValue): PathValue {
  const found = resolvedColumn(path.column, path.value, { status: "proposed" }, "own");
  if (found.state !== "resolved") throw new Error("not resolved");
  return { column: path.column, value: found.expectation[path.column] } as PathValue;
}

const expected = resolved({ column: "expected_steps", value: ["a", "b"] });

describe("work is shared", () => {
  test("by scorers that compare one list with one expectation alike", () => {
    const steps = stepsOf("a", "b");
    const [work] = workFor(expected, steps, comparison());
    expect(workFor(expected, steps, comparison())[0]).toBe(work);
    // What is derived is computed once.
    expect(work?.common).toBe(work?.common);
    expect(work?.matching).toBe(work?.matching);
  });
  test("where calls have arguments, once these are frozen", () => {
    const value: ExpectedCall[] = [{ name: "a", args: { x: 1 } }];
    const calls = resolved({ column: "expected_calls", value });
    const frozen: Step[] = [Object.freeze({ kind: "TOOL", name: "a", args: Object.freeze({ x: 1 }) } as const)];
    expect(workFor(calls, frozen, comparison())[0]).toBe(workFor(calls, frozen, comparison())[0]);
    const loose: Step[] = [{ kind: "TOOL", name: "a", args: { x: 1 } }];
    expect(workFor(calls, loose, comparison())[0]).not.toBe(workFor(calls, loose, comparison())[0]);
  });
});

describe("work is done anew", () => {
  const steps = stepsOf("a", "b");
  test.each<readonly [string, PathValue, readonly Step[], Comparison]>([
    ["for another list", expected, stepsOf("a", "b"), comparison()],
    ["for another way to compare", expected, steps, comparison("other")],
    [
      "for an equal expectation that is another",
      resolved({ column: "expected_steps", value: ["a", "b"] }),
      steps,
      comparison(),
    ],
    [
      "for an expectation of the host's, which may change",
      { column: "expected_steps", value: ["a", "b"] },
      steps,
      comparison(),
    ],
  ])("%s", (_title, path, list, how) => {
    const [work] = workFor(expected, steps, comparison());
    expect(workFor(path, list, how)[0]).not.toBe(work);
  });

  test("when the host has changed a list in between: no score is stale", () => {
    const list = stepsOf("a", "b") as { kind: "TOOL"; name: string; raw_name?: string }[];
    const of = (): number =>
      scored(orderAware().score(occurrenceOf(list, { expected_steps: expected.value as string[] }))).score;
    expect(of()).toBe(1);
    (list[0] as { name: string }).name = "x";
    expect(of()).toBe(0.5);
    list[0] = { kind: "TOOL", name: "a" };
    expect(of()).toBe(1);
    list.pop();
    expect(of()).toBe(0.5);
  });

  test("when the host has changed arguments in between", () => {
    const calls = resolved({ column: "expected_calls", value: [{ name: "a", args: { x: 1 } }] });
    const args = { x: 1 };
    const list: Step[] = [{ kind: "TOOL", name: "a", args }];
    const of = (): number =>
      scored(toolF1().score(occurrenceOf(list, { expected_calls: calls.value as ExpectedCall[] }))).score;
    expect(of()).toBe(1);
    args.x = 2;
    expect(of()).toBe(0);
  });
});
