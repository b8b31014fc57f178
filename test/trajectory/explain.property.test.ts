import fc from "fast-check";
import { expect, test } from "vitest";
import { renderExplanation } from "../../src/report/explain-text.ts";
import { assembleTrace } from "../../src/trajectory/assemble.ts";
import { explainTrace } from "../../src/trajectory/explain.ts";
import { agent, factsOf, llm, type Sketch, tool } from "../support/spans.ts";

const row = fc.record({
  kind: fc.constantFrom("tool", "agent", "nameless", "llm", "none"),
  parent: fc.integer({ min: -2, max: 11 }),
  id: fc.integer({ min: 0, max: 11 }),
  named: fc.constantFrom("a", "b", "transfer_to_a", "agent-a"),
  start: fc.integer({ min: 1, max: 4 }),
  call: fc.constantFrom("", "c1"),
  failed: fc.boolean(),
  calls: fc.constantFrom(0, 1, 2),
});
const options = fc.record({
  root: fc.constantFrom("entry-agent", "trace"),
  delegations: fc.constantFrom("same-name", "fold", "keep"),
  failedCalls: fc.constantFrom("count", "ignore", "collapse"),
});

/** Any parents, rings and ids that come twice among them. */
function sketchOf({
  kind,
  parent,
  id,
  named,
  start,
  call,
  failed,
  calls,
}: Parameters<Parameters<typeof row.map>[0]>[0]): Sketch {
  const more = {
    parent: parent === -1 ? "" : parent === -2 ? "gone" : `s${parent}`,
    start,
    status: failed ? ("ERROR" as const) : ("UNSET" as const),
  };
  if (kind === "tool") return tool(`s${id}`, { ...more, named, ...(call === "" ? {} : { call }) });
  if (kind === "agent") return agent(`s${id}`, { ...more, named });
  if (kind === "nameless") return agent(`s${id}`, { ...more, named: "" });
  if (kind === "none") return { id: `s${id}`, ...more };
  return llm(`s${id}`, { ...more, stop: "tool_calls", calls: Array.from({ length: calls }, () => ({ name: named })) });
}

test("every span is explained once, and every step and call belongs to one", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), options, (rows, option) => {
      const spans = factsOf(rows.map(sketchOf));
      const trace = assembleTrace(spans, option);
      const explanation = explainTrace(spans, option);
      expect(explanation.steps).toEqual(trace.steps.map(({ step }) => step));
      expect(explanation.tools).toEqual(trace.tools.map(({ step }) => step));
      expect(explanation.spans).toHaveLength(spans.length);
      for (const list of ["steps", "tools"] as const) {
        const places = explanation.spans.flatMap((span) => span[list]).sort((a, b) => a - b);
        expect(places).toEqual(explanation[list].map((_, index) => index + 1));
      }
      for (const span of explanation.spans) {
        const kept = span.reason !== "duplicate_id";
        // Whatever is an act and no step has a reason of its own, and one that says "step" is one.
        if (kept && (span.kind === "TOOL" || span.kind === "AGENT"))
          expect(span.reason === "step").toBe(span.steps.length > 0);
        if (span.of !== undefined) expect(spans.map(({ span_id }) => span_id)).toContain(span.of);
      }
      // Three lines of head at least, one a span, one of foot.
      expect(renderExplanation(explanation).split("\n").length).toBeGreaterThan(spans.length + 4);
    }),
    { seed: 42, numRuns: 2_000 },
  );
});
