import type { Expectation } from "./expectation.ts";
import type { Kind } from "./span.ts";

/** What is graded: one LLM call, the steps of a trace, a trace, or a session. */
export type Unit = "call" | "step" | "trajectory" | "session";

/** Whether content may leave the process for a judge or a replay; anything not said is `unknown`. */
export type Egress = "permitted" | "forbidden" | "unknown";

/** One thing the agent did: a TOOL call or an AGENT invocation. Only `kind` and `name` are required. */
export interface Step {
  readonly kind: "TOOL" | "AGENT";
  /** TOOL: the bare tool name. AGENT: the agent's identity. */
  readonly name: string;
  /** The name as recorded, where it differs from `name`. */
  readonly raw_name?: string;
  readonly args?: unknown;
  /** Whether `args` could be read. Absent: `ok` when `args` is given, else `absent`. */
  readonly args_status?: "ok" | "absent" | "unparsed" | "truncated";
  readonly failed?: boolean;
  /** `span`: the step had a span of its own. `completion`: it was read out of an LLM completion. */
  readonly source?: "span" | "completion";
  readonly span_id?: string;
  readonly trace_id?: string;
}

/** A member of an aggregate unit: one LLM call. */
export interface Member {
  readonly unit_id: string;
  readonly has_output: boolean;
  readonly egress?: Egress;
}

/** Why a unit is not whole. `remote_parent` is listed without making the unit incomplete. */
export type IncompleteReason =
  | "open_spans"
  | "no_root"
  | "parent_missing"
  | "remote_parent"
  | "evicted"
  | "shutdown"
  | "spans_dropped"
  | "session_conflict";

/** One unit that is about to be scored. */
export interface Occurrence {
  readonly unit: Unit;
  /** `call:<trace>/<span>`, `step:<trace>`, `trajectory:<trace>` or `session:<session id>`. */
  readonly unit_id: string;
  /** The step list, in execution order. */
  readonly steps: readonly Step[];
  /** The tool list, in execution order. @defaultValue the TOOL steps of `steps` */
  readonly tools?: readonly Step[];
  readonly members?: readonly Member[];
  readonly expectation?: Expectation;
  /** Kinds present in the unit. Absent: no guard on kinds. */
  readonly kinds?: readonly Kind[];
  /** Lists that the spans show to exist but do not let us read. */
  readonly unread?: readonly ("steps" | "tools")[];
  readonly incomplete?: readonly string[];
  readonly egress?: Egress;
  readonly session_id?: string;
  readonly trace_ids?: readonly string[];
}

/** How spans become steps. */
export interface TrajectoryOptions {
  /**
   * What the root of a trace is. `entry-agent`: the agent that owns the trace is no step of its own trajectory,
   * in a script and behind a web server alike. `trace`: the span with no parent, whatever its kind, and no other.
   * @defaultValue "entry-agent"
   */
  readonly root?: "entry-agent" | "trace" | undefined;
  /**
   * What happens to the tool call that starts an agent. `same-name`: folds into the agent step when both have one
   * name. `fold`: `transfer_to_X` and `handoff_to_X` too, when the next AGENT step is X. `keep`: nothing folds.
   * @defaultValue "same-name"
   */
  readonly delegations?: "same-name" | "fold" | "keep" | undefined;
  /**
   * `count`: failed calls are steps. `ignore`: they are not. `collapse`: one directly followed by a step of the same
   * name is dropped, so that the last attempt stays.
   * @defaultValue "count"
   */
  readonly failedCalls?: "count" | "ignore" | "collapse" | undefined;
}
