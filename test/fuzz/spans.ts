import { expect } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { SpanFacts, SpanView } from "../../src/model/span.ts";
import { callUnits, stepUnit, trajectoryUnit } from "../../src/pipeline/units.ts";
import { renderDiff } from "../../src/report/diff-text.ts";
import { renderExplanation } from "../../src/report/explain-text.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../../src/score/tool-selection-accuracy.ts";
import { trajectoryShape } from "../../src/score/trajectory-shape.ts";
import { assembleTrace } from "../../src/trajectory/assemble.ts";
import { explainTrace } from "../../src/trajectory/explain.ts";

const EXPECTED = { expected_steps: ["search", ["open", "close"], "send"], expected_tools: ["search"] };
const CALLS = { expected_calls: [{ name: "search", args: { q: "x", n: 1 }, match: "subset" as const }] };
const SCORERS = [
  stepAccuracy(),
  toolSelectionAccuracy(),
  exactMatch(),
  toolF1(),
  trajectoryShape({ unit: "trajectory" }),
];

/** Takes views all the way to results and texts: nothing throws, no convention does, and results are results. */
export function takeThrough(views: readonly SpanView[]): void {
  const problems: unknown[] = [];
  const reader = createSpanReader({ keepAttributes: "all", onProblem: (_kind, error) => problems.push(error) });
  const traces = new Map<string, SpanFacts[]>();
  views.forEach((view, seq) => {
    const facts = reader.read(view, seq);
    expect(Number.isFinite(facts.bytes)).toBe(true);
    traces.set(facts.trace_id, [...(traces.get(facts.trace_id) ?? []), facts]);
  });
  expect(problems).toEqual([]);
  for (const facts of traces.values()) {
    const trace = assembleTrace(facts, { members: true });
    const reasons = new Set(trace.reasons);
    const units = [trajectoryUnit(trace, reasons, []), stepUnit(trace, reasons, []), ...callUnits(trace, reasons)];
    for (const { occurrence } of units) {
      for (const scorer of SCORERS) {
        for (const expectation of [EXPECTED, CALLS]) {
          const result = scorer.score({ ...occurrence, expectation });
          if (result.status === "scored") expect(result.score >= 0 && result.score <= 1).toBe(true);
          // Reading our own occurrences leaves nothing to fail.
          if (result.status === "error") throw new Error(result.error.message);
          expect(typeof renderDiff(result, { groups: true })).toBe("string");
        }
      }
    }
    expect(renderExplanation(explainTrace(facts))).toContain("\n");
  }
}
