import { createSpanReader } from "../conventions/read-span.ts";
import { TrajectoryError } from "../model/errors.ts";
import type { SpanFacts, SpanRecord } from "../model/span.ts";
import type { Occurrence, TrajectoryOptions } from "../model/trajectory.ts";
import { assembleTrace } from "../trajectory/assemble.ts";
import { occurrenceOfSession, occurrenceOfTrace, sessionsOf } from "../trajectory/occurrence.ts";
import { viewOfRecord } from "../wire/from-record.ts";
import { oneOf, resolveTrajectoryOptions } from "./options.ts";

/** Options of {@link trajectoryOf}. */
export interface TrajectoryOfOptions extends TrajectoryOptions {
  /** @defaultValue "trajectory" */
  readonly unit?: "trajectory" | "session" | undefined;
}

/**
 * Reads spans into occurrences that scorers take: one per trace, or one per session (a trace without a session id is a
 * session of its own). The spans may belong to several traces and stand in any order; those that ended first should
 * come first, since steps within one millisecond cannot be ordered otherwise.
 *
 * @returns Occurrences by start of their first root.
 * @throws TrajectoryError `invalid_input` for a span without usable ids or times, `invalid_option` for a wrong option
 */
export function trajectoryOf(spans: readonly SpanRecord[], options: TrajectoryOfOptions = {}): Occurrence[] {
  if (!isList(spans)) throw new TrajectoryError("invalid_input", "spans", "spans: expected an array of spans");
  const { unit, ...trajectory } = options;
  const wanted = oneOf("unit", unit ?? "trajectory", ["trajectory", "session"]);
  const resolved = resolveTrajectoryOptions(trajectory);
  const reader = createSpanReader({ keepAttributes: "none" });
  const byTrace = new Map<string, SpanFacts[]>();
  for (const [index, record] of spans.entries()) {
    const facts = reader.read(viewOfRecord(record, `spans[${index}]`), index);
    const group = byTrace.get(facts.trace_id);
    if (group === undefined) byTrace.set(facts.trace_id, [facts]);
    else group.push(facts);
  }
  const traces = [...byTrace.values()].map((group) => assembleTrace(group, { ...resolved, members: true }));
  if (wanted === "session") return sessionsOf(traces).map((session) => occurrenceOfSession(session));
  return traces
    .sort(
      (a, b) =>
        a.root_start_s - b.root_start_s || a.root_start_n - b.root_start_n || (a.trace_id < b.trace_id ? -1 : 1),
    )
    .map(occurrenceOfTrace);
}

/** A revoked proxy cannot even be asked. */
function isList(value: unknown): boolean {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
