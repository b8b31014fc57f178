/** The columns an expectation can have. */
export type Column = "expected_steps" | "expected_tools" | "expected_calls" | "max_calls" | "forbidden_tools";

/** One expected call of `expected_calls`. */
export interface ExpectedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** @defaultValue "exact" when `args` is given, else "ignore" */
  readonly match?: "exact" | "subset" | "ignore";
}

/** A step that may be left out at no cost. Beyond the metric specifications. */
export interface OptionalStep {
  readonly optional: string;
}

/** One step that may be any of several. Beyond the metric specifications. */
export interface AlternativeStep {
  readonly any_of: readonly string[];
}

/** A name; a list of names: an unordered group (one level); an optional step; or one step with alternatives. */
export type ExpectedStep = string | readonly string[] | OptionalStep | AlternativeStep;

/** Several acceptable trajectories: the one with the best score counts. Beyond the metric specifications. */
export interface AcceptableTrajectories {
  readonly one_of: readonly (readonly ExpectedStep[])[];
}

/** What the column `expected_steps` holds. */
export type ExpectedSteps = readonly ExpectedStep[] | AcceptableTrajectories;

/** Most calls: of all tools together, or by tool name. */
export type MaxCalls = number | Readonly<Record<string, number>>;

/** What the occurrence should have done. */
export interface Expectation {
  readonly id?: string;
  /** Only an approved expectation gives pass or fail. @defaultValue "proposed" */
  readonly status?: "proposed" | "approved";
  readonly expected_steps?: ExpectedSteps;
  readonly expected_tools?: readonly string[];
  readonly expected_calls?: readonly ExpectedCall[];
  /** Most tool calls, together or by tool. */
  readonly max_calls?: MaxCalls;
  /** Tools that must not be called. */
  readonly forbidden_tools?: readonly string[];
  /** `own`: the occurrence's own. `run`: a run-level fallback. @defaultValue "own" */
  readonly origin?: "own" | "run";
}

/** What a rule of a configured source matches on; every given field must match. */
export interface ExpectationMatch {
  /** Name of the entry agent. */
  readonly agent?: string;
  /** Name of the local root span. */
  readonly root_span?: string;
  readonly trace_id?: string;
  readonly session_id?: string;
  /** Looked up on the local root, else the entry agent, else the resource. */
  readonly attributes?: Readonly<Record<string, string | number | boolean>>;
}

/** One rule of an expectations file or array. Rules are ordered; the first that matches wins. */
export interface ExpectationRule extends Expectation {
  /** Absent: the rule is run-level and matches every unit of its kind. */
  readonly match?: ExpectationMatch;
  /** @defaultValue "trajectory" */
  readonly unit?: "trajectory" | "session";
}

/** What a function source is asked about. */
export interface ExpectationRequest {
  readonly unit: "trajectory" | "session";
  readonly unit_id: string;
  readonly trace_ids: readonly string[];
  readonly session_id?: string;
  /** Name of the entry agent; absent when there is none. */
  readonly agent?: string;
  /** Name of the local root span (session: of its first trace). */
  readonly root_span?: string;
  /** Attributes of the local root, completed by the entry agent's. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
}
