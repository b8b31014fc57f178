import type { Attributes, TracerProvider } from "@opentelemetry/api";
import { type EmittedEvaluation, SILENT_SINK, type Sink } from "../pipeline/sink.ts";
import type { EventEmitter } from "./emit-events.ts";
import type { MetricEmitter } from "./emit-metrics.ts";
import { type EmissionPolicy, spanAttributes } from "./evaluation-attributes.ts";
import { writeEvaluationSpan } from "./evaluation-span.ts";
import type { HoldBack } from "./hold.ts";
import type { AttachMode } from "./options.ts";

/** Where results go, and how. */
export interface SinkParts {
  readonly events: EventEmitter;
  readonly metrics: MetricEmitter;
  readonly hold: HoldBack | undefined;
  readonly attach: AttachMode;
  readonly tracerProvider: TracerProvider | undefined;
  readonly policy: EmissionPolicy;
  /** There was no logger provider for an event, or its logger threw. */
  readonly eventLost: () => void;
}

/** One sink each for events, metrics and spans, so that a logger that throws keeps no metric and no span from being written. */
export function createSinks(parts: SinkParts): readonly Sink[] {
  const { events, metrics, attach, policy } = parts;
  const toEvents: Sink = {
    ...SILENT_SINK,
    emit: (emitted) => {
      let arrived = false;
      try {
        arrived = events.emit(emitted);
      } finally {
        if (!arrived) parts.eventLost();
      }
    },
  };
  const toMetrics: Sink = {
    ...SILENT_SINK,
    unitScored: () => void metrics.ready(),
    record: (result) => metrics.record(result),
    correct: (result) => metrics.correct(result),
    time: (unit, evaluation) => metrics.time(unit, evaluation),
    skip: (name) => metrics.skip(name),
  };
  const toSpans: Sink = {
    ...SILENT_SINK,
    unitPartlyScored: (unit, evaluations) => {
      if (unit.unit === "trajectory") parts.hold?.prepare(unit.trace_ids[0] ?? "", attributesOf(evaluations));
    },
    unitDropped: (traceId) => parts.hold?.decorate(traceId, undefined),
    unitScored: (unit, evaluations) => {
      if (attach === "span") writeEvaluationSpan(unit, evaluations, parts.tracerProvider, policy);
      else if (unit.unit === "trajectory") parts.hold?.decorate(unit.trace_ids[0] ?? "", attributesOf(evaluations));
    },
  };
  return [toEvents, toMetrics, toSpans];
}

function attributesOf(evaluations: readonly EmittedEvaluation[]): Attributes | undefined {
  return evaluations.length === 0 ? undefined : Object.assign({}, ...evaluations.map(spanAttributes));
}
