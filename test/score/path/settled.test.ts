import { expect, test } from "vitest";
import { fromRules } from "../../../src/expectation/from-rules.ts";
import { createResolver } from "../../../src/expectation/resolve.ts";
import type { Occurrence, Step } from "../../../src/model/trajectory.ts";
import { evaluate } from "../../../src/pipeline/evaluate.ts";
import { defineScorer } from "../../../src/score/define-scorer.ts";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { settle } from "../../../src/score/path/shared-work.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";

const resolver = createResolver({
  sources: [fromRules([{ expected_calls: [{ name: "search", args: { q: "x" } }] }], "rules")],
});
const runtime = { now: () => 0, setTimer: () => 0, clearTimer: () => undefined } as never;
const request = { unit: "trajectory", unit_id: "t", trace_ids: ["t"], attributes: {}, resource: {} } as const;
const whole = { ...request, attribute_layers: [], contextual: [], span_annotations: [] } as never;

/** Steps whose arguments count how often they are read. */
function counted(): { readonly occurrence: Occurrence; readonly reads: () => number } {
  let reads = 0;
  const args = Object.defineProperty({}, "q", {
    enumerable: true,
    get: () => {
      reads += 1;
      return "x";
    },
  });
  const steps: Step[] = [{ kind: "TOOL", name: "search", args, args_status: "ok" }];
  return { occurrence: { unit: "trajectory", unit_id: "t", steps, tools: steps }, reads: () => reads };
}

test("scorers of a settled unit read its arguments once between them", () => {
  const scorers = [exactMatch(), toolF1()];
  const free = counted();
  for (const scorer of scorers)
    expect(evaluate(free.occurrence, whole, scorer, { resolver, runtime })).toMatchObject({ result: { score: 1 } });
  const settled = counted();
  settle(settled.occurrence.steps);
  for (const scorer of scorers)
    expect(evaluate(settled.occurrence, whole, scorer, { resolver, runtime })).toMatchObject({ result: { score: 1 } });
  expect(settled.reads()).toBe(1);
  expect(free.reads()).toBe(2);
});

test("a scorer of the host that is handed the arguments themselves may change them: the next one looks again", () => {
  const args: Record<string, unknown> = { q: "x", uncloneable: () => undefined };
  const steps: Step[] = [{ kind: "TOOL", name: "search", args, args_status: "ok" }];
  const occurrence: Occurrence = { unit: "trajectory", unit_id: "t", steps, tools: steps };
  settle(steps);
  const subset = exactMatch({ match: "subset", ignore_args: ["uncloneable"] });
  const tools = { resolver, runtime };
  expect(evaluate(occurrence, whole, subset, tools)).toMatchObject({ result: { score: 1 } });
  const meddler = defineScorer({
    name: "host.meddler",
    version: "1.0.0",
    metric_name: "meddler",
    units: ["trajectory"],
    score: ({ steps: given }) => {
      (given[0]?.args as Record<string, unknown>)["q"] = "other";
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
  expect(evaluate(occurrence, whole, meddler, tools)).toMatchObject({ result: { score: 1 } });
  expect(evaluate(occurrence, whole, subset, tools)).toMatchObject({ result: { score: 0 } });
});
