import { describe, expect, test } from "vitest";
import { resolvedColumn } from "../../../src/expectation/found.ts";
import type { ExpectedCall } from "../../../src/model/expectation.ts";
import type { Step } from "../../../src/model/trajectory.ts";
import { ArgumentPolicy } from "../../../src/score/arguments/policy.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import type { PathConfig } from "../../../src/score/path/path-config.ts";
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
  test("where tools have raw names", () => {
    const steps: Step[] = [
      { kind: "TOOL", name: "a", raw_name: "mcp__s__a" },
      { kind: "TOOL", name: "b" },
    ];
    expect(workFor(expected, steps, comparison())[0]).toBe(workFor(expected, steps, comparison())[0]);
  });
  test("in at most sixteen ways for one list", () => {
    const steps = stepsOf("a", "b");
    const ways = Array.from({ length: 17 }, (_, way) => comparison(`way ${way}`));
    const works = ways.map((way) => workFor(expected, steps, way)[0]);
    const again = ways.map((way) => workFor(expected, steps, way)[0]);
    expect(works.map((work, way) => work === again[way])).toEqual([...new Array(16).fill(true), false]);
  });
});

describe("arguments are shared work where nobody can change them any more", () => {
  const calls = resolved({ column: "expected_calls", value: [{ name: "a", args: { x: 1 } }] });
  const frozen = (args?: unknown): Step => Object.freeze({ kind: "TOOL", name: "a", args });
  const ring: Record<string, unknown> = { x: 1 };
  ring.self = ring;
  Object.freeze(ring);
  const inner = Object.freeze({ y: 1 });
  test.each<readonly [string, readonly Step[], boolean]>([
    ["frozen to the bottom", [frozen(Object.freeze({ x: inner }))], true],
    ["nothing, null, text and numbers", [frozen(), frozen(null), frozen("x"), frozen(1)], true],
    ["empty members", [frozen(Object.freeze({ n: null, u: undefined, t: "x", b: true }))], true],
    ["a ring", [frozen(ring)], true],
    ["the same arguments again", [frozen(inner), frozen(inner)], true],
    ["loose arguments of a frozen step", [frozen({ x: 1 })], false],
    ["a loose step with frozen arguments", [{ kind: "TOOL", name: "a", args: inner }], false],
    ["loose one level down", [frozen(Object.freeze({ x: { y: 1 } }))], false],
    ["loose behind a member that is not", [frozen(Object.freeze({ a: inner, x: [1] }))], false],
    ["loose two levels down", [frozen(Object.freeze([Object.freeze([[1]])]))], false],
    ["one loose step of two", [frozen(inner), { kind: "TOOL", name: "b" }], false],
  ])("%s: %s", (_title, steps, shared) => {
    const [work] = workFor(calls, steps, comparison());
    expect(workFor(calls, steps, comparison())[0] === work).toBe(shared);
  });

  test("as long as the host does not compare them itself, in another way", () => {
    const steps = [frozen(Object.freeze({ x: 1 }))];
    const occurrence = occurrenceOf(steps, { expected_calls: calls.value as ExpectedCall[] });
    const scores = [() => true, () => false, undefined].map(
      (compare_args) => scored(toolF1({ compare_args }).score(occurrence)).score,
    );
    expect(scores).toEqual([1, 0, 1]);
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

  type Loose = { kind: Step["kind"]; name: string; raw_name?: string; args?: unknown };
  test.each<readonly [string, PathValue, () => Loose, (list: Loose[], step: Loose) => void]>([
    [
      "the kind",
      resolved({ column: "expected_steps", value: ["A"] }),
      () => ({ kind: "TOOL", name: "a" }),
      (_list, step) => {
        // Only tools may be spelled in other ways.
        step.kind = "AGENT";
      },
    ],
    [
      "the raw name",
      resolved({ column: "expected_steps", value: ["mcp__s__a"] }),
      () => ({ kind: "TOOL", name: "a", raw_name: "mcp__s__a" }),
      (_list, step) => {
        step.raw_name = "mcp__t__a";
      },
    ],
    [
      "the step, which is frozen, for one with other arguments",
      resolved({ column: "expected_calls", value: [{ name: "a", args: { x: 1 } }] }),
      () => Object.freeze({ kind: "TOOL", name: "a", args: Object.freeze({ x: 1 }) }),
      (list) => {
        list[0] = Object.freeze({ kind: "TOOL", name: "a", args: Object.freeze({ x: 2 }) });
      },
    ],
  ])("when the host has changed %s", (_title, { column, value }, make, change) => {
    const step = make();
    const list = [step];
    const of = (): number => scored(toolF1().score(occurrenceOf(list, { [column]: value }))).score;
    expect(of()).toBe(1);
    change(list, step);
    expect(of()).toBe(0);
  });

  test("each time for a value that nobody has checked", () => {
    const value = ["a", "b"];
    const path: PathValue = { column: "expected_steps", value };
    const list = stepsOf("a", "b");
    const [work] = workFor(path, list, comparison());
    value.push("c");
    const [again] = workFor(path, list, comparison());
    expect([work?.expected.labels, again?.expected.labels]).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(workFor(path, list, comparison())[0]).not.toBe(again);
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

describe("scorers that compare in different ways have nothing to share", () => {
  // Frozen, so that nothing else keeps them apart.
  const steps = [{ kind: "TOOL", name: "A", args: Object.freeze({ x: "1 ", y: 2 }) } as const].map(Object.freeze);
  test.each<readonly [PathConfig, ExpectedCall, number, number]>([
    [{ names: "exact" }, { name: "a" }, 1, 0],
    [{ match: "subset" }, { name: "a", args: { y: 2 } }, 0, 1],
    [{ numeric_args: ["x"] }, { name: "a", args: { x: 1, y: 2 } }, 0, 1],
    [{ trim_args: ["x"] }, { name: "a", args: { x: "1", y: 2 } }, 0, 1],
    [{ ignore_args: ["x"] }, { name: "a", args: { y: 2 } }, 0, 1],
    [{ tools: { a: { match: "ignore" } } }, { name: "a", args: {} }, 0, 1],
  ])("%j", (change, call, before, after) => {
    const { column, value } = resolved({ column: "expected_calls", value: [call] });
    const of = (how: PathConfig): number =>
      scored(toolF1(how).score(occurrenceOf(steps as never, { [column]: value }))).score;
    expect([of({}), of(change), of({})]).toEqual([before, after, before]);
  });
});

test("work that ended in an error of the host is begun anew by whoever asks next", () => {
  const { column, value } = resolved({ column: "expected_calls", value: [{ name: "a", args: { x: 1 } }] });
  const steps = [Object.freeze({ kind: "TOOL", name: "a", args: Object.freeze({ x: 1 }) } as const)];
  let times = 0;
  const compare_args = (): boolean => {
    times += 1;
    if (times === 1) throw new Error("not yet");
    return true;
  };
  const scorer = toolF1({ compare_args });
  const occurrence = occurrenceOf(steps, { [column]: value });
  expect(scorer.score(occurrence)).toMatchObject({ error: { type: "scorer_failed", message: "not yet" } });
  expect(scorer.score(occurrence)).toMatchObject({ status: "scored", score: 1 });
  expect(scorer.score(occurrence)).toMatchObject({ status: "scored", score: 1 });
  // The last score is that of the second: nothing was compared again.
  expect(times).toBe(2);
});
