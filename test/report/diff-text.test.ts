import { describe, expect, test } from "vitest";
import type { ScoreResult } from "../../src/model/result.ts";
import { renderDiff } from "../../src/report/diff-text.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { expectSteps, occurrenceOf, stepsOf } from "../score/support.ts";

function withMetadata(metadata: Record<string, unknown>): ScoreResult {
  return { status: "scored", score: 0, label: "informational", metadata };
}

const strict = stepAccuracy({ scoring_method: "strict_position" });

const rows: readonly (readonly [string, ScoreResult, readonly string[]])[] = [
  [
    "every operation",
    stepAccuracy().score(
      occurrenceOf(stepsOf("first", "search", "close"), expectSteps("search", "open_document", "answer")),
    ),
    // Three substitutions match nothing; insert first, match search, then one of two is substituted and one deleted.
    [
      "!! 0: expected (none)         actual first",
      "   1: expected search         actual search",
      "!! 2: expected open_document  actual close",
      "!! 3: expected answer         actual (none)",
    ],
  ],
  [
    "a group, another spelling that matches, an agent",
    stepAccuracy().score(
      occurrenceOf(stepsOf("fetchB", "fetch_a", "@writer"), expectSteps(["fetch_a", "fetch_b"], "writer")),
    ),
    [
      "   0: expected fetch_b  actual fetchB",
      "   1: expected fetch_a  actual fetch_a",
      "   2: expected writer   actual writer",
    ],
  ],
  [
    "strict position, extra steps last",
    strict.score(occurrenceOf(stepsOf("a", "x", "c"), expectSteps("a", "b"))),
    ["   0: expected a       actual a", "!! 1: expected b       actual x", "!! 2: expected (none)  actual c"],
  ],
  [
    "tool selection",
    toolSelectionAccuracy().score(
      occurrenceOf(stepsOf("get_weather", "other"), { expected_tools: ["get_weather", "get_time"] }),
    ),
    ["   0: expected get_weather  actual get_weather", "!! 1: expected get_time     actual (none)"],
  ],
  [
    "names that would not be seen stand in quotes",
    strict.score(occurrenceOf(stepsOf("", "  "), expectSteps("a", "\u00a0"))),
    ['!! 0: expected a    actual ""', '!! 1: expected "\u00a0"  actual "  "'],
  ],
  [
    "names stay on one line and cannot reorder what is shown",
    stepAccuracy().score(occurrenceOf(stepsOf("a\nb\t\r", "\u202ecba", ""), expectSteps("a\u2028b", "\u0000"))),
    [
      "!! 0: expected a\\u{2028}b  actual a\\nb\\t\\r",
      "!! 1: expected \\u{0}       actual \\u{202e}cba",
      '!! 2: expected (none)      actual ""',
    ],
  ],
  [
    "arguments in key order",
    withMetadata({
      steps: [
        {
          op: "substitute",
          expected: { name: "pay", args: { currency: "EUR", amount: 3 } },
          actual: { name: "pay", args: { amount: 4, currency: "E\nR" } },
        },
      ],
    }),
    ['!! 0: expected pay(amount=3, currency="EUR")  actual pay(amount=4, currency="E\\nR")'],
  ],
  [
    "arguments of every shape, keys in order at every depth, numbers that JSON has no digits for",
    withMetadata({
      steps: [
        {
          op: "match",
          expected: { name: "f", args: { b: { d: 1, c: [2n ** 60n] }, a: undefined } },
          actual: { name: "f", args: ["x", 1] },
        },
        { op: "insert", expected: null, actual: { name: "g", args: "text" } },
        { op: "delete", expected: { name: "h", args: {} }, actual: null },
      ],
    }),
    [
      '   0: expected f(a=null, b={"c":["1152921504606846976"],"d":1})  actual f(["x",1])',
      '!! 1: expected (none)                                    actual g("text")',
      "!! 2: expected h()                                       actual (none)",
    ],
  ],
  [
    "a name wider than the column does not widen it",
    withMetadata({
      steps: [
        { op: "match", expected: "x".repeat(50), actual: "y" },
        { op: "match", expected: "a", actual: "a" },
      ],
    }),
    [`   0: expected ${"x".repeat(50)}  actual y`, `   1: expected a${" ".repeat(39)}  actual a`],
  ],
  ["a scored result without lists", withMetadata({}), [""]],
  [
    "metadata of a wrong type",
    withMetadata({ steps: [null, 7, { op: "match" }] }),
    [
      "!! 0: expected (none)  actual (none)",
      "!! 1: expected (none)  actual (none)",
      "   2: expected (none)  actual (none)",
    ],
  ],
  ["not evaluated", { status: "non_evaluable", reason: "no_tool_calls" }, ["not evaluated: no_tool_calls"]],
  ["an error", { status: "error", error: { type: "boom", message: "two\nlines" } }, ["error: boom: two\\nlines"]],
];

describe("renderDiff", () => {
  test.each(rows)("%s", (_title, result, lines) => {
    expect(renderDiff(result)).toBe(lines.join("\n"));
    expect(renderDiff(structuredClone(result))).toBe(lines.join("\n"));
  });

  test("members of a group are joined by a bracket, one alone as well", () => {
    const result = withMetadata({
      steps: [
        { op: "match", expected: "a", actual: "a", group: 0 },
        { op: "match", expected: "b", actual: "b", group: 1 },
        { op: "match", expected: "c", actual: "c", group: 1 },
        { op: "delete", expected: "d", actual: null, group: 1 },
        { op: "match", expected: "e", actual: "e" },
      ],
    });
    expect(renderDiff(result, { groups: true }).split("\n")).toEqual([
      "   0: [ expected a  actual a",
      "   1: ┌ expected b  actual b",
      "   2: │ expected c  actual c",
      "!! 3: └ expected d  actual (none)",
      "   4:   expected e  actual e",
    ]);
    expect(renderDiff(result)).not.toMatch(/[[┌│└]/u);
  });

  test("colour is for lines that differ, and takes the rest as it is", () => {
    const result = withMetadata({
      steps: [
        { op: "match", expected: "a", actual: "a" },
        { op: "insert", actual: "\u001b[2J" },
      ],
    });
    expect(renderDiff(result, { color: true })).toBe(
      "   0: expected a       actual a\n\u001b[31m!! 1: expected (none)  actual \\u{1b}[2J\u001b[39m",
    );
  });

  test("names alone, where arguments may not be shown", () => {
    const result = withMetadata({
      steps: [{ op: "match", expected: { name: "pay", args: { card: 1 } }, actual: { name: "pay", args: "4242" } }],
    });
    expect(renderDiff(result, { arguments: false })).toBe("   0: expected pay  actual pay");
  });

  test("every line of twelve keeps its column", () => {
    const steps = stepsOf(...Array.from({ length: 12 }, (_, index) => `s${index}`));
    const lines = renderDiff(stepAccuracy().score(occurrenceOf(steps, expectSteps("s0")))).split("\n");
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe("    0: expected s0      actual s0");
    expect(lines[11]).toBe("!! 11: expected (none)  actual s11");
  });

  test("metadata that throws gives an empty text", () => {
    const metadata = Object.defineProperty({}, "steps", {
      enumerable: true,
      get: () => {
        throw new Error("boom");
      },
    });
    expect(renderDiff(withMetadata(metadata))).toBe("");
  });
});
