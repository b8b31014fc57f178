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
