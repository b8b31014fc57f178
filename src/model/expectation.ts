/** The columns an expectation can have. */
export type Column = "expected_steps" | "expected_tools" | "expected_calls";

/** One expected call of `expected_calls`. */
export interface ExpectedCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** @defaultValue "exact" when `args` is given, else "ignore" */
  readonly match?: "exact" | "subset" | "ignore";
}

/** A name, or a list of names: an unordered group (one level). */
export type ExpectedStep = string | readonly string[];

/** What the occurrence should have done. */
export interface Expectation {
  readonly id?: string;
  /** Only an approved expectation gives pass or fail. @defaultValue "proposed" */
  readonly status?: "proposed" | "approved";
  readonly expected_steps?: readonly ExpectedStep[];
  readonly expected_tools?: readonly string[];
  readonly expected_calls?: readonly ExpectedCall[];
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
