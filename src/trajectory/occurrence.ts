import type { AssembledTrace } from "../model/assembled.ts";
import type { Occurrence } from "../model/trajectory.ts";
import { type AssembledSession, compareTraces, mergeSession } from "./session.ts";

/** The occurrence of unit `trajectory`. */
export function occurrenceOfTrace(trace: AssembledTrace): Occurrence {
  return {
    unit: "trajectory",
    unit_id: `trajectory:${trace.trace_id}`,
    steps: trace.steps.map(({ step }) => step),
    tools: trace.tools.map(({ step }) => step),
    ...common(trace),
    ...(trace.session_id === undefined ? {} : { session_id: trace.session_id }),
    trace_ids: [trace.trace_id],
  };
}

/**
 * The occurrence of unit `session`. Traces without a session id are sessions of their own, named after the trace.
 * `sessionId` overrides what the traces say, where the caller has grouped them.
 */
export function occurrenceOfSession(session: AssembledSession, sessionId?: string): Occurrence {
  const id = sessionId ?? session.session_id;
  return {
    unit: "session",
    unit_id: `session:${id ?? session.trace_ids[0] ?? ""}`,
    steps: session.steps,
    tools: session.tools,
    ...common(session),
    ...(id === undefined ? {} : { session_id: id }),
    trace_ids: session.trace_ids,
  };
}

/** The sessions of several traces, by session id, in order of the start of their first traces. */
export function sessionsOf(traces: readonly AssembledTrace[]): readonly AssembledSession[] {
  const groups = new Map<string, AssembledTrace[]>();
  for (const trace of [...traces].sort(compareTraces)) {
    const key = JSON.stringify(trace.session_id === undefined ? [trace.trace_id] : { id: trace.session_id });
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [trace]);
    else group.push(trace);
  }
  return [...groups.values()].map(mergeSession);
}

function common(
  from: AssembledTrace | AssembledSession,
): Pick<Occurrence, "kinds" | "unread" | "incomplete" | "egress" | "members"> {
  return {
    kinds: from.kinds,
    egress: from.egress,
    ...(from.unread.length > 0 ? { unread: from.unread } : {}),
    ...(from.members === undefined ? {} : { members: from.members }),
    ...(from.reasons.length > 0 ? { incomplete: from.reasons } : {}),
  };
}
