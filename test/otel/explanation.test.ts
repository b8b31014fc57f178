import { expect, test } from "vitest";
import { eventAttributes } from "../../src/otel/evaluation-attributes.ts";
import type { EmittedEvaluation } from "../../src/pipeline/sink.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";

/** A result whose alignment has arguments, as scorers that report them give it. */
const emitted: EmittedEvaluation = {
  unit: {
    unit: "trajectory",
    unit_id: "trajectory:t",
    complete: true,
    incomplete_reasons: [],
    target: undefined,
    local_root: undefined,
    roots: [],
    agent: undefined,
    session_id: undefined,
    trace_ids: ["t"],
  },
  evaluation: {
    scorer: stepAccuracy(),
    occurrence: { unit: "trajectory", unit_id: "trajectory:t", steps: [] },
    result: {
      status: "scored",
      score: 1,
      label: "informational",
      metadata: {
        steps: [
          {
            op: "match",
            expected: { name: "pay", args: { card: "4242" } },
            actual: { name: "pay", args: { card: "4242" } },
          },
        ],
      },
    },
    expectation: undefined,
    expectation_digest: "",
    message: "",
    duration_s: 0,
  },
  evaluation_id: "e",
  revision: 0,
};

test.each([
  [false, "   0: expected pay  actual pay"],
  [true, '   0: expected pay(card="4242")  actual pay(card="4242")'],
])("arguments in an alignment leave only with emitContent: %s", (emitContent, text) => {
  const attributes = eventAttributes(emitted, { emitContent, sessionId: "plain" });
  expect(attributes["gen_ai.evaluation.explanation"]).toBe(text);
});
