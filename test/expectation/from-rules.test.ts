import { describe, expect, test } from "vitest";
import { fromRules } from "../../src/expectation/from-rules.ts";
import { parseRules } from "../../src/expectation/parse.ts";
import type { Found } from "../../src/expectation/source.ts";
import type { ExpectationMatch, ExpectationRule } from "../../src/model/expectation.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import { requestFor } from "./requests.ts";

function find(rules: readonly ExpectationRule[], request: Partial<ResolutionRequest>): Found {
  const parsed = parseRules(rules, "rules");
  if (!parsed.ok) throw new Error(parsed.problems[0]?.line);
  return fromRules(parsed.value, "rules").find(requestFor(request)) as Found;
}

const steps = { expected_steps: ["a"] };

describe("match", () => {
  const rows: [string, ExpectationMatch, Partial<ResolutionRequest>, boolean][] = [
    ["the entry agent", { agent: "x" }, { agent: "x" }, true],
    ["another entry agent", { agent: "x" }, { agent: "X" }, false],
    ["no entry agent", { agent: "x" }, {}, false],
    ["the local root", { root_span: "POST /chat" }, { root_span: "POST /chat" }, true],
    ["another local root", { root_span: "POST /chat" }, { root_span: "GET /" }, false],
    ["the trace", { trace_id: "ABCD" }, { trace_ids: ["abcd"] }, true],
    ["the first trace of a session", { trace_id: "t1" }, { trace_ids: ["t1", "t2"] }, true],
    ["a later trace of a session", { trace_id: "t2" }, { trace_ids: ["t1", "t2"] }, false],
    ["the session", { session_id: "s" }, { session_id: "s" }, true],
    ["no session", { session_id: "s" }, {}, false],
    [
      "an attribute of the first layer",
      { attributes: { k: "v" } },
      { attribute_layers: [{ k: "v" }, { k: "w" }] },
      true,
    ],
    [
      "an attribute that the first layer hides",
      { attributes: { k: "w" } },
      { attribute_layers: [{ k: "v" }, { k: "w" }] },
      false,
    ],
    ["an attribute of the last layer", { attributes: { k: 1 } }, { attribute_layers: [{}, {}, { k: 1 }] }, true],
    [
      "attributes of different layers",
      { attributes: { a: true, b: 2 } },
      { attribute_layers: [{ a: true }, { b: 2 }] },
      true,
    ],
    ["one attribute of two", { attributes: { a: 1, b: 2 } }, { attribute_layers: [{ a: 1 }] }, false],
    ["a 64-bit integer", { attributes: { n: 3 } }, { attribute_layers: [{ n: 3n }] }, true],
    ["text that looks like the number", { attributes: { n: 3 } }, { attribute_layers: [{ n: "3" }] }, false],
    ["an inherited key", { attributes: { constructor: "x" } }, { attribute_layers: [{}] }, false],
    [
      "every field",
      { agent: "x", root_span: "r", attributes: { k: 1 } },
      { agent: "x", root_span: "r", attribute_layers: [{ k: 1 }] },
      true,
    ],
    ["all fields but one", { agent: "x", root_span: "r" }, { agent: "x", root_span: "q" }, false],
  ];
  test.each(rows)("%s", (_name, match, request, expected) => {
    expect("expected_steps" in find([{ match, ...steps }], request)).toBe(expected);
  });
});

describe("order", () => {
  test("the first rule that matches wins, and what it leaves open stays open", () => {
    const rules = [
      { id: "one", match: { agent: "y" }, ...steps },
      { id: "two", match: { agent: "x" }, expected_tools: ["t"] },
      { id: "three", match: { agent: "x" }, ...steps, expected_tools: ["u"] },
    ];
    const found = find(rules, { agent: "x" });
    expect(Object.keys(found)).toEqual(["expected_tools"]);
    expect(found.expected_tools).toMatchObject({
      state: "resolved",
      expectation: { id: "two", expected_tools: ["t"] },
    });
  });

  test("a rule speaks for its unit alone", () => {
    const rules: ExpectationRule[] = [
      { id: "s", unit: "session", ...steps },
      { id: "t", ...steps },
    ];
    expect(find(rules, { unit: "trajectory" }).expected_steps).toMatchObject({ expectation: { id: "t" } });
    expect(find(rules, { unit: "session" }).expected_steps).toMatchObject({ expectation: { id: "s" } });
  });
});

describe("origin and status", () => {
  const rows: [string, Partial<ExpectationRule>, "own" | "run", "proposed" | "approved"][] = [
    ["no match: run-level", {}, "run", "proposed"],
    ["an empty match: run-level", { match: {} }, "run", "proposed"],
    ["an empty attribute match: run-level", { match: { attributes: {} } }, "run", "proposed"],
    ["a match: the occurrence's own", { match: { agent: "x" } }, "own", "proposed"],
    ["an attribute match: the occurrence's own", { match: { attributes: { k: 1 } } }, "own", "proposed"],
    ["approved", { status: "approved" }, "run", "approved"],
  ];
  test.each(rows)("%s", (_name, rule, origin, status) => {
    const found = find([{ ...steps, ...rule }], { agent: "x", attribute_layers: [{ k: 1 }] });
    expect(found.expected_steps).toMatchObject({ state: "resolved", expectation: { origin, status } });
  });
});

describe("digest", () => {
  const digestOf = (rule: ExpectationRule): string => {
    const column = find([rule], { agent: "x" }).expected_steps;
    return column?.state === "resolved" ? column.digest : "none";
  };
  const base = digestOf({ id: "i", ...steps });

  test("is 64 hex digits", () => expect(base).toMatch(/^[0-9a-f]{64}$/));

  const rows: [string, ExpectationRule, boolean][] = [
    ["the same again", { id: "i", ...steps }, true],
    ["another column beside it", { id: "i", ...steps, expected_tools: ["t"] }, true],
    ["another match", { id: "i", ...steps, match: { agent: "x" } }, true],
    ["another value", { id: "i", expected_steps: ["b"] }, false],
    ["another id", { id: "j", ...steps }, false],
    ["another status", { id: "i", status: "approved", ...steps }, false],
  ];
  test.each(rows)("%s", (_name, rule, same) => expect(digestOf(rule) === base).toBe(same));
});

test("what is handed out cannot be changed for the next unit", () => {
  const found = find([{ expected_steps: [["a", "b"]] }], {});
  const column = found.expected_steps;
  if (column?.state !== "resolved") throw new Error("not resolved");
  expect(Object.isFrozen(column.expectation)).toBe(true);
  expect(Object.isFrozen((column.expectation.expected_steps as unknown[])[0])).toBe(true);
});
