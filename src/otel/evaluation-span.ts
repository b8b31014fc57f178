import { type Attributes, type TracerProvider, trace } from "@opentelemetry/api";
import type { SpanRef } from "../model/assembled.ts";
import { SCOPE_NAME, VERSION } from "../model/version.ts";
import type { EmittedEvaluation, ScoredUnit } from "../pipeline/sink.ts";
import { contextOf } from "./emit-events.ts";
import { type EmissionPolicy, sessionId, spanAttributes, unitId } from "./evaluation-attributes.ts";
import * as names from "./semconv.ts";

/** SDKs keep this many links by default. */
const MAX_LINKS = 128;

/**
 * Writes one span of our own per scored unit and revision, beneath its local root (session: that of its last trace) and
 * linked to the entry agent and to every local root: the only attachment that can carry a session.
 */
export function writeEvaluationSpan(
  unit: ScoredUnit,
  evaluations: readonly EmittedEvaluation[],
  given: TracerProvider | undefined,
  policy: EmissionPolicy,
): void {
  if (evaluations.length === 0) return;
  const attributes: Attributes = {
    [names.ATTR_UNIT]: unit.unit,
    [names.ATTR_UNIT_ID]: unitId({ unit }, policy),
    [names.ATTR_COMPLETE]: unit.complete,
  };
  if (unit.session_id !== undefined) attributes[names.ATTR_SESSION_ID] = sessionId(unit.session_id, policy);
  for (const evaluation of evaluations) Object.assign(attributes, spanAttributes(evaluation));
  const linked = new Map<string, SpanRef>();
  for (const span of unit.target === undefined ? unit.roots : [unit.target, ...unit.roots])
    linked.set(span.span_id, span);
  const links = [...linked.values()].slice(0, MAX_LINKS).map((span) => ({
    context: { traceId: span.trace_id, spanId: span.span_id, traceFlags: span.trace_flags },
  }));
  const tracer = (given ?? trace.getTracerProvider()).getTracer(SCOPE_NAME, VERSION);
  tracer.startSpan(`evaluate ${unit.unit}`, { attributes, links }, contextOf(unit.local_root)).end();
}
