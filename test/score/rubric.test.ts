import { describe, expect, test } from "vitest";
import { fromRules } from "../../src/expectation/from-rules.ts";
import { parseRules } from "../../src/expectation/parse.ts";
import { createResolver } from "../../src/expectation/resolve.ts";
import type { Expectation } from "../../src/model/expectation.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import type { ScoreResult } from "../../src/model/result.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { rubric } from "../../src/score/rubric/rubric.ts";
import { applyRules } from "../../src/score/rubric/rules.ts";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";
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
  ["broken", { status: "error", error: { type: "scorer_failed", message: "boom" } }],
  ["odd", result(0, { infinite: Number.POSITIVE_INFINITY, nan: Number.NaN, text: "1", below: -1e-9, above: 1e-9 })],
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
    // Numbers are equal when they lie a billionth apart at most.
    [{ metric: "odd", field: "above", gt: 0 }, false],
    [{ metric: "odd", field: "above", gt: -1e-9 }, true],
    [{ metric: "odd", field: "below", gte: 0 }, true],
    [{ metric: "odd", field: "below", gte: 1e-9 }, false],
    [{ metric: "odd", field: "below", lt: 0 }, false],
    [{ metric: "odd", field: "below", lt: 1e-9 }, true],
    [{ metric: "odd", field: "above", lte: 0 }, true],
    [{ metric: "odd", field: "above", lte: -1e-9 }, false],
    [{ metric: "odd", field: "above", eq: 0 }, true],
    [{ metric: "odd", field: "below", eq: 0 }, true],
    [{ metric: "odd", field: "above", eq: -1e-9 }, false],
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
    ["an input that failed", [{ metric: "broken", gte: 0 }], { kind: "dependency", because: "scorer_failed" }],
    ["a field that is infinite", [{ metric: "odd", field: "infinite", gte: 0 }], { kind: "field", field: "infinite" }],
    ["a field that is NaN", [{ metric: "odd", field: "nan", gte: 0 }], { kind: "field", field: "nan" }],
    ["a number in text", [{ metric: "odd", field: "text", gte: 0 }], { kind: "field", field: "text" }],
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
    ["a scorer that is null", { all: [{ metric: "tool_f1", gte: 1 }], scorers: [null] }, "scorers[0]"],
    ["an unknown metric among rules that must all hold", { all: [{ metric: "nope", gte: 1 }] }, "all[0].metric"],
  ])("%s is refused", (_title, config, path) => {
    expect(() => rubric(config as never)).toThrow(expect.objectContaining({ code: "invalid_config", path }));
  });

  const allow = "must be a rule: { metric, field?, and at least one of gt, gte, lt, lte, eq }";
  const f1 = { metric: "tool_f1", gte: 1 };
  test.each([
    [{ all: [{ metric: 7, gte: 1 }] }, "all[0].metric: must be text, got 7"],
    [{ all: [{ metric: "", gte: 1 }] }, 'all[0].metric: must be text that is not empty, got ""'],
    [{ all: [{ metric: "tool_f1", gte: "1" }] }, 'all[0].gte: must be a number, got "1"'],
    [{ all: [{ metric: "tool_f1" }] }, `all[0]: ${allow}, got {"metric":"tool_f1"}`],
    [{ all: [f1], inputs: 7 }, "inputs: must be a table: metric name -> configuration, got 7"],
    [{ all: [f1], inputs: { tool_f1: 7 } }, "inputs.tool_f1: must be a configuration, got 7"],
    [
      { all: [f1], inputs: { tool_f1: { match: 7 } } },
      'inputs.tool_f1.match: must be "exact", "subset" or "ignore", got 7',
    ],
    [
      { all: [f1], inputs: { order_aware: {} } },
      'inputs.order_aware: must be a metric that a rule names, got "order_aware"',
    ],
    [
      { all: [f1], inputs: { tool_f1: {} }, scorers: [toolF1()] },
      'inputs.tool_f1: must be a metric that a rule names, got "tool_f1"',
    ],
    [{ all: [f1], scorers: 7 }, "scorers: must be a list of scorers, got 7"],
    [{ all: [f1], scorers: [{ metric_name: "mine" }] }, 'scorers[0]: must be a scorer of this package, got "mine"'],
    [
      { all: [{ metric: "nope", gte: 1 }], scorers: [stepCredit({ metric_name: "mine" })] },
      "all[0].metric: must be one of step_accuracy, tool_selection_accuracy, exact_match, in_order_subset, tool_f1, " +
        "order_aware, set_overlap, step_credit, trajectory_match, max_calls, forbidden_tools, trajectory_shape, mine, " +
        'got "nope"',
    ],
  ])("what is wrong is said in one line: %j", (config, message) => {
    expect(() => rubric(config as never)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
  });

  test("what a getter of the host throws is passed on as it is", () => {
    const failure = new RangeError("of the host");
    const tools = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw failure;
      },
    });
    expect(() => rubric({ all: [f1], inputs: { tool_f1: { tools } } })).toThrow(failure);
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

  test("inputs that lack an expectation each, and nothing else, are no expectation; any other reason is theirs", () => {
    const of = (rest: object, expectation?: Expectation) =>
      rubric(rules).score(occurrenceOf(stepsOf("a", "b"), expectation, rest));
    expect(of({ kinds: ["LLM"] })).toEqual({ status: "non_evaluable", reason: "no_expectation" });
    expect(of({ kinds: [] }, expectation)).toEqual({
      status: "non_evaluable",
      reason: "dependency_not_scored",
      metadata: { message: "order_aware: kinds_missing" },
    });
    const failed = rubric({ all: [{ metric: "order_aware", gte: 1 }] }).score({
      ...occurrenceOf([], { expected_steps: ["a"] }),
      steps: 7 as never,
    });
    expect(failed).toEqual({
      status: "non_evaluable",
      reason: "dependency_not_scored",
      metadata: { message: "order_aware: invalid_occurrence" },
    });
  });

  test("each rule is reported as it was written, with the value it saw and whether it holds", () => {
    const mixed = rubric({
      any: [
        { metric: "order_aware", gte: 0.75 },
        { metric: "step_credit", field: "extra", lt: 1, gte: 0 },
      ],
    });
    // One of two expected steps in order; one step too many.
    expect(scored(mixed.score(occurrenceOf(stepsOf("a", "x"), { expected_steps: ["a", "b"] })))).toEqual({
      status: "scored",
      score: 0,
      label: "informational",
      metadata: {
        outcome: "fail",
        rules: [
          { metric: "order_aware", gte: 0.75, value: 0.5, holds: false },
          { metric: "step_credit", field: "extra", lt: 1, gte: 0, value: 1, holds: false },
        ],
      },
    });
  });

  test("a field that the metric does not have is an error that names it", () => {
    const misspelled = rubric({ all: [{ metric: "step_credit", field: "extras", lte: 1 }] });
    expect(misspelled.score(occurrenceOf(stepsOf("a"), { expected_steps: ["a"] }))).toEqual({
      status: "error",
      error: { type: "unknown_field", message: "step_credit: metadata.extras must be a number" },
    });
  });

  test("names and annotations are those of its inputs, unless an input has its own", () => {
    const annotations = { t1: { expected_steps: '["A"]' } };
    const outcome = (config: object) =>
      rubric({ all: [{ metric: "order_aware", eq: 1 }], annotations, ...config }).score(occurrenceOf(stepsOf("a")));
    expect(outcome({})).toMatchObject({ score: 1 });
    expect(outcome({ names: "exact" })).toMatchObject({ score: 0 });
    expect(outcome({ names: "exact", inputs: { order_aware: { names: "normalized" } } })).toMatchObject({ score: 1 });
    expect(outcome({ inputs: { order_aware: { annotations: null } } })).toMatchObject({ reason: "no_expectation" });
  });

  test("the members of a unit are needed where an input reads them", () => {
    const shape = { metric: "trajectory_shape", gte: 0.5 };
    const f1 = { metric: "tool_f1", gte: 1 };
    expect([[f1], [shape], [f1, shape], [shape, f1]].map((all) => rubric({ all }).needs_members)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });

  test("its configuration holds its rules, and name, version and configuration of every input once", () => {
    const shape = { metric: "trajectory_shape", gte: 0.5 };
    const own = rubric({ all: [shape, { metric: "max_calls", eq: 1 }, shape], threshold: 0.5, names: "exact" });
    expect(own.config).toEqual({
      metric_name: "rubric",
      threshold: 0.5,
      unit: "trajectory",
      names: "exact",
      annotations: null,
      all: [shape, { metric: "max_calls", eq: 1 }, shape],
      inputs: {},
      scorers: [
        {
          name: trajectoryShape().name,
          version: trajectoryShape().version,
          config: { metric_name: "trajectory_shape", threshold: null, unit: "trajectory" },
        },
        {
          name: "agent.max_calls",
          version: "1.0.0",
          config: {
            metric_name: "max_calls",
            threshold: null,
            unit: "trajectory",
            names: "exact",
            annotations: null,
            max_calls: null,
          },
        },
      ],
    });
    expect(own.columns).toEqual(["max_calls"]);
  });

  test("its manifest asks for no kind and no column: its inputs do", () => {
    expect(rubric(rules).manifest).toMatchObject({ name: "agent.rubric", required_kinds: [], required_columns: [] });
    expect(Object.keys(rubric(rules).manifest.config_schema.properties as object)).toContain("all");
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
