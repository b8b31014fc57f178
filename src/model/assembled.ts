import type { AttributeMap, Kind, SpanAnnotation } from "./span.ts";
import type { Egress, IncompleteReason, Member, Step } from "./trajectory.ts";

/** A step with its place, so that a session can merge the steps of its traces. */
export interface PlacedStep {
  readonly step: Step;
  /** Start of the span it came from. */
  readonly start_s: number;
  readonly start_n: number;
  /** Place in the pre-order walk of its trace; embedded calls of one completion share it and keep their order. */
  readonly place: number;
}

/** A span that results refer to. */
export interface SpanRef {
  readonly trace_id: string;
  readonly span_id: string;
  readonly trace_flags: number;
  readonly name: string;
}

/** A finished trace, read: everything that scoring, matching and emission need. */
export interface AssembledTrace {
  readonly trace_id: string;
  readonly steps: readonly PlacedStep[];
  readonly tools: readonly PlacedStep[];
  /** Kinds present, in the order TOOL, AGENT, LLM. */
  readonly kinds: readonly Kind[];
  readonly unread: readonly ("steps" | "tools")[];
  readonly session_id: string | undefined;
  /** One session key had several values among the eligible spans. */
  readonly session_conflict: boolean;
  readonly session_end: boolean;
  readonly egress: Egress;
  /** The agent that owns the trace; found the same way whatever the `root` option. */
  readonly entry_agent: SpanRef | undefined;
  /** The first local root in walk order; undefined for an empty trace or a ring without a root. */
  readonly local_root: SpanRef | undefined;
  /** Start of the earliest local root (else of the earliest span). */
  readonly root_start_s: number;
  readonly root_start_n: number;
  /** Attributes kept of the local root and of the entry agent. */
  readonly root_attributes: AttributeMap;
  readonly agent_attributes: AttributeMap;
  readonly resource: AttributeMap;
  /** Raw `aip.expected_*` annotations of the trace's spans, in walk order. */
  readonly annotations: readonly SpanAnnotation[];
  /** `no_root`, `parent_missing`, `remote_parent`, `session_conflict`, as the spans show them. */
  readonly reasons: readonly IncompleteReason[];
  /** How many spans went in (duplicates not counted). */
  readonly span_count: number;
  /** One per LLM call, in execution order, each call once; only where they were asked for. */
  readonly members?: readonly Member[];
  /** Spans left out because their id had come before. */
  readonly duplicate_count?: number;
  /** The lists before `failedCalls` was applied, where it is not `count`; a session applies it to the merged lists. */
  readonly before_failed_calls?: {
    readonly option: "ignore" | "collapse";
    readonly steps: readonly PlacedStep[];
    readonly tools: readonly PlacedStep[];
  };
}
