import { describe, expect, test } from "vitest";
import { parseColumn, parseExpectations, parseRules } from "../../src/expectation/parse.ts";
import type { Column } from "../../src/model/expectation.ts";

function nested(depth: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

function ring(): unknown {
  const args: Record<string, unknown> = {};
  args.self = args;
  return args;
}

/** 2^60 leaves, of which only 60 objects exist: what YAML aliases unfold into. */
function bomb(): unknown {
  let value: unknown = ["x"];
  for (let level = 0; level < 60; level += 1) value = [value, value];
  return value;
}

describe("parseColumn takes", () => {
  const rows: [string, Column, unknown, unknown][] = [
    ["JSON text of names", "expected_steps", '["a","b"]', ["a", "b"]],
    ["JSON text with a group", "expected_steps", '["a",["b","c"]]', ["a", ["b", "c"]]],
    ["a list that is parsed already", "expected_steps", ["a", ["b"]], ["a", ["b"]]],
    ["an empty group beside a name", "expected_steps", ["a", []], ["a", []]],
    ["one name inside a group", "expected_steps", [[], ["a"]], [[], ["a"]]],
    ["a name with more than - and _", "expected_steps", ["_a-"], ["_a-"]],
    ["tool names as JSON text", "expected_tools", '["x"]', ["x"]],
    ["tool names as a list of text", "expected_tools", ["x", "y"], ["x", "y"]],
    ["no calls at all", "expected_calls", "[]", []],
    ["plain names as calls", "expected_calls", ["x", "y"], [{ name: "x" }, { name: "y" }]],
    [
      "calls with arguments",
      "expected_calls",
      '[{"name":"x","args":{"a":{"b":[1]}},"match":"subset"}]',
      [{ name: "x", args: { a: { b: [1] } }, match: "subset" }],
    ],
    ["members that are undefined", "expected_calls", [{ name: "x", args: undefined }], [{ name: "x" }]],
    [
      "the key constructor as data",
      "expected_calls",
      '[{"name":"x","args":{"constructor":1}}]',
      [{ name: "x", args: { constructor: 1 } }],
    ],
  ];
  test.each(rows)("%s", (_name, column, value, expected) => {
    expect(parseColumn(column, value)).toEqual({ ok: true, value: expected });
  });

  test("a copy: later changes of the input change nothing", () => {
    const args = { list: [1] };
    const parsed = parseColumn("expected_calls", [{ name: "x", args }]);
    args.list.push(2);
    expect(parsed).toEqual({ ok: true, value: [{ name: "x", args: { list: [1] } }] });
  });
});

describe("parseColumn refuses", () => {
  const rows: [string, Column, unknown, string][] = [
    ["text that is no JSON", "expected_steps", "search", 'expected_steps: must be JSON text or a list, got "search"'],
    ["JSON text of a text", "expected_tools", '"x"', "expected_tools: must be a list of tool names"],
    ["null", "expected_steps", null, "expected_steps: must be a list of names"],
    ["an empty list", "expected_steps", [], "with at least one name, got []"],
    ["empty groups alone", "expected_steps", [[], []], "with at least one name, got [[],[]]"],
    ["no tools", "expected_tools", [], "expected_tools: must be a list of tool names with at least one name"],
    ["a number", "expected_steps", ["a", 5], "expected_steps[1]: must be a name, or a list of names"],
    [
      "a group in a group",
      "expected_steps",
      ["a", ["b", ["c"]]],
      'expected_steps[1][1]: must be a name (a group holds names only, one level), got ["c"]',
    ],
    ["an empty name", "expected_steps", [""], 'expected_steps[0]: must be a name with more in it than - and _, got ""'],
    [
      "a name of - and _",
      "expected_tools",
      ["a", "_-_"],
      'expected_tools[1]: must be a name with more in it than - and _, got "_-_"',
    ],
    [
      "such a name in a group",
      "expected_steps",
      [["a", "--"]],
      'expected_steps[0][1]: must be a name with more in it than - and _, got "--"',
    ],
    [
      "an optional step that is misspelled",
      "expected_steps",
      [{ optinal: "a" }],
      'expected_steps[0]: unknown key "optinal"; allowed: optional',
    ],
    ["a call without a name", "expected_calls", [{}], "expected_calls[0].name: must be a name, got nothing"],
    [
      "an unknown key of a call",
      "expected_calls",
      [{ name: "x", arg: 1 }],
      'expected_calls[0]: unknown key "arg"; allowed: name, args, match',
    ],
    [
      "an unknown match",
      "expected_calls",
      [{ name: "x", match: "some" }],
      'expected_calls[0].match: must be exact, subset or ignore, got "some"',
    ],
    [
      "arguments that are a list",
      "expected_calls",
      [{ name: "x", args: [1] }],
      "expected_calls[0].args: must be an object of arguments, got [1]",
    ],
    [
      "a polluting key",
      "expected_calls",
      '[{"name":"x","args":{"__proto__":{"y":1}}}]',
      '[0].args: the key "__proto__" is not allowed',
    ],
    ["deep nesting", "expected_calls", [{ name: "x", args: nested(100) }], "at most 64 levels"],
    ["a ring", "expected_calls", [{ name: "x", args: ring() }], "at most 64 levels"],
    ["an unfolding list", "expected_calls", [{ name: "x", args: { a: bomb() } }], "at most"],
    [
      "a function",
      "expected_calls",
      [{ name: "x", args: { f: () => 1 } }],
      "[0].args.f: must be a JSON value, got a function",
    ],
    ["a date", "expected_calls", [{ name: "x", args: { d: new Date(0) } }], "[0].args.d: must be a JSON value"],
    [
      "a number that JSON lacks",
      "expected_calls",
      [{ name: "x", args: { n: Number.NaN } }],
      "[0].args.n: must be a JSON value",
    ],
    ["a bigint", "expected_steps", 5n, "expected_steps: must be a JSON value, got 5n"],
  ];
  test.each(rows)("%s", (_name, column, value, message) => {
    const parsed = parseColumn(column, value);
    expect(parsed.ok ? parsed.value : parsed.message).toContain(message);
    expect(parsed.ok).toBe(false);
  });

  test("JSON text of a hundred thousand levels, without running out of stack", () => {
    const text = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(parseColumn("expected_steps", text)).toMatchObject({ ok: false });
  });

  test("a getter that throws", () => {
    const call = Object.defineProperty({ name: "x" }, "args", {
      enumerable: true,
      get: () => {
        throw new Error("boom");
      },
    });
    expect(parseColumn("expected_calls", [call])).toEqual({
      ok: false,
      message: "expected_calls: could not be read: boom",
    });
  });
});

describe("parseExpectations", () => {
  test("takes the document of the guide", () => {
    const rule = {
      id: "refund",
      match: { agent: "support_agent", attributes: { "task.type": "refund" } },
      unit: "trajectory",
      status: "approved",
      expected_steps: ["authenticate", ["fetch_order", "fetch_policy"], "issue_refund"],
      expected_tools: ["issue_refund"],
      expected_calls: [{ name: "issue_refund", args: { currency: "EUR" }, match: "subset" }],
    };
    expect(parseExpectations({ expectations: [rule] }, "f.yaml")).toEqual({ ok: true, rules: [rule] });
  });

  test("takes an empty list", () => {
    expect(parseExpectations({ expectations: [] }, "f.yaml")).toEqual({ ok: true, rules: [] });
  });

  const steps = { expected_steps: ["a"] };
  const rows: [string, unknown, string][] = [
    ["an empty document", null, "f.yaml: must be a mapping with the key expectations, got null"],
    ["a list", [steps], "f.yaml: must be a mapping with the key expectations"],
    ["a missing key", {}, "f.yaml: expectations: must be a list of expectations, got nothing"],
    [
      "an unknown key at the top",
      { expectations: [], version: 1 },
      'f.yaml: unknown key "version"; allowed: expectations',
    ],
    ["a misspelled key at the top", { expectation: [] }, 'f.yaml: unknown key "expectation"; allowed: expectations'],
    [
      "an unknown key of a rule",
      { expectations: [{ ...steps, expcted_tools: [] }] },
      'f.yaml: expectations[0]: unknown key "expcted_tools"',
    ],
    [
      "an unknown key of a match",
      { expectations: [{ ...steps, match: { agnt: "a" } }] },
      'f.yaml: expectations[0].match: unknown key "agnt"; allowed: agent, root_span',
    ],
    [
      "a bad name deep inside",
      { expectations: [steps, steps, { expected_steps: ["a", ["b", 3]] }] },
      "f.yaml: expectations[2].expected_steps[1][1]: must be a name",
    ],
    [
      "another unit",
      { expectations: [{ ...steps, unit: "step" }] },
      'f.yaml: expectations[0].unit: must be trajectory or session, got "step"',
    ],
    [
      "another status",
      { expectations: [{ ...steps, status: "ok" }] },
      'f.yaml: expectations[0].status: must be proposed or approved, got "ok"',
    ],
    [
      "an id that is a number",
      { expectations: [{ ...steps, id: 3 }] },
      "f.yaml: expectations[0].id: must be text, got 3",
    ],
    [
      "an attribute that is a list",
      { expectations: [{ ...steps, match: { attributes: { k: [1] } } }] },
      "f.yaml: expectations[0].match.attributes.k: must be text, a number, true or false, got [1]",
    ],
    [
      "a rule without a column",
      { expectations: [{ match: { agent: "a" } }] },
      "f.yaml: expectations[0]: must be a mapping with expected_steps",
    ],
    [
      "a polluting key",
      JSON.parse('{"expectations":[],"__proto__":{"x":1}}'),
      'f.yaml: the key "__proto__" is not allowed',
    ],
  ];
  test.each(rows)("refuses %s", (_name, document, message) => {
    const parsed = parseExpectations(document, "f.yaml");
    expect(parsed.ok ? [] : parsed.problems).toContainEqual(expect.stringContaining(message));
  });

  test("names every problem, one line each", () => {
    const parsed = parseExpectations({ expectations: [{ expected_steps: [1] }, { expected_tools: [2] }] }, "");
    expect(parsed.ok ? [] : parsed.problems.map((line) => line.split(":")[0])).toEqual([
      "expectations[0].expected_steps[0]",
      "expectations[1].expected_tools[0]",
    ]);
  });
});

test("parseRules keeps the path of each problem apart from its text", () => {
  const parsed = parseRules([{ expected_steps: [""] }], "expectations[1]");
  expect(parsed.ok ? undefined : parsed.problems[0]?.path).toBe("expectations[1][0].expected_steps[0]");
});
