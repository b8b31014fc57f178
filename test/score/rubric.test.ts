import { describe, expect, test } from "vitest";
import { fromRules } from "../../src/expectation/from-rules.ts";
import { parseRules } from "../../src/expectation/parse.ts";
import { createResolver } from "../../src/expectation/resolve.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import type { ScoreResult } from "../../src/model/result.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { rubric } from "../../src/score/rubric/rubric.ts";
import { applyRules } from "../../src/score/rubric/rules.ts";
import { occurrenceOf, scored, stepsOf } from "./support.ts";

const result = (score: number, metadata: Record<string, unknown> = {}): ScoreResult => ({
  status: "scored",
  score,
  label: "informational",
  metadata,
});
const results = new Map<string, ScoreResult>([
  ["half", result(0.5, { extra: 2, name: "x" })],
  ["third", result(0.1 + 0.2)],
  ["none", { status: "non_evaluable", reason: "no_members" }],
]);

describe("the rule grammar", () => {
  test.each([
    [{ metric: "half", gt: 0.5 }, false],
    [{ metric: "half", gte: 0.5 }, true],
    [{ metric: "half", lt: 0.5 }, false],
    [{ metric: "half", lte: 0.5 }, true],
    [{ metric: "half", eq: 0.5 }, true],
    [{ metric: "half", gt: 0.4, lt: 0.6 }, true],
    [{ metric: "half", gt: 0.4, lt: 0.45 }, false],
    [{ metric: "half", field: "extra", lte: 1 }, false],
    [{ metric: "half", field: "extra", eq: 2 }, true],
    // 0.1 + 0.2 is not exactly 0.3.
    [{ metric: "third", eq: 0.3 }, true],
    [{ metric: "third", gt: 0.3 }, false],
  ])("%j: %s", (rule, holds) => {
    expect(applyRules({ all: [rule] }, results)).toMatchObject({ ok: true, pass: holds });
  });

  test("all wants every rule, any one of them", () => {
    const rules = [
      { metric: "half", gte: 0.9 },
      { metric: "third", gte: 0.1 },
    ];
    expect(applyRules({ all: rules }, results)).toMatchObject({ pass: false });
    expect(applyRules({ any: rules }, results)).toMatchObject({ pass: true });
  });

  test.each([
    ["an input that was not scored", [{ metric: "none", gte: 0 }], { kind: "dependency", because: "no_members" }],
    ["an input that is not there", [{ metric: "nope", gte: 0 }], { kind: "dependency", because: "no result" }],
    ["a field that is no number", [{ metric: "half", field: "name", gte: 0 }], { kind: "field", field: "name" }],
    ["a field that is inherited", [{ metric: "half", field: "constructor", gte: 0 }], { kind: "field" }],
  ])("%s makes the outcome unknown, even where another rule holds", (_title, rules, outcome) => {
    expect(applyRules({ any: [{ metric: "half", gte: 0 }, ...rules] }, results)).toMatchObject({
      ok: false,
      ...outcome,
    });
  });

  test.each([
    ["neither all nor any", {}, "all"],
    ["both", { all: [{ metric: "tool_f1", gte: 1 }], any: [{ metric: "tool_f1", gte: 1 }] }, "any"],
    ["no rule", { all: [] }, "all"],
    ["a rule without a comparison", { all: [{ metric: "tool_f1" }] }, "all[0]"],
    ["an unknown operator", { all: [{ metric: "tool_f1", above: 1 }] }, "all[0]"],
    ["a bound that is text", { all: [{ metric: "tool_f1", gte: "1" }] }, "all[0].gte"],
    ["an unknown metric", { any: [{ metric: "nope", gte: 1 }] }, "any[0].metric"],
    ["an inherited name", { any: [{ metric: "constructor", gte: 1 }] }, "any[0].metric"],
    ["an unknown key", { all: [{ metric: "tool_f1", gte: 1 }], treshold: 1 }, "treshold"],
    [
      "a wrong input",
      { all: [{ metric: "tool_f1", gte: 1 }], inputs: { tool_f1: { match: 1 } } },
      "inputs.tool_f1.match",
    ],
    [
      "an input that no rule names",
      { all: [{ metric: "tool_f1", gte: 1 }], inputs: { order_aware: {} } },
      "inputs.order_aware",
    ],
    ["a scorer that is none", { all: [{ metric: "tool_f1", gte: 1 }], scorers: [{}] }, "scorers[0]"],
  ])("%s is refused", (_title, config, path) => {
    expect(() => rubric(config as never)).toThrow(expect.objectContaining({ code: "invalid_config", path }));
  });
});

describe("inputs and verdict", () => {
  const rules = {
    all: [
      { metric: "order_aware", gte: 0.75 },
      { metric: "max_calls", eq: 1 },
    ],
  };
  const expectation = { expected_steps: ["a", "b"], max_calls: 2 } as const;

  test("outcome always, label only under an approved expectation", () => {
    const proposed = scored(rubric(rules).score(occurrenceOf(stepsOf("a", "b"), expectation)));
    expect(proposed).toMatchObject({ score: 1, label: "informational", metadata: { outcome: "pass" } });
    const approved = { ...expectation, status: "approved" } as const;
    expect(rubric(rules).score(occurrenceOf(stepsOf("a", "b"), approved))).toMatchObject({ label: "pass" });
    const failed = rubric(rules).score(occurrenceOf(stepsOf("a", "x", "b"), approved));
    expect(failed).toMatchObject({ score: 0, label: "fail", metadata: { outcome: "fail" } });
  });

  test("an input without an expectation of its own", () => {
    const occurrence = occurrenceOf(stepsOf("a"), { expected_steps: ["a"] });
    expect(rubric(rules).score(occurrence)).toEqual({
      status: "non_evaluable",
      reason: "dependency_not_scored",
      metadata: { message: "max_calls: no_expectation" },
    });
  });

  test("no expectation at all is what it is everywhere", () => {
    expect(rubric(rules).score(occurrenceOf(stepsOf("a")))).toEqual({
      status: "non_evaluable",
      reason: "no_expectation",
    });
  });

  test("scorers of one's own configuration, under names of their own", () => {
    const exact = stepCredit({ metric_name: "exact_credit", names: "exact" });
    const both = rubric({
      all: [
        { metric: "exact_credit", lt: 1 },
        { metric: "step_credit", gte: 1 },
      ],
      scorers: [exact],
    });
    expect(isBuiltIn(both)).toBe(true);
    expect(both.score(occurrenceOf(stepsOf("A"), { expected_steps: ["a"] }))).toMatchObject({ score: 1 });
  });

  test("configurations by metric name", () => {
    const strict = rubric({ all: [{ metric: "step_accuracy", eq: 1 }], inputs: { step_accuracy: { names: "exact" } } });
    expect(strict.score(occurrenceOf(stepsOf("A"), { expected_steps: ["a"] }))).toMatchObject({ score: 0 });
  });

  test("the resolver hands it every column that its inputs can use, from wherever each comes", () => {
    const parsed = parseRules([{ id: "calls", status: "approved", max_calls: 2 }], "rules");
    if (!parsed.ok) throw new Error("not parsed");
    const resolver = createResolver({ sources: [fromRules(parsed.value, "rules")] });
    const request: ResolutionRequest = {
      unit: "trajectory",
      unit_id: "trajectory:t1",
      trace_ids: ["t1"],
      attributes: {},
      resource: {},
      attribute_layers: [],
      contextual: [
        { unit: "trajectory", expectation: { id: "steps", status: "approved", expected_steps: ["a", "b"] } },
      ],
      span_annotations: [],
    };
    const scorer = rubric(rules);
    expect(resolver.isSynchronous(request, scorer)).toBe(true);
    const found = resolver.resolve(request, scorer);
    if (found instanceof Promise || found.state !== "resolved") throw new Error("not resolved");
    // The rule without a match is run-level; so what is joined is not wholly the unit's own.
    expect(found.expectation).toEqual({ expected_steps: ["a", "b"], max_calls: 2, status: "approved", origin: "run" });
    expect(found.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(scorer.score(occurrenceOf(stepsOf("a", "b"), found.expectation))).toMatchObject({ label: "pass" });
  });
});
