import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ExpectedCall } from "../../../src/model/expectation.ts";
import type { Scorer } from "../../../src/model/scorer.ts";
import type { Step } from "../../../src/model/trajectory.ts";
import { exactMatch } from "../../../src/score/path/exact-match.ts";
import { inOrderSubset } from "../../../src/score/path/in-order-subset.ts";
import { orderAware } from "../../../src/score/path/order-aware.ts";
import type { PathConfig } from "../../../src/score/path/path-config.ts";
import { setOverlap } from "../../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../../src/score/path/step-credit.ts";
import { toolF1 } from "../../../src/score/path/tool-f1.ts";
import { occurrenceOf, scored } from "../support.ts";

/** Path scores of one row of `fixtures/vectors/trajectory.json`, names only. */
interface PathWant {
  readonly exact_match: number;
  readonly order_aware: number;
  readonly set_overlap: number;
  readonly step_credit: number;
  readonly matched: number;
  readonly missing: number;
  readonly extra: number;
  readonly in_order_subset: number;
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

interface TrajectoryRow {
  readonly id: string;
  readonly expected_steps: readonly string[];
  readonly observed: readonly Step[];
  readonly path?: PathWant;
}

/** One row of `fixtures/vectors/arguments.json`. */
interface ArgumentsRow {
  readonly id: string;
  readonly config: PathConfig;
  readonly expected_calls: readonly ExpectedCall[];
  readonly observed: readonly Step[];
  readonly want: Readonly<Record<string, number | { readonly reason: string }>>;
}

const BUILDERS: Readonly<Record<string, (config?: PathConfig) => Scorer>> = {
  exact_match: exactMatch,
  in_order_subset: inOrderSubset,
  tool_f1: toolF1,
  order_aware: orderAware,
  set_overlap: setOverlap,
  step_credit: stepCredit,
};

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}.json`, import.meta.url), "utf8"));
const trajectories = read("trajectory") as readonly TrajectoryRow[];
const rows = trajectories.flatMap((row) => (row.path === undefined ? [] : [{ ...row, want: row.path }]));
const grouped = trajectories.filter((row) => row.path === undefined);
const argumentRows = read("arguments") as readonly ArgumentsRow[];

test("the vectors are all there", () => {
  expect(rows).toHaveLength(98);
  expect(grouped).toHaveLength(62);
  expect(argumentRows).toHaveLength(16);
});

describe("path scores of step lists", () => {
  test.each(rows)("$id", ({ expected_steps, observed, want }) => {
    const occurrence = occurrenceOf(observed, { expected_steps });
    const scoreOf = (metric: string) => scored(BUILDERS[metric]?.().score(occurrence) as never);
    for (const metric of ["exact_match", "in_order_subset", "order_aware", "set_overlap", "step_credit"] as const) {
      expect(scoreOf(metric).score, metric).toBeCloseTo(want[metric], 9);
    }
    const { matched, missing, extra } = want;
    expect(scoreOf("step_credit").metadata).toMatchObject({ matched, missing, extra });
    const f1 = scoreOf("tool_f1");
    expect(f1.score).toBeCloseTo(want.f1, 9);
    expect(f1.metadata.precision).toBeCloseTo(want.precision, 9);
    expect(f1.metadata.recall).toBeCloseTo(want.recall, 9);
    expect(f1.metadata.f1).toBe(f1.score);
  });
});

describe("groups have no order", () => {
  test.each(grouped)("$id", ({ expected_steps, observed }) => {
    const occurrence = occurrenceOf(observed, { expected_steps });
    for (const metric of ["exact_match", "in_order_subset", "order_aware", "step_credit"]) {
      expect(BUILDERS[metric]?.().score(occurrence), metric).toMatchObject({ reason: "groups_not_scored" });
    }
    for (const metric of ["set_overlap", "tool_f1"]) {
      // Laid out, a group is its members: the order-free scores are those of the flat list.
      const flat = occurrenceOf(observed, { expected_steps: expected_steps.flat() });
      const result = scored(BUILDERS[metric]?.().score(occurrence) as never);
      expect(result.score, metric).toBe(scored(BUILDERS[metric]?.().score(flat) as never).score);
    }
  });
});

describe("argument policy", () => {
  const wants = argumentRows.flatMap((row) =>
    Object.entries(row.want).map(([metric, want]) => ({ ...row, metric, want, title: `${row.id}: ${metric}` })),
  );
  test.each(wants)("$title", ({ config, expected_calls, observed, metric, want }) => {
    const result = BUILDERS[metric]?.(config).score(occurrenceOf(observed, { expected_calls }));
    if (typeof want === "number") expect(scored(result as never).score).toBeCloseTo(want, 9);
    else expect(result).toEqual({ status: "non_evaluable", reason: want.reason });
  });
});
