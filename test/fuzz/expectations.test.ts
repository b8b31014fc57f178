import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foundOnSpans } from "../../src/expectation/from-spans.ts";
import { COLUMNS, parseColumn, parseExpectations, parseRules } from "../../src/expectation/parse.ts";
import { parseYaml } from "../../src/files/parse-yaml.ts";
import { messageOf } from "../../src/model/errors.ts";
import { changes, expectOneLine, FUZZ_TIMEOUT, fuzz, mutated, nasty, nastyJson } from "./fuzz.ts";

const DOCUMENT = {
  expectations: [
    {
      id: "refund",
      match: {
        agent: "support_agent",
        root_span: "POST /chat",
        session_id: "s",
        attributes: { "task.type": "refund" },
      },
      unit: "trajectory",
      status: "approved",
      expected_steps: [
        "authenticate",
        ["fetch_order", "fetch_policy"],
        { step: "greet", optional: true },
        "issue_refund",
      ],
      expected_tools: ["issue_refund"],
      expected_calls: [{ name: "issue_refund", args: { currency: "EUR", amount: 1.5 }, match: "subset" }],
      max_calls: { issue_refund: 1 },
      forbidden_tools: ["drop_table"],
    },
    { match: { trace_id: "1".repeat(32) }, expected_steps: { one_of: [["a"], ["b", "c"]] } },
  ],
};
const YAML = readFileSync(new URL("../../examples/expectations.yaml", import.meta.url), "utf8");
const column = fc.constantFrom(...COLUMNS);

describe("expectations", () => {
  test("documents that were changed at random are read, or refused with the place", {
    timeout: FUZZ_TIMEOUT,
  }, async () => {
    await fuzz(changes(nasty), 250, (made) => {
      const parsed = parseExpectations(mutated(DOCUMENT, made), "rules.yaml");
      if (parsed.ok) {
        // What was read is plain, and reads again as itself.
        expect(parseExpectations({ expectations: structuredClone(parsed.rules) }, "")).toEqual(parsed);
        return;
      }
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const problem of parsed.problems) {
        expectOneLine(problem, 2_000);
        expect(problem.startsWith("rules.yaml: ")).toBe(true);
      }
    });
  });

  test("anything is a document, a list of rules and a column, or is refused", { timeout: FUZZ_TIMEOUT }, async () => {
    await fuzz(fc.tuple(column, nasty), 150, ([name, value]) => {
      parseExpectations(value, "x");
      parseRules(value, "expectations");
      const parsed = parseColumn(name, value);
      if (parsed.ok) expect(parseColumn(name, structuredClone(parsed.value))).toEqual(parsed);
      else expectOneLine(parsed.message, 2_000);
    });
  });

  test("the text of an attribute says what its value says", { timeout: FUZZ_TIMEOUT }, async () => {
    const values = changes(nastyJson).map((made) => mutated(DOCUMENT.expectations[0], made) ?? {});
    await fuzz(fc.tuple(column, values), 500, ([name, rule]) => {
      if (typeof rule !== "object" || rule === null) return;
      const value = Object.hasOwn(rule, name) ? (rule as Record<string, unknown>)[name] : undefined;
      let text: string | undefined;
      try {
        text = JSON.stringify(value);
      } catch {
        return;
      }
      // A text is JSON text itself.
      if (text === undefined || typeof value === "string") return;
      expect(parseColumn(name, text)).toEqual(parseColumn(name, JSON.parse(text)));
    });
  });

  test("annotations on spans resolve, or say which span and why", { timeout: FUZZ_TIMEOUT }, async () => {
    const annotation = fc.record(
      {
        span_id: fc.constant("s"),
        expected_steps: nasty,
        expected_tools: nasty,
        expected_calls: nasty,
        unit: nasty,
        id: nasty,
        status: nasty,
      },
      { requiredKeys: ["span_id"] },
    );
    await fuzz(fc.array(annotation, { maxLength: 3 }), 300, (span_annotations) => {
      for (const found of Object.values(foundOnSpans({ unit: "trajectory", span_annotations }))) {
        if (found.state === "failed") expectOneLine(found.message, 2_000);
      }
    });
  });

  test("YAML that was changed at random is read, or refused in words", { timeout: FUZZ_TIMEOUT }, async () => {
    const edit = fc.record({
      at: fc.nat(YAML.length),
      cut: fc.nat(5),
      put: fc.oneof(
        fc.constantFrom(
          "&a ",
          "*a",
          "!!map ",
          "!x ",
          "? ",
          "- ",
          ": ",
          "{",
          "[",
          "|",
          ">",
          "\t",
          "---\n",
          "...",
          "<<: ",
          "%YAML 9\n",
          "'",
          '"',
          "\\x",
          "#",
        ),
        fc.constantFrom(
          "- ".repeat(200),
          "[".repeat(300),
          "{a: ".repeat(200),
          "? ".repeat(300),
          "&b [*b]",
          "\u0000",
          "\ud800",
          " ".repeat(5_000),
        ),
        fc.string({ unit: "binary", maxLength: 5 }),
      ),
    });
    await fuzz(fc.array(edit, { minLength: 1, maxLength: 6 }), 50, (edits) => {
      const text = edits.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), YAML);
      let value: unknown;
      try {
        value = parseYaml(text);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
        expect(messageOf(error)).not.toBe("");
        return;
      }
      const parsed = parseExpectations(value, "f.yaml");
      if (!parsed.ok) for (const problem of parsed.problems) expectOneLine(problem, 2_000);
    });
  });
});

describe("found by fuzzing", () => {
  test("a long key is not repeated at length, and one with a line break stays in its line", () => {
    const long = parseExpectations({ expectations: [{ ["x".repeat(5_000)]: 1 }] }, "f");
    const broken = parseExpectations({ expectations: [{ max_calls: { "a\nb": "many" }, expected_tools: ["a"] }] }, "f");
    for (const parsed of [long, broken]) {
      if (parsed.ok) throw new Error("must be refused");
      for (const problem of parsed.problems) expectOneLine(problem, 600);
    }
    expect(JSON.stringify(broken)).toContain('max_calls[\\"a\\\\nb\\"]');
  });
});
