import { describe, expect, test } from "vitest";
import { foundInAnnotations } from "../../src/expectation/from-annotations.ts";
import { foundInContext } from "../../src/expectation/from-context.ts";
import { foundOnSpans } from "../../src/expectation/from-spans.ts";
import type { Expectation } from "../../src/model/expectation.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import type { SpanAnnotation } from "../../src/model/span.ts";
import { requestFor } from "./requests.ts";

describe("source 1: context", () => {
  const find = (expectations: readonly unknown[], unit: "trajectory" | "session" = "trajectory") =>
    foundInContext(
      requestFor({ contextual: expectations.map((value) => ({ unit, expectation: value as Expectation })) }),
    );

  test("supplies each column with its own id, status and origin", () => {
    const found = find([{ id: "i", status: "approved", expected_steps: ["a"] }, { expected_tools: ["t"] }]);
    expect(found).toMatchObject({
      expected_steps: {
        state: "resolved",
        expectation: { id: "i", status: "approved", origin: "own", expected_steps: ["a"] },
      },
      expected_tools: { state: "resolved", expectation: { status: "proposed", origin: "own", expected_tools: ["t"] } },
    });
    expect(found.expected_calls).toBeUndefined();
  });

  test("speaks for its unit alone", () => {
    expect(find([{ expected_steps: ["a"] }], "session")).toEqual({});
  });

  test("equal values are one, with the id of the first", () => {
    const found = find([
      { id: "one", expected_steps: ["a"] },
      { id: "two", expected_steps: ["a"] },
    ]);
    expect(found.expected_steps).toMatchObject({ state: "resolved", expectation: { id: "one" } });
  });

  const failures: [string, unknown[], string, string][] = [
    [
      "two values",
      [{ expected_steps: ["a"] }, { expected_steps: ["b"] }],
      "ambiguous_expectation",
      "2 different values of expected_steps",
    ],
    [
      "a bad value",
      [{ expected_steps: [1] }],
      "invalid_expectation",
      "withExpectation: expected_steps[0]: must be a name",
    ],
    [
      "a bad value beside a good one",
      [{ expected_steps: ["a"] }, { expected_steps: [1] }],
      "invalid_expectation",
      "expected_steps[0]",
    ],
    [
      "a bad status",
      [{ expected_steps: ["a"], status: "ok" }],
      "invalid_expectation",
      "withExpectation: status: must be",
    ],
    ["an unknown key", [{ expcted_steps: ["a"] }], "invalid_expectation", 'unknown key "expcted_steps"'],
    ["no object", ["a"], "invalid_expectation", "must be an expectation"],
  ];
  test.each(failures)("%s", (_name, expectations, reason, message) => {
    const column = find(expectations).expected_steps;
    expect(column).toMatchObject({ state: "failed", reason });
    expect(column?.state === "failed" ? column.message : "").toContain(message);
  });

  test("a bad column leaves the others alone", () => {
    const found = find([{ expected_steps: [1], expected_tools: ["t"] }]);
    expect(found.expected_tools?.state).toBe("resolved");
  });
});

describe("source 2: attributes of spans", () => {
  const find = (annotations: readonly Partial<SpanAnnotation>[], unit: "trajectory" | "session" = "trajectory") =>
    foundOnSpans(
      requestFor({ unit, span_annotations: annotations.map((one, index) => ({ span_id: `s${index}`, ...one })) }),
    );

  const resolved: [string, Partial<SpanAnnotation>[], "trajectory" | "session", object][] = [
    ["JSON text", [{ expected_steps: '["a",["b"]]' }], "trajectory", { expected_steps: ["a", ["b"]] }],
    ["a list of plain names", [{ expected_steps: ["a", "b"] }], "trajectory", { expected_steps: ["a", "b"] }],
    [
      "id and status of its span",
      [{ expected_steps: '["a"]', id: "i", status: "approved" }],
      "trajectory",
      { id: "i", status: "approved" },
    ],
    ["proposed by default", [{ expected_steps: '["a"]' }], "trajectory", { status: "proposed", origin: "own" }],
    ["the trajectory when it says so", [{ expected_steps: '["a"]', unit: "trajectory" }], "trajectory", {}],
    ["the session when it says so", [{ expected_steps: '["a"]', unit: "session" }], "session", {}],
    [
      "equal values in two spellings",
      [{ expected_steps: '["a"]' }, { expected_steps: ["a"] }],
      "trajectory",
      { expected_steps: ["a"] },
    ],
    [
      "its unit beside the other",
      [{ expected_steps: '["a"]' }, { expected_steps: '["b"]', unit: "session" }],
      "session",
      { expected_steps: ["b"] },
    ],
    [
      "the id of another span stays there",
      [{ id: "other" }, { expected_steps: '["a"]' }],
      "trajectory",
      { expected_steps: ["a"] },
    ],
  ];
  test.each(resolved)("%s", (_name, annotations, unit, expectation) => {
    expect(find(annotations, unit).expected_steps).toMatchObject({ state: "resolved", expectation });
  });

  test("an id of another span is not taken over", () => {
    const column = find([{ id: "other" }, { expected_steps: '["a"]' }]).expected_steps;
    expect(column?.state === "resolved" && "id" in column.expectation).toBe(false);
  });

  const silent: [string, Partial<SpanAnnotation>[], "trajectory" | "session"][] = [
    ["nothing", [], "trajectory"],
    ["an id alone", [{ id: "i", status: "nonsense" }], "trajectory"],
    ["the session, asked about the trajectory", [{ expected_steps: '["a"]', unit: "session" }], "trajectory"],
    ["no unit, asked about the session", [{ expected_steps: '["a"]' }], "session"],
  ];
  test.each(silent)("is silent: %s", (_name, annotations, unit) => expect(find(annotations, unit)).toEqual({}));

  const failed: [string, Partial<SpanAnnotation>[], "trajectory" | "session", string, string][] = [
    [
      "text that is no JSON",
      [{ expected_steps: "search" }],
      "trajectory",
      "invalid_expectation",
      "span s0: expected_steps: must be JSON text",
    ],
    [
      "a bad name",
      [{ expected_steps: ["a"] }, { expected_steps: '["a",3]' }],
      "trajectory",
      "invalid_expectation",
      "span s1: expected_steps[1]: must be a name",
    ],
    [
      "two values",
      [{ expected_steps: '["a"]' }, { expected_steps: '["b"]' }],
      "trajectory",
      "ambiguous_expectation",
      "2 different values",
    ],
    [
      "a bad status",
      [{ expected_steps: '["a"]', status: "ok" }],
      "trajectory",
      "invalid_expectation",
      "span s0: aip.expectation.status: must be proposed or approved",
    ],
    [
      "a bad id",
      [{ expected_steps: '["a"]', id: 7 }],
      "trajectory",
      "invalid_expectation",
      "span s0: aip.expectation.id: must be text",
    ],
    [
      "an unknown unit, for the trajectory",
      [{ expected_steps: '["a"]', unit: "step" }],
      "trajectory",
      "invalid_expectation",
      "span s0: aip.expected_unit: must be trajectory or session",
    ],
    [
      "an unknown unit, for the session",
      [{ expected_steps: '["a"]', unit: 3 }],
      "session",
      "invalid_expectation",
      "aip.expected_unit",
    ],
  ];
  test.each(failed)("fails: %s", (_name, annotations, unit, reason, message) => {
    const found = find(annotations, unit);
    expect(found.expected_steps).toMatchObject({ state: "failed", reason });
    expect(found.expected_steps?.state === "failed" ? found.expected_steps.message : "").toContain(message);
    expect(Object.keys(found)).toEqual(["expected_steps"]);
  });
});

describe("source 3: annotations", () => {
  const session: Partial<ResolutionRequest> = {
    unit: "session",
    unit_id: "session:s",
    session_id: "s",
    trace_ids: ["t1"],
  };
  const rows: [string, Record<string, Record<string, string>>, Partial<ResolutionRequest>, unknown][] = [
    ["the unit id", { "trajectory:t1": { expected_steps: '["a"]' } }, {}, ["a"]],
    ["the bare trace id", { t1: { expected_steps: '["a"]' } }, {}, ["a"]],
    [
      "the unit id before the bare id",
      { t1: { expected_steps: '["b"]' }, "trajectory:t1": { expected_steps: '["a"]' } },
      {},
      ["a"],
    ],
    [
      "the bare id for a column that the unit id lacks",
      { t1: { expected_steps: '["b"]' }, "trajectory:t1": { expected_tools: '["a"]' } },
      {},
      ["b"],
    ],
    ["the session's unit id", { "session:s": { expected_steps: '["a"]' } }, session, ["a"]],
    ["the bare session id", { s: { expected_steps: '["a"]' } }, session, ["a"]],
    ["a trace id, asked about the session", { t1: { expected_steps: '["a"]' } }, session, undefined],
    ["another unit", { "trajectory:t2": { expected_steps: '["a"]' } }, {}, undefined],
    ["columns of other metrics", { t1: { expected_answer: "42" } }, {}, undefined],
    ["an inherited name", {}, { unit: "session", unit_id: "constructor", session_id: "toString" }, undefined],
  ];
  test.each(rows)("%s", (_name, annotations, request, expected) => {
    const column = foundInAnnotations(requestFor(request), annotations).expected_steps;
    expect(column?.state === "resolved" ? column.expectation.expected_steps : undefined).toEqual(expected);
  });

  test("id and status stand beside the columns", () => {
    const row = { id: "i", status: "approved", expected_steps: '["a"]' };
    expect(foundInAnnotations(requestFor(), { t1: row }).expected_steps).toMatchObject({
      state: "resolved",
      expectation: { id: "i", status: "approved", origin: "own" },
    });
  });

  test("bad text names the row", () => {
    expect(foundInAnnotations(requestFor(), { t1: { expected_steps: "[" } }).expected_steps).toEqual({
      state: "failed",
      reason: "invalid_expectation",
      message: 'annotations["t1"]: expected_steps: must be JSON text or a list, got "["',
    });
  });
});
