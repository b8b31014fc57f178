/** Why a unit could not be evaluated. A closed list; match on it, never on messages. */
export const REASON_CODES = [
  "not_sampled",
  "over_limit",
  "not_aggregate",
  "no_expectation",
  "ambiguous_expectation",
  "invalid_expectation",
  "expectation_error",
  "expectation_timeout",
  "kinds_missing",
  "steps_not_recorded",
  "no_tool_calls",
  "arguments_not_recorded",
  "groups_not_scored",
  "no_members",
  "output_all_null",
  "egress_forbidden",
  "dependency_not_scored",
  "judge_timeout",
  "judge_error",
  "scorer_timeout",
] as const;

export type ReasonCode = (typeof REASON_CODES)[number];

export const LABELS = ["pass", "fail", "informational"] as const;

/** `pass` and `fail` only under an approved expectation and a threshold. */
export type Label = (typeof LABELS)[number];

export interface Scored {
  readonly status: "scored";
  /** 0 to 1; higher is better. */
  readonly score: number;
  readonly label: Label;
  readonly metadata: Record<string, unknown>;
}

export interface NonEvaluable {
  readonly status: "non_evaluable";
  readonly reason: ReasonCode;
  readonly metadata?: Record<string, unknown>;
}

export interface Errored {
  readonly status: "error";
  readonly error: { readonly type: string; readonly message: string };
}

/** What a scorer says about one occurrence. A missing score is never a zero. */
export type ScoreResult = Scored | NonEvaluable | Errored;

/** One entry of a step alignment, in path order; the absent side is null. */
export interface AlignedStep {
  readonly op: "match" | "substitute" | "insert" | "delete";
  readonly expected: string | null;
  readonly actual: string | null;
  /** Index into `expected_steps`; a group's member has its group's. */
  readonly expected_index: number | null;
  readonly actual_index: number | null;
  /** Index of the group in `expected_steps`, on entries of a group only. */
  readonly group?: number;
}
