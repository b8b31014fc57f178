import { expect, test } from "vitest";
import type { ScoreRow } from "../../src/cli/rows.ts";
import { why } from "../../src/cli/why.ts";

const scored = (score: number, metadata: Record<string, unknown>): ScoreRow => ({
  ...{ unit_id: "u", metric: "m", version: "1.0.0", status: "scored", label: "informational" },
  ...{ score, metadata },
});
const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ op: "delete", expected: `s${index}` }));

test.each<[string, ScoreRow, string]>([
  ["a perfect score", scored(1, { steps: [{ op: "insert", actual: "a" }] }), ""],
  ["nothing to say", scored(0, {}), ""],
  [
    "missing and extra steps, calls by name alone",
    scored(0.5, {
      steps: [
        { op: "match", expected: "a", actual: "a" },
        { op: "substitute", expected: { name: "pay", args: { card: 1 } }, actual: "b" },
        { op: "delete", expected: "c", actual: null },
      ],
      extra_steps: ["d"],
    }),
    "missing: pay, c; extra: b, d",
  ],
  ["many", scored(0, { steps: steps(12) }), "missing: s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, and 2 more"],
  ["missing tools", scored(0.5, { expected_tools: ["a", "b"], missing_tools: ["b"] }), "missing: b"],
  ["forbidden tools", scored(0, { called_forbidden_tools: ["drop"], violations: 2 }), "forbidden: drop"],
  ["a limit on all calls", scored(0, { max_calls: 2, total_calls: 3, exceeded: [] }), "3 calls, at most 2 expected"],
  [
    "limits by tool",
    scored(0, { max_calls: { a: 1 }, total_calls: 3, exceeded: [{ tool: "a", calls: 3, max_calls: 1 }] }),
    "too many calls: a 3 of 1",
  ],
  [
    "rules",
    scored(0, {
      rules: [
        { metric: "order_aware", gte: 0.75, value: 2 / 3, holds: false },
        { metric: "step_credit", field: "extra", gt: 0, lte: 1, value: 2, holds: false },
        { metric: "f1", gte: 0, value: 1, holds: true },
      ],
    }),
    "does not hold: order_aware 0.6667 (gte 0.75), step_credit.extra 2 (gt 0, lte 1)",
  ],
  [
    "the best of several trajectories",
    scored(0.5, { steps: steps(1), trajectory_index: 1, trajectory_count: 3 }),
    "missing: s0; closest to trajectory 2 of 3",
  ],
  [
    "metadata of wrong types",
    scored(0, { steps: 7, rules: [null, 3], exceeded: "x", called_forbidden_tools: [1] }),
    "",
  ],
])("%s", (_name, row, text) => expect(why(row)).toBe(text));
