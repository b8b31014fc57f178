import type { Kind } from "./span.ts";
import type { IncompleteReason, Step, TrajectoryOptions } from "./trajectory.ts";

/** Why a span is a step, or why it is none. Closed list. */
export type SpanReason =
  /** It is the step that `steps` names. */
  | "step"
  /** A model call whose completion holds the steps that `steps` names, since no span shows them. */
  | "calls_are_steps"
  /** A model call; the trace has spans for its steps. */
  | "model_call"
  /** A model call that answered without calling a tool. */
  | "no_calls"
  /** A model call that called tools, and the span does not show which. */
  | "calls_not_recorded"
  /** A model call that the span `of` shows as well, or better. */
  | "same_model_call"
  /** No convention gives it a kind. */
  | "no_kind"
  /** The convention says that it is bookkeeping or a wrapper, and no act. */
  | "no_act"
  /** Its attributes cannot be read. */
  | "unreadable"
  /** The agent that owns the trace. */
  | "entry_agent"
  /** The agent that `of`, an agent without a name at the top, stands for; the two are one. */
  | "stood_for"
  /** An agent without a name at the top, which stands for the agent `of`. */
  | "stands_for"
  /** It has no parent, under `root: "trace"`. */
  | "trace_root"
  /** Another record of the act that `of` shows: one call id, or a call seen by an MCP client and a server. */
  | "echo"
  /** An agent within itself: `of` has the same identity. */
  | "same_agent"
  /** An agent without a name: `of` around it names the act. */
  | "nameless_agent"
  /** The tool that starts the agent `of`; the two are one step, the agent's. It stays in the tool list. */
  | "delegation"
  /** The tool that hands over to the agent `of`, under `delegations: "fold"`. */
  | "hand_off"
  /** It failed, under `failedCalls: "ignore"`. */
  | "failed_ignored"
  /** It failed and `of` tried again, under `failedCalls: "collapse"`. */
  | "failed_retried"
  /** A span with this id came before. */
  | "duplicate_id"
  /** It is telemetry of the evaluation itself. */
  | "own_telemetry";

/** What became of one span. */
export interface SpanExplanation {
  readonly span_id: string;
  /** Empty when the span has no parent. */
  readonly parent_id: string;
  /** How far below its root it stands, in the tree of the spans that are here. */
  readonly depth: number;
  /** The span's own name. */
  readonly name: string;
  readonly scope_name: string;
  /** Which convention read it; `none` when no convention has anything to say. */
  readonly convention: string;
  readonly kind?: Kind;
  /** TOOL: the tool's name. AGENT: the identity. */
  readonly read_as?: string;
  readonly failed?: true;
  readonly reason: SpanReason;
  /** Id of the span that the reason refers to. */
  readonly of?: string;
  /** Places in the step list, from 1. */
  readonly steps: readonly number[];
  /** Places in the tool list, from 1. */
  readonly tools: readonly number[];
}

/** How one trace became its trajectory: every span, and why it is the step that it is, or none. */
export interface Explanation {
  readonly trace_id: string;
  readonly session_id?: string;
  readonly options: {
    readonly root: NonNullable<TrajectoryOptions["root"]>;
    readonly delegations: NonNullable<TrajectoryOptions["delegations"]>;
    readonly failedCalls: NonNullable<TrajectoryOptions["failedCalls"]>;
  };
  /** Name of the agent that owns the trace. */
  readonly entry_agent?: string;
  readonly steps: readonly Step[];
  readonly tools: readonly Step[];
  /** Lists that the spans show to exist but do not let us read. */
  readonly unread: readonly ("steps" | "tools")[];
  readonly incomplete: readonly IncompleteReason[];
  /** In the order of the walk; spans that were left out of it come last. */
  readonly spans: readonly SpanExplanation[];
  /** Spans of no kind and without children that were let go when they ended, uncounted in `spans`. */
  readonly let_go: number;
}
