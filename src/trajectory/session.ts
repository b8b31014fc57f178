import type { AssembledTrace, PlacedStep } from "../model/assembled.ts";
import type { Kind } from "../model/span.ts";
import type { Egress, IncompleteReason, Member, Step } from "../model/trajectory.ts";
import { worstEgress } from "./egress.ts";
import { applyFailedCalls } from "./failed.ts";
import { compareText, type SpanNode } from "./tree.ts";

/** What the spans of a trace say about its session. */
export interface ResolvedSession {
  readonly session_id: string | undefined;
  readonly conflict: boolean;
}

/** The traces of a session as one trajectory. */
export interface AssembledSession {
  /** By start of the root, then trace id. */
  readonly traces: readonly AssembledTrace[];
  readonly trace_ids: readonly string[];
  readonly session_id: string | undefined;
  readonly steps: readonly Step[];
  readonly tools: readonly Step[];
  /** Kinds present, in the order TOOL, AGENT, LLM. */
  readonly kinds: readonly Kind[];
  /** A list is unread when that of any trace is. */
  readonly unread: readonly ("steps" | "tools")[];
  readonly egress: Egress;
  readonly reasons: readonly IncompleteReason[];
  /** LLM calls of all traces, trace by trace; only where they were asked for. */
  readonly members?: readonly Member[];
}

/**
 * The session id of a trace: the value of the best key that any eligible span carries. Spans beneath a TOOL are not
 * eligible: their conversation is a sub-run's own. Among several values spans with a kind come before others, then
 * the root-most, then the first of the walk.
 */
export function resolveSession(order: readonly SpanNode[]): ResolvedSession {
  let best: SpanNode | undefined;
  let conflict = false;
  for (const node of order) {
    const { session } = node.span;
    if (session === undefined || node.beneathTool) continue;
    const held = best?.span.session;
    if (best === undefined || held === undefined || session.rank < held.rank) {
      best = node;
      conflict = false;
      continue;
    }
    if (session.rank > held.rank) continue;
    conflict ||= session.value !== held.value;
    if (comesBefore(node, best)) best = node;
  }
  return { session_id: best?.span.session?.value, conflict };
}

function comesBefore(node: SpanNode, best: SpanNode): boolean {
  const withKind = Number(node.span.kind === undefined) - Number(best.span.kind === undefined);
  return (withKind || node.depth - best.depth) < 0;
}

/**
 * Merges the traces of a session by start time and place; between traces by root start, then trace id. `failedCalls`
 * is applied to the merged lists, since a retry may be a trace of its own. O(n log n).
 */
export function mergeSession(traces: readonly AssembledTrace[]): AssembledSession {
  const sorted = [...traces].sort(compareTraces);
  const kinds = (["TOOL", "AGENT", "LLM"] as const).filter((kind) => sorted.some((one) => one.kinds.includes(kind)));
  const unread = (["steps", "tools"] as const).filter((list) => sorted.some((one) => one.unread.includes(list)));
  return {
    traces: sorted,
    trace_ids: sorted.map((one) => one.trace_id),
    session_id: sorted.find((one) => one.session_id !== undefined)?.session_id,
    steps: mergeLists(sorted, "steps"),
    tools: mergeLists(sorted, "tools"),
    kinds,
    unread,
    egress: worstEgress(sorted.filter((one) => one.kinds.length > 0).map((one) => one.egress)),
    reasons: [...new Set(sorted.flatMap((one) => one.reasons))],
    ...(sorted.some((one) => one.members !== undefined) ? { members: sorted.flatMap((one) => one.members ?? []) } : {}),
  };
}

/** By start of the root, then trace id. */
export function compareTraces(a: AssembledTrace, b: AssembledTrace): number {
  return a.root_start_s - b.root_start_s || a.root_start_n - b.root_start_n || compareText(a.trace_id, b.trace_id);
}

function mergeLists(traces: readonly AssembledTrace[], list: "steps" | "tools"): readonly Step[] {
  const all = traces.flatMap((trace, rank) =>
    (trace.before_failed_calls ?? trace)[list].map((placed) => ({ placed, rank })),
  );
  // The sort is stable, so that embedded calls of one completion keep their order.
  all.sort((a, b) => compareStart(a.placed, b.placed) || a.rank - b.rank || a.placed.place - b.placed.place);
  const option = traces.find((one) => one.before_failed_calls !== undefined)?.before_failed_calls?.option;
  const merged = all.map(({ placed }) => placed);
  return applyFailedCalls(merged, option).map(({ step }) => step);
}

function compareStart(a: PlacedStep, b: PlacedStep): number {
  return a.start_s - b.start_s || a.start_n - b.start_n;
}
