import { describe, expect, test } from "vitest";
import { defineScorer, type ScorerDefinition } from "../../src/score/define-scorer.ts";
import { occurrenceOf } from "./support.ts";

const result = { status: "scored", score: 1, label: "informational", metadata: {} } as const;
const least: ScorerDefinition = { name: "shop.short", version: "1.0.0", metric_name: "short", score: () => result };

describe("defineScorer", () => {
  test("what is not said has its default", () => {
    const { manifest, score, ...said } = defineScorer(least);
    expect(said).toEqual({
      name: "shop.short",
      version: "1.0.0",
      metric_name: "short",
      units: ["trajectory"],
      columns: [],
      config: {},
    });
    expect(score(occurrenceOf([], {}))).toBe(result);
    expect(manifest).toEqual({
      manifest_version: "1",
      kind: "trace_metric",
      name: "shop.short",
      display_name: "shop.short",
      version: "1.0.0",
      description: "",
      metric_type: "pointwise",
      scorer_contract: "per_row",
      direction: "higher_is_better",
      entrypoint: "custom",
      partition_types: ["trace"],
      required_kinds: [],
      required_columns: [],
      accepts: [{ name: "canonical_partition_v1" }],
      config_schema: { type: "object" },
      dependencies: [],
      execution: {
        emits_metric_family: false,
        function_name: null,
        max_concurrency: 4,
        processing_kind: "cpu",
        timeout_seconds: 300,
      },
      metric_metadata: { summary: "", methodology: [], score_semantics: "", worked_example: "" },
      unsupported_trace_shapes: [],
    });
  });

  test("what is said is in the scorer and in its manifest", () => {
    const said = {
      units: ["session", "call"],
      columns: ["expected_tools", "max_calls"],
      config: { most: 5 },
      fallback: { expected_tools: ["a"] },
      annotations: { t1: { expected_tools: '["b"]' } },
    } as const;
    const scorer = defineScorer({
      ...least,
      ...said,
      needs: ["TOOL", "AGENT", "LLM"],
      direction: "lower_is_better",
      display_name: "Short",
      description: "Few steps.",
      timeout_seconds: 0.5,
      max_concurrency: 1,
    });
    expect(scorer).toMatchObject(said);
    expect(scorer.manifest).toMatchObject({
      direction: "lower_is_better",
      display_name: "Short",
      description: "Few steps.",
      partition_types: ["trace", "session"],
      required_kinds: [{ anyOf: ["TOOL", "AGENT", "LLM"] }],
      required_columns: ["expected_tools", "max_calls"],
      execution: { max_concurrency: 1, timeout_seconds: 0.5 },
      metric_metadata: { summary: "Few steps." },
    });
    expect(defineScorer({ ...least, units: ["session"] }).manifest.partition_types).toEqual(["session"]);
    expect(defineScorer({ ...least, direction: "higher_is_better" }).manifest.direction).toBe("higher_is_better");
  });

  test("what is not said is not there", () => {
    expect(Object.keys(defineScorer(least))).not.toContain("fallback");
    expect(Object.keys(defineScorer(least))).not.toContain("annotations");
  });

  test.each(["0.0.0", "10.20.30", "1.0.0-rc.1", "1.0.0+build-7"])("%s is a version", (version) => {
    expect(defineScorer({ ...least, version }).version).toBe(version);
  });

  const text = "must be text";
  const version = "must be a version such as 1.0.0";
  const name =
    "must match ^[a-z][a-z0-9_]*$ and be none of unit, unit_id, units, spans, evaluation, scorer, expectation, complete";
  const units = "must be a list of call, step, trajectory, session, at least one";
  const columns = "must be a list of expected_steps, expected_tools, expected_calls, max_calls, forbidden_tools";
  const kinds = "must be a list of TOOL, AGENT, LLM";
  const direction = 'must be "higher_is_better" or "lower_is_better"';
  const positive = "must be a number above 0";
  const whole = "must be a whole number of at least 1";
  const object = "must be an object";
  const refused: readonly (readonly [field: string, value: unknown, allowed: string, path?: string])[] = [
    ["name", 7, text],
    ["name", "", "must be text that is not empty"],
    ["version", 1, version],
    ["version", "1.0", version],
    ["version", "v1.0.0", version],
    ["version", "1.0.0 beta", version],
    ["version", "1.0.0-", version],
    ["version", "1.0.0-ä", version],
    ["metric_name", 7, name],
    ["metric_name", "Short", name],
    ["metric_name", "units", name],
    ["units", "call", units],
    ["units", [], units],
    ["units", ["trace"], units, "units[0]"],
    ["score", "fn", "must be a function"],
    ["columns", "max_calls", columns],
    ["columns", ["expected"], columns, "columns[0]"],
    ["needs", "TOOL", kinds],
    ["needs", ["tool"], kinds, "needs[0]"],
    ["direction", "up", direction],
    ["display_name", 7, text],
    ["description", 7, text],
    ["timeout_seconds", "1", positive],
    ["timeout_seconds", 0, positive],
    ["max_concurrency", 1.5, whole],
    ["max_concurrency", 0, whole],
    ["config", "x", object],
    ["config", null, object],
    ["config", [], object],
    ["fallback", 7, object],
    ["annotations", 7, object],
  ];
  test.each(refused.map(([field, value, allowed, path = field]) => ({ field, value, allowed, path })))(
    "$field: $value is refused",
    ({ field, value, allowed, path }) => {
      const shown = JSON.stringify(path === field ? value : (value as readonly unknown[])[0]);
      const error = { code: "invalid_config", path, message: `${path}: ${allowed}, got ${shown}` };
      expect(() => defineScorer({ ...least, [field]: value } as never)).toThrow(expect.objectContaining(error));
    },
  );
});
