import type { SessionTrace } from "../buffer/session-buffer.ts";
import type { AssembledTrace, SpanRef } from "../model/assembled.ts";
import type { ContextualExpectation, ResolutionRequest } from "../model/resolution.ts";
import type { IncompleteReason, Occurrence } from "../model/trajectory.ts";
import { settle } from "../score/path/shared-work.ts";
import { occurrenceOfSession, occurrenceOfTrace } from "../trajectory/occurrence.ts";
import { mergeSession } from "../trajectory/session.ts";
import type { ScoredUnit } from "./sink.ts";

/** A unit in its three faces: what is said of it, what scorers see, and what expectations are looked up by. */
export interface PreparedUnit {
  readonly unit: ScoredUnit;
  readonly occurrence: Occurrence;
  readonly request: ResolutionRequest;
}

/** The `trajectory` unit of one trace. */
export function trajectoryUnit(
  trace: AssembledTrace,
  reasons: ReadonlySet<IncompleteReason>,
  contextual: readonly ContextualExpectation[],
): PreparedUnit {
  const unit = unitOfTrace("trajectory", `trajectory:${trace.trace_id}`, trace, reasons);
  return prepared(unit, occurrenceOfTrace(trace), trace, contextual, trace.annotations);
}

/** The `step` unit of one trace: grouped by trace, as its specification says, under an id of its own. */
export function stepUnit(
  trace: AssembledTrace,
  reasons: ReadonlySet<IncompleteReason>,
  contextual: readonly ContextualExpectation[],
): PreparedUnit {
  const unit = unitOfTrace("step", `step:${trace.trace_id}`, trace, reasons);
  const occurrence: Occurrence = { ...occurrenceOfTrace(trace), unit: "step", unit_id: unit.unit_id };
  return prepared(unit, occurrence, trace, contextual, trace.annotations);
}

/** The `call` units of one trace: one for each of its LLM calls. */
export function callUnits(trace: AssembledTrace, reasons: ReadonlySet<IncompleteReason>): PreparedUnit[] {
  return (trace.members ?? []).map((member) => {
    const unit = unitOfTrace("call", member.unit_id, trace, reasons);
    const occurrence: Occurrence = {
      unit: "call",
      unit_id: member.unit_id,
      steps: [],
      tools: [],
      kinds: ["LLM"],
      trace_ids: unit.trace_ids,
      ...(member.egress === undefined ? {} : { egress: member.egress }),
      ...(trace.session_id === undefined ? {} : { session_id: trace.session_id }),
    };
    return prepared(unit, occurrence, trace, [], []);
  });
}

function unitOfTrace(
  kind: "call" | "step" | "trajectory",
  unitId: string,
  trace: AssembledTrace,
  reasons: ReadonlySet<IncompleteReason>,
): ScoredUnit {
  return {
    unit: kind,
    unit_id: unitId,
    ...completeness(reasons),
    target: trace.entry_agent ?? trace.local_root,
    local_root: trace.local_root,
    roots: trace.local_root === undefined ? [] : [trace.local_root],
    agent: trace.entry_agent?.name,
    session_id: trace.session_id,
    trace_ids: [trace.trace_id],
  };
}

/** The `session` unit of the traces that a session holds, of which there is at least one. */
export function sessionUnit(
  sessionId: string,
  entry: { readonly traces: ReadonlyMap<unknown, SessionTrace>; readonly reasons: ReadonlySet<IncompleteReason> },
): PreparedUnit & { readonly first_span_id: string } {
  const held = [...entry.traces.values()];
  const byTrace = new Map<AssembledTrace, SessionTrace>(held.map((item) => [item.trace, item]));
  const merged = mergeSession(held.map((item) => item.trace));
  const { traces } = merged;
  const first = traces[0] as AssembledTrace;
  const last = traces.at(-1) as AssembledTrace;
  const reasons = new Set<IncompleteReason>(entry.reasons);
  for (const item of held) for (const reason of item.reasons) reasons.add(reason);
  const unit: ScoredUnit = {
    unit: "session",
    unit_id: `session:${sessionId}`,
    ...completeness(reasons),
    target: last.entry_agent ?? last.local_root,
    local_root: last.local_root,
    roots: traces.map((trace) => trace.local_root).filter((root): root is SpanRef => root !== undefined),
    agent: first.entry_agent?.name,
    session_id: sessionId,
    trace_ids: traces.map((trace) => trace.trace_id),
  };
  const contextual = traces.flatMap((trace) => byTrace.get(trace)?.contextual ?? []);
  const annotations = traces.flatMap((trace) => trace.annotations);
  return {
    ...prepared(unit, occurrenceOfSession(merged, sessionId), first, contextual, annotations),
    first_span_id: byTrace.get(first)?.first_span_id ?? "",
  };
}

function prepared(
  unit: ScoredUnit,
  occurrence: Occurrence,
  matched: AssembledTrace,
  contextual: readonly ContextualExpectation[],
  annotations: ResolutionRequest["span_annotations"],
): PreparedUnit {
  const request: ResolutionRequest = {
    // Expectations speak for traces and sessions; what is part of a trace is looked up as the trace is.
    unit: unit.unit === "session" ? "session" : "trajectory",
    unit_id: unit.unit_id,
    trace_ids: unit.trace_ids,
    ...(unit.session_id === undefined ? {} : { session_id: unit.session_id }),
    ...(unit.agent === undefined ? {} : { agent: unit.agent }),
    ...(matched.local_root === undefined ? {} : { root_span: matched.local_root.name }),
    attributes: { ...matched.agent_attributes, ...matched.root_attributes },
    resource: matched.resource,
    attribute_layers: [matched.root_attributes, matched.agent_attributes, matched.resource],
    contextual,
    span_annotations: annotations,
  };
  // Scorers of the host are given copies.
  for (const list of [occurrence.steps, occurrence.tools]) if (list !== undefined) settle(list);
  return { unit, occurrence: withIncomplete(occurrence, unit), request };
}

function withIncomplete(occurrence: Occurrence, unit: ScoredUnit): Occurrence {
  return unit.incomplete_reasons.length === 0 ? occurrence : { ...occurrence, incomplete: unit.incomplete_reasons };
}

/** A parent in another process is listed, but it is no fault of ours and leaves the unit complete. */
function completeness(reasons: ReadonlySet<IncompleteReason>): Pick<ScoredUnit, "complete" | "incomplete_reasons"> {
  const listed = [...reasons].sort();
  return { complete: listed.every((reason) => reason === "remote_parent"), incomplete_reasons: listed };
}
