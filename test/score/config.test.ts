import { describe, expect, test } from "vitest";
import { TrajectoryError } from "../../src/model/errors.ts";
import { forbiddenTools } from "../../src/score/checks/forbidden-tools.ts";
import { maxCalls } from "../../src/score/checks/max-calls.ts";
import { RESERVED_METRIC_NAMES } from "../../src/score/config.ts";
import { defineScorer } from "../../src/score/define-scorer.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { trajectoryMatch } from "../../src/score/path/trajectory-match.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";

/** A definition that is right but for what a row changes. */
const definition = {
  name: "shop.short",
  version: "1.0.0",
  metric_name: "short",
  units: ["trajectory"],
  score: () => ({ status: "non_evaluable", reason: "no_members" }),
};

const make: Record<string, (config: never) => unknown> = {
  stepAccuracy,
  toolSelectionAccuracy,
  exactMatch,
  setOverlap,
  toolF1,
  trajectoryMatch,
  maxCalls,
  forbiddenTools,
  trajectoryShape,
  defineScorer: (change: object) => defineScorer({ ...definition, ...change } as never),
};

// Each row: the builder, a config, the path that the error must name, and pieces of its message: value and allowance.
const rows: readonly (readonly [string, unknown, string, readonly string[]])[] = [
  ["stepAccuracy", { treshold: 1 }, "treshold", ["1", "allowed: metric_name, threshold"]],
  ["stepAccuracy", { threshold: 1.5 }, "threshold", ["1.5", "from 0 to 1"]],
  ["stepAccuracy", { threshold: -0.1 }, "threshold", ["-0.1", "from 0 to 1"]],
  ["stepAccuracy", { threshold: Number.NaN }, "threshold", ["from 0 to 1"]],
  ["stepAccuracy", { threshold: "1" }, "threshold", ['"1"', "from 0 to 1"]],
  ["stepAccuracy", { metric_name: "Steps" }, "metric_name", ['"Steps"', "^[a-z][a-z0-9_]*$"]],
  ["stepAccuracy", { metric_name: "" }, "metric_name", ['""', "^[a-z][a-z0-9_]*$"]],
  ["stepAccuracy", { metric_name: 7 }, "metric_name", ["7", "^[a-z][a-z0-9_]*$"]],
  ["stepAccuracy", { unit: "call" }, "unit", ['"call"', '"trajectory" or "session"']],
  ["stepAccuracy", { names: "fuzzy" }, "names", ['"fuzzy"', '"normalized" or "exact"']],
  ["stepAccuracy", { scoring_method: "lcs" }, "scoring_method", ['"lcs"', '"strict_position" or "edit_distance"']],
  ["stepAccuracy", { expected_steps: [] }, "expected_steps", ["[]", "at least one name"]],
  ["stepAccuracy", { expected_steps: [[]] }, "expected_steps", ["at least one name"]],
  ["stepAccuracy", { expected_steps: ["a", "_-_"] }, "expected_steps[1]", ['"_-_"', "more in it than"]],
  ["stepAccuracy", { expected_steps: ["a", ["b", 3]] }, "expected_steps[1][1]", ["3", "name"]],
  ["stepAccuracy", { expected_steps: [[["a"]]] }, "expected_steps[0][0]", ['["a"]', "one level"]],
  ["stepAccuracy", { expected_steps: "a" }, "expected_steps", ['"a"', "list of names"]],
  ["stepAccuracy", { annotations: { t1: { expected_steps: ["a"] } } }, "annotations.t1.expected_steps", ["JSON text"]],
  ["stepAccuracy", { annotations: { t1: 7 } }, "annotations.t1", ["7", "must be a table: column -> JSON text"]],
  ["stepAccuracy", { annotations: [] }, "annotations", ["[]", "table"]],
  [
    "stepAccuracy",
    { scoring_method: "strict_position", expected_steps: ["a", ["b", "c"]] },
    "expected_steps[1]",
    ['["b","c"]', "strict_position"],
  ],
  ["stepAccuracy", "strict", "config", ['"strict"', "object"]],
  ["toolSelectionAccuracy", { expected_tools: [] }, "expected_tools", ["[]", "at least one name"]],
  ["toolSelectionAccuracy", { expected_tools: [["a"]] }, "expected_tools[0]", ["name"]],
  ["toolSelectionAccuracy", { treat_no_calls_as_zero: 1 }, "treat_no_calls_as_zero", ["1", "true or false"]],
  ["toolSelectionAccuracy", { scoring_method: "edit_distance" }, "scoring_method", ["allowed: "]],
  ["trajectoryShape", { threshold: 1.5 }, "threshold", ["1.5", "from 0 to 1"]],
  ["trajectoryShape", { threshold: -0.1 }, "threshold", ["-0.1", "from 0 to 1"]],
  ["trajectoryShape", { threshold: "1" }, "threshold", ['"1"', "from 0 to 1"]],
  ["exactMatch", { treshold: 1 }, "treshold", ["1", "allowed: metric_name, threshold"]],
  ["exactMatch", { unit: "call" }, "unit", ['"call"', '"trajectory" or "session"']],
  ["exactMatch", { match: "superset" }, "match", ['"superset"', '"exact", "subset" or "ignore"']],
  ["exactMatch", { numeric_args: "zip" }, "numeric_args", ['"zip"', "list of argument names"]],
  ["exactMatch", { trim_args: [1] }, "trim_args[0]", ["1", "list of argument names"]],
  ["exactMatch", { tools: { a: { numeric: [] } } }, "tools.a", ["unknown key", "numeric_args"]],
  ["exactMatch", { tools: 7 }, "tools", ["7", "must be a table: tool name ->"]],
  ["exactMatch", { tools: { a: 7 } }, "tools.a", ["7", "must be a table: tool name ->"]],
  ["exactMatch", { report_args: 1 }, "report_args", ["1", "true or false"]],
  ["exactMatch", { tools: { a: { match: 1 } } }, "tools.a.match", ["1", '"exact"']],
  ["exactMatch", { compare_args: "fn" }, "compare_args", ['"fn"', "function"]],
  ["exactMatch", { expected_calls: [{ nam: "a" }] }, "expected_calls[0]", ['unknown key "nam"', "name, args, match"]],
  ["exactMatch", { expected_steps: [{ optional: 1 }] }, "expected_steps[0].optional", ["1", "must be a name"]],
  ["exactMatch", { expected_tools: ["a"] }, "expected_tools", ["unknown key"]],
  ["setOverlap", { expected_tools: [] }, "expected_tools", ["[]", "at least one name"]],
  ["toolF1", { metric_name: "unit" }, "metric_name", ['"unit"', "none of"]],
  ["trajectoryMatch", { mode: "strict" }, "mode", ['"strict"', "exact, in_order"]],
  ["trajectoryMatch", { tool: "" }, "tool", ['""', "tool name"]],
  ["trajectoryMatch", { tool: 7 }, "tool", ["7", "tool name"]],
  ["trajectoryMatch", { mode: "single_tool_use", tool: "" }, "tool", ['""', "tool name"]],
  ["trajectoryMatch", { mode: "single_tool_use", tool: "-_" }, "tool", ['"-_"', "tool name"]],
  ["trajectoryMatch", { mode: "single_tool_use", tool: 7 }, "tool", ["7", "tool name"]],
  ["maxCalls", { max_calls: -1 }, "max_calls", ["-1", "at least 0"]],
  ["maxCalls", { match: "exact" }, "match", ["unknown key"]],
  ["forbiddenTools", { forbidden_tools: [] }, "forbidden_tools", ["[]", "at least one name"]],
  ["trajectoryShape", { unit: "trace" }, "unit", ['"trace"', "call, step, trajectory, session"]],
  ["trajectoryShape", { names: "exact" }, "names", ["unknown key"]],
  ["defineScorer", { name: "" }, "name", ['""', "not empty"]],
  ["defineScorer", { version: "1" }, "version", ['"1"', "1.0.0"]],
  ["defineScorer", { metric_name: "a-b" }, "metric_name", ['"a-b"', "^[a-z][a-z0-9_]*$"]],
  ["defineScorer", { units: [] }, "units", ["[]", "call, step, trajectory, session"]],
  ["defineScorer", { units: ["trace"] }, "units[0]", ['"trace"', "call, step, trajectory, session"]],
  ["defineScorer", { score: 1 }, "score", ["1", "function"]],
  ["defineScorer", { columns: ["expected"] }, "columns[0]", ['"expected"', "expected_steps"]],
  ["defineScorer", { timeout_seconds: 0 }, "timeout_seconds", ["0", "above 0"]],
  ["defineScorer", { extra: true }, "extra", ["true", "allowed: name, version"]],
];

describe("a wrong configuration names the field, the value and what is allowed", () => {
  test.each(rows)("%s(%j)", (builder, config, path, pieces) => {
    let thrown: unknown;
    try {
      make[builder]?.(config as never);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(TrajectoryError);
    const error = thrown as TrajectoryError;
    expect(error.code).toBe("invalid_config");
    expect(error.path).toBe(path);
    expect(error.message).toContain(path);
    for (const piece of pieces) expect(error.message).toContain(piece);
  });
});

describe("reserved metric names are refused everywhere", () => {
  test("there are eight", () => expect(RESERVED_METRIC_NAMES).toHaveLength(8));
  test.each(RESERVED_METRIC_NAMES)("%s", (metric_name) => {
    expect(() => stepAccuracy({ metric_name })).toThrow(TrajectoryError);
    expect(() => toolSelectionAccuracy({ metric_name })).toThrow(TrajectoryError);
    expect(() => defineScorer({ ...definition, metric_name } as never)).toThrow(TrajectoryError);
  });
});

test("defaults", () => {
  const scorer = stepAccuracy();
  expect(scorer.metric_name).toBe("step_accuracy");
  expect(scorer.units).toEqual(["trajectory"]);
  expect(scorer.config).toEqual({
    metric_name: "step_accuracy",
    threshold: null,
    unit: "trajectory",
    names: "normalized",
    annotations: null,
    expected_steps: null,
    scoring_method: "edit_distance",
  });
  expect(scorer.fallback).toBeUndefined();
  expect(scorer.annotations).toBeUndefined();
});

test.each([
  [
    () => toolSelectionAccuracy({ expected_tools: ["a"], threshold: 0.5 }),
    {
      metric_name: "tool_selection_accuracy",
      threshold: 0.5,
      unit: "trajectory",
      names: "normalized",
      annotations: null,
      expected_tools: ["a"],
      treat_no_calls_as_zero: false,
    },
  ],
  [() => trajectoryShape({ unit: "step" }), { metric_name: "trajectory_shape", threshold: null, unit: "step" }],
])("a scorer says how it is configured: %s", (build, config) => {
  expect(build().config).toEqual(config);
});

test("what the engine resolves is on the scorer: fallback of origin run, annotations, columns", () => {
  const annotations = { t1: { expected_tools: '["a"]' } };
  const scorer = toolSelectionAccuracy({ expected_tools: ["b"], annotations, unit: "session" });
  expect(scorer.fallback).toEqual({ expected_tools: ["b"], origin: "run" });
  expect(scorer.annotations).toEqual(annotations);
  expect(scorer.columns).toEqual(["expected_tools"]);
  expect(scorer.units).toEqual(["session"]);
});

test("null is no value, as the printed schema says", () => {
  const scorer = stepAccuracy({ expected_steps: null, annotations: null, threshold: null });
  expect(scorer.fallback).toBeUndefined();
});

test("a custom scorer without units grades trajectories", () => {
  const { units: _units, ...rest } = definition;
  const scorer = defineScorer(rest as never);
  expect(scorer.units).toEqual(["trajectory"]);
  expect(scorer.manifest.partition_types).toEqual(["trace"]);
});
