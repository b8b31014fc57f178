/**
 * Names that we write. The `gen_ai.*` ones are those of the OpenTelemetry GenAI semantic conventions (event
 * `gen_ai.evaluation.result`, repository open-telemetry/semantic-conventions-genai, model/gen-ai/events.yaml at 0387091,
 * status Development); they are copied because the package marks them as moved. All others are in our own namespace.
 */
export const EVENT_EVALUATION_RESULT = "gen_ai.evaluation.result";

export const ATTR_EVALUATION_NAME = "gen_ai.evaluation.name";
export const ATTR_SCORE_VALUE = "gen_ai.evaluation.score.value";
export const ATTR_SCORE_LABEL = "gen_ai.evaluation.score.label";
export const ATTR_EXPLANATION = "gen_ai.evaluation.explanation";
export const ATTR_AGENT_NAME = "gen_ai.agent.name";
export const ATTR_ERROR_TYPE = "error.type";
export const ATTR_SESSION_ID = "session.id";

export const ATTR_EVALUATION_ID = "trajectory.evaluation.id";
export const ATTR_EVALUATION_REVISION = "trajectory.evaluation.revision";
export const ATTR_EVALUATION_STATUS = "trajectory.evaluation.status";
export const ATTR_EVALUATION_REASON = "trajectory.evaluation.reason";
export const ATTR_COMPLETE = "trajectory.complete";
export const ATTR_INCOMPLETE_REASONS = "trajectory.incomplete_reasons";
export const ATTR_UNIT = "trajectory.unit";
export const ATTR_UNIT_ID = "trajectory.unit_id";
export const ATTR_SCORER_NAME = "trajectory.scorer.name";
export const ATTR_SCORER_VERSION = "trajectory.scorer.version";
export const ATTR_SCORER_DIGEST = "trajectory.scorer.digest";
export const ATTR_EXPECTATION_ID = "trajectory.expectation.id";
export const ATTR_EXPECTATION_DIGEST = "trajectory.expectation.digest";
export const ATTR_EXPECTATION_STATUS = "trajectory.expectation.status";

export const METRIC_SCORE = "trajectory.evaluation.score";
export const METRIC_RESULTS = "trajectory.evaluation.results";
export const METRIC_CORRECTIONS = "trajectory.evaluation.corrections";
export const METRIC_DURATION = "trajectory.evaluation.duration";
export const METRIC_UNITS_OPEN = "trajectory.units.open";
export const METRIC_BYTES_BUFFERED = "trajectory.bytes.buffered";
export const METRIC_SPANS_LATE = "trajectory.spans.late";
export const METRIC_SPANS_DROPPED = "trajectory.spans.dropped";

/** Self-observability of span processors (semantic-conventions docs/otel/sdk-metrics.md, status Development). */
export const METRIC_PROCESSED = "otel.sdk.processor.span.processed";
export const METRIC_QUEUE_SIZE = "otel.sdk.processor.span.queue.size";
export const METRIC_QUEUE_CAPACITY = "otel.sdk.processor.span.queue.capacity";
export const ATTR_COMPONENT_TYPE = "otel.component.type";
export const ATTR_COMPONENT_NAME = "otel.component.name";
