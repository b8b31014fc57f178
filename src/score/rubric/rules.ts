import { z } from "zod";
import { strict } from "../../expectation/schemas.ts";
import type { Scored, ScoreResult } from "../../model/result.ts";

/** One condition on the result of a metric; all of its comparisons must hold. */
export interface RubricRule {
  /** Metric name of an input, for example `order_aware`. */
  readonly metric: string;
  /** A number in the metadata of the result. @defaultValue none: the score */
  readonly field?: string | undefined;
  readonly gt?: number | undefined;
  readonly gte?: number | undefined;
  readonly lt?: number | undefined;
  readonly lte?: number | undefined;
  readonly eq?: number | undefined;
}

/** Rules of which all must hold, or any. */
export type RubricRules = { readonly all: readonly RubricRule[] } | { readonly any: readonly RubricRule[] };

/** Sums of fractions are not exact: numbers this close are equal. */
const SLACK = 1e-9;

const OPERATORS: Readonly<Record<"gt" | "gte" | "lt" | "lte" | "eq", (value: number, bound: number) => boolean>> = {
  gt: (value, bound) => value > bound + SLACK,
  gte: (value, bound) => value >= bound - SLACK,
  lt: (value, bound) => value < bound - SLACK,
  lte: (value, bound) => value <= bound + SLACK,
  eq: (value, bound) => Math.abs(value - bound) <= SLACK,
};
const NAMES = ["gt", "gte", "lt", "lte", "eq"] as const;

/** How one rule came out. */
export interface RuleOutcome extends RubricRule {
  readonly value: number;
  readonly holds: boolean;
}

/** How a rubric came out, or which input it lacks. */
export type RubricOutcome =
  | { readonly ok: true; readonly pass: boolean; readonly rules: readonly RuleOutcome[] }
  | { readonly ok: false; readonly kind: "dependency"; readonly metric: string; readonly because: string }
  | { readonly ok: false; readonly kind: "field"; readonly metric: string; readonly field: string };

const RULE = "must be a rule: { metric, field?, and at least one of gt, gte, lt, lte, eq }";
const RULES = "must be a list of rules with at least one";

/** A list of rules. */
export function rulesSchema(): z.ZodType<RubricRule[]> {
  const text = z.string({ error: "must be text" }).min(1, { error: "must be text that is not empty" });
  const bound = z.number({ error: "must be a number" }).optional();
  const rule = strict(
    { metric: text, field: text.optional(), gt: bound, gte: bound, lt: bound, lte: bound, eq: bound },
    RULE,
  ).refine((given) => NAMES.some((name) => given[name] !== undefined));
  return z.array(rule, { error: RULES }).min(1, { error: RULES }) as unknown as z.ZodType<RubricRule[]>;
}

/**
 * Applies rules to results by metric name. An input that is absent or was not scored makes the outcome unknown, whatever
 * the other rules say; so does a field that is no number.
 */
export function applyRules(rules: RubricRules, results: ReadonlyMap<string, ScoreResult>): RubricOutcome {
  const list = "all" in rules ? rules.all : rules.any;
  const outcomes: RuleOutcome[] = [];
  for (const rule of list) {
    const { metric, field } = rule;
    const result = results.get(metric);
    if (result?.status !== "scored") return { ok: false, kind: "dependency", metric, because: reasonOf(result) };
    const value = field === undefined ? result.score : fieldOf(result.metadata, field);
    if (value === undefined) return { ok: false, kind: "field", metric, field: field as string };
    outcomes.push({ ...rule, value, holds: holds(rule, value) });
  }
  const pass = "all" in rules ? outcomes.every((one) => one.holds) : outcomes.some((one) => one.holds);
  return { ok: true, pass, rules: outcomes };
}

function holds(rule: RubricRule, value: number): boolean {
  return NAMES.every((name) => {
    const bound = rule[name];
    return bound === undefined || OPERATORS[name](value, bound);
  });
}

function fieldOf(metadata: Readonly<Record<string, unknown>>, field: string): number | undefined {
  const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined;
  return Number.isFinite(value) ? (value as number) : undefined;
}

function reasonOf(result: Exclude<ScoreResult, Scored> | undefined): string {
  if (result === undefined) return "no result";
  return result.status === "error" ? result.error.type : result.reason;
}
