import { describe, expect, test } from "vitest";
import { normalizeName } from "../../src/model/names.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { occurrenceOf, scored } from "./support.ts";
import { readVectors } from "./vectors.ts";

const rows = readVectors();
const strictRows = rows.flatMap((row) => (row.strict_position ? [{ ...row, want: row.strict_position }] : []));
const toolRows = rows.flatMap((row) =>
  row.tool_selection_accuracy ? [{ ...row, want: row.tool_selection_accuracy }] : [],
);

test("the vectors are all there", () => {
  expect(rows).toHaveLength(160);
  expect(strictRows).toHaveLength(98);
  expect(toolRows).toHaveLength(98);
  expect(rows.filter((row) => row.edit_distance.steps !== undefined)).toHaveLength(40);
});

describe("edit_distance", () => {
  const scorer = stepAccuracy();
  test.each(rows)("$id", (row) => {
    const expectation = { expected_steps: row.expected_steps };
    const result = scored(scorer.score(occurrenceOf(row.observed, expectation)));
    const { score, steps, ...counts } = row.edit_distance;
    expect(result.score).toBeCloseTo(score, 9);
    expect(result.metadata).toMatchObject(counts);
    if (steps !== undefined) expect(result.metadata.steps).toEqual(steps);
    expect(result.metadata.expected_steps).toEqual(row.expected_steps);
    expect(result.metadata.actual_steps).toEqual(row.observed.map((step) => step.name));
  });
});

describe("strict_position", () => {
  const scorer = stepAccuracy({ scoring_method: "strict_position" });
  test.each(strictRows)("$id", (row) => {
    const expectation = { expected_steps: row.expected_steps };
    const result = scored(scorer.score(occurrenceOf(row.observed, expectation)));
    const { score, ...rest } = row.want;
    expect(result.score).toBeCloseTo(score, 9);
    expect(result.metadata).toMatchObject(rest);
    expect(result.metadata).not.toHaveProperty("edit_distance");
    expect(result.metadata.steps).toHaveLength(rest.total_steps);
  });
});

describe("tool_selection_accuracy", () => {
  const scorer = toolSelectionAccuracy();
  test.each(toolRows)("$id", (row) => {
    const expectation = { expected_tools: row.expected_steps as string[] };
    const result = scorer.score(occurrenceOf(row.observed, expectation));
    if ("status" in row.want) {
      expect(result).toEqual(row.want);
      return;
    }
    expect(scored(result).score).toBeCloseTo(row.want.score, 9);
    const missing = (scored(result).metadata.missing_tools as string[]).map(normalizeName);
    expect(new Set(missing)).toEqual(new Set(row.want.missing));
    expect(missing).toHaveLength(row.want.missing.length);
  });
});
