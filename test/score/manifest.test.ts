import { describe, expect, test } from "vitest";
import type { Manifest } from "../../src/model/scorer.ts";
import { judge } from "../../src/score/judge/judge.ts";
import { manifests } from "../../src/score/manifests.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";

// The facts of both specifications; texts are ours.
const common = {
  manifest_version: "1",
  kind: "trace_metric",
  version: "2.0.0",
  metric_type: "pointwise",
  scorer_contract: "per_row",
  direction: "higher_is_better",
  partition_types: ["trace", "session"],
  accepts: [{ name: "canonical_partition_v1" }],
  dependencies: [],
  execution: {
    emits_metric_family: false,
    function_name: null,
    max_concurrency: 4,
    processing_kind: "cpu",
    timeout_seconds: 300,
  },
  unsupported_trace_shapes: [],
};
const facts: readonly (readonly [string, Manifest, object, string])[] = [
  [
    "agent.step_accuracy",
    stepAccuracy().manifest,
    {
      ...common,
      display_name: "Step Accuracy",
      required_kinds: [{ anyOf: ["TOOL", "AGENT", "LLM"] }],
      required_columns: ["expected_steps"],
    },
    "StepAccuracyConfig",
  ],
  [
    "agent.tool_selection_accuracy",
    toolSelectionAccuracy().manifest,
    {
      ...common,
      display_name: "Tool Selection Accuracy",
      required_kinds: [{ anyOf: ["TOOL", "LLM"] }],
      required_columns: ["expected_tools"],
    },
    "ToolSelectionAccuracyConfig",
  ],
];

const annotations = {
  anyOf: [
    { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "string" } } },
    { type: "null" },
  ],
  default: null,
  title: "Annotations",
  "x-aip-param-role": "run_input",
};

/** Title, default and role of every field that a configuration can have. */
const FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  metric_name: ["Metric Name", undefined, "scoring_metadata"],
  threshold: ["Threshold", null],
  unit: ["Unit", "trajectory"],
  names: ["Names", "normalized"],
  annotations: ["Annotations", null, "run_input"],
  expected_steps: ["Expected Steps", null, "run_input"],
  expected_calls: ["Expected Calls", null, "run_input"],
  expected_tools: ["Expected Tools", null, "run_input"],
  max_calls: ["Max Calls", null, "run_input"],
  forbidden_tools: ["Forbidden Tools", null, "run_input"],
  scoring_method: ["Scoring Method", "edit_distance"],
  treat_no_calls_as_zero: ["Treat No Calls As Zero", false],
  match: ["Match", "exact"],
  numeric_args: ["Numeric Arguments", []],
  trim_args: ["Trimmed Arguments", []],
  ignore_args: ["Ignored Arguments", []],
  tools: ["Rules By Tool", {}],
  report_args: ["Report Arguments", false],
  mode: ["Mode", "exact"],
  tool: ["Tool", undefined],
  all: ["All", undefined],
  any: ["Any", undefined],
  inputs: ["Inputs", {}],
  judge_version: ["Judge Version", ""],
  columns: ["Columns", []],
  timeout_seconds: ["Timeout Seconds", 300],
  max_concurrency: ["Max Concurrency", 4],
};
const COMMON = "metric_name threshold unit names annotations";
const PATH = `${COMMON} match numeric_args trim_args ignore_args tools report_args expected_calls expected_steps`;

describe("manifests", () => {
  test.each(facts)("%s has every fact of its specification", (name, manifest, expected, title) => {
    expect(manifest).toMatchObject({ name, ...expected });
    expect(manifest.config_schema).toMatchObject({ type: "object", title, additionalProperties: false });
    expect(manifest.config_schema.description).toContain(manifest.required_columns[0]);
    const { summary, methodology, score_semantics, worked_example } = manifest.metric_metadata;
    for (const text of [manifest.description, summary, score_semantics, worked_example, ...methodology]) {
      expect(text.length).toBeGreaterThan(40);
    }
    expect(methodology.length).toBeGreaterThanOrEqual(4);
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest);
    // Printed once: hosts may ask for every score.
    expect(manifest.config_schema).toBe(manifest.config_schema);
  });

  test("the schema of step_accuracy, as printed from the one that checks", () => {
    expect(stepAccuracy().manifest.config_schema.properties).toMatchObject({
      annotations,
      expected_steps: {
        anyOf: [
          {
            type: "array",
            minItems: 1,
            items: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
          },
          { type: "null" },
        ],
        default: null,
        title: "Expected Steps",
        "x-aip-param-role": "run_input",
      },
      metric_name: {
        default: "step_accuracy",
        title: "Metric Name",
        type: "string",
        "x-aip-param-role": "scoring_metadata",
      },
      scoring_method: {
        default: "edit_distance",
        enum: ["strict_position", "edit_distance"],
        title: "Scoring Method",
        type: "string",
      },
    });
  });

  test("the schema of tool_selection_accuracy", () => {
    expect(toolSelectionAccuracy().manifest.config_schema.properties).toMatchObject({
      annotations,
      expected_tools: {
        anyOf: [{ type: "array", minItems: 1, items: { type: "string" } }, { type: "null" }],
        default: null,
        title: "Expected Tools",
        "x-aip-param-role": "run_input",
      },
      metric_name: { default: "tool_selection_accuracy", title: "Metric Name", type: "string" },
      treat_no_calls_as_zero: { default: false, title: "Treat No Calls As Zero", type: "boolean" },
    });
  });

  test.each([
    ["agent.step_accuracy", "StepAccuracyConfig", `${COMMON} expected_steps scoring_method`],
    ["agent.tool_selection_accuracy", "ToolSelectionAccuracyConfig", `${COMMON} expected_tools treat_no_calls_as_zero`],
    ["agent.exact_match", "exact_match configuration", PATH],
    ["agent.in_order_subset", "in_order_subset configuration", PATH],
    ["agent.tool_f1", "tool_f1 configuration", PATH],
    ["agent.order_aware", "order_aware configuration", PATH],
    ["agent.set_overlap", "set_overlap configuration", `${PATH} expected_tools`],
    ["agent.step_credit", "step_credit configuration", PATH],
    ["agent.trajectory_match", "trajectory_match configuration", `${PATH} mode tool`],
    ["agent.max_calls", "max_calls configuration", `${COMMON} max_calls`],
    ["agent.forbidden_tools", "forbidden_tools configuration", `${COMMON} forbidden_tools`],
    ["trajectory_shape", "TrajectoryShapeConfig", "metric_name threshold unit"],
    ["agent.rubric", "RubricConfig", `${COMMON} all any inputs`],
    [
      "agent.judge",
      "JudgeConfig",
      "metric_name threshold unit annotations judge_version columns timeout_seconds max_concurrency",
    ],
  ])("%s has a title, a default and a role for each field", (name, title, fields) => {
    const schema = manifests().find((manifest) => manifest.name === name)?.config_schema;
    expect(schema).toMatchObject({ title, additionalProperties: false });
    const bare = name.replace("agent.", "");
    const own: Readonly<Record<string, unknown>> = {
      metric_name: bare,
      unit: bare === "trajectory_shape" ? "call" : "trajectory",
    };
    const wanted = fields.split(" ").map((field) => {
      const [label, value, role] = FIELDS[field] ?? [];
      return [field, label, own[field] ?? value, role];
    });
    const properties = Object.entries(schema?.properties as Record<string, Record<string, unknown>>);
    expect(properties.map(([field, is]) => [field, is.title, is.default, is["x-aip-param-role"]])).toEqual(wanted);
  });

  test("every text of every manifest says something", () => {
    for (const { name, description, display_name, metric_metadata } of manifests()) {
      const { summary, methodology, score_semantics, worked_example } = metric_metadata;
      expect(display_name, name).toMatch(/^[A-Z]/);
      expect(methodology.length, name).toBeGreaterThanOrEqual(2);
      for (const text of [description, summary, score_semantics, worked_example, ...methodology]) {
        expect(text.length, `${name}: ${text}`).toBeGreaterThan(20);
      }
    }
  });

  const tools = [{ anyOf: ["TOOL", "LLM"] }];
  const steps = [{ anyOf: ["TOOL", "AGENT", "LLM"] }];
  const path = ["expected_calls", "expected_steps"];
  test.each<readonly [string, readonly unknown[], readonly string[], string]>([
    ["agent.step_accuracy", steps, ["expected_steps"], "cpu"],
    ["agent.tool_selection_accuracy", tools, ["expected_tools"], "cpu"],
    ["agent.exact_match", steps, path, "cpu"],
    ["agent.in_order_subset", steps, path, "cpu"],
    ["agent.tool_f1", steps, path, "cpu"],
    ["agent.order_aware", steps, path, "cpu"],
    ["agent.set_overlap", steps, [...path, "expected_tools"], "cpu"],
    ["agent.step_credit", steps, path, "cpu"],
    ["agent.trajectory_match", steps, path, "cpu"],
    ["agent.max_calls", tools, ["max_calls"], "cpu"],
    ["agent.forbidden_tools", tools, ["forbidden_tools"], "cpu"],
    ["trajectory_shape", [], [], "cpu"],
    ["agent.rubric", [], [], "cpu"],
    ["agent.judge", [], [], "io"],
  ])("%s says what it needs and how it runs", (name, required_kinds, required_columns, processing_kind) => {
    const manifest = manifests().find((one) => one.name === name);
    expect(manifest?.required_kinds).toEqual(required_kinds);
    expect(manifest?.required_columns).toEqual(required_columns);
    expect(manifest?.execution).toEqual({ ...common.execution, processing_kind });
  });

  test("the manifest of a judge has its columns and limits", () => {
    const { manifest } = judge(() => 1, { columns: ["max_calls"], timeout_seconds: 7, max_concurrency: 2 });
    expect(manifest.required_columns).toEqual(["max_calls"]);
    expect(manifest.execution).toMatchObject({ timeout_seconds: 7, max_concurrency: 2 });
  });

  test("the list is in a fixed order and equals what the scorers say", () => {
    expect(manifests().slice(0, 2)).toEqual([stepAccuracy().manifest, toolSelectionAccuracy().manifest]);
    expect(manifests().map(({ name, version }) => `${name} ${version}`)).toEqual([
      "agent.step_accuracy 2.0.0",
      "agent.tool_selection_accuracy 2.0.0",
      "agent.exact_match 1.0.0",
      "agent.in_order_subset 1.0.0",
      "agent.tool_f1 1.0.0",
      "agent.order_aware 1.0.0",
      "agent.set_overlap 1.0.0",
      "agent.step_credit 1.0.0",
      "agent.trajectory_match 1.0.0",
      "agent.max_calls 1.0.0",
      "agent.forbidden_tools 1.0.0",
      "trajectory_shape 1",
      "agent.rubric 1.0.0",
      "agent.judge 1.0.0",
    ]);
  });
});
