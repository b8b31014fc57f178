import { ROOT_CONTEXT } from "@opentelemetry/api";
import {
  defineScorer,
  type Occurrence,
  type SpanView,
  TrajectorySpanProcessor,
  type TrajectorySpanProcessorOptions,
} from "../../src/index.ts";

const STATUS = ["UNSET", "OK", "ERROR"];
const KINDS = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

/** A span as an SDK hands it to processors. */
export function liveSpan(view: SpanView): object {
  return {
    name: view.name,
    kind: KINDS.indexOf(view.span_kind),
    spanContext: () => ({ traceId: view.trace_id, spanId: view.span_id, traceFlags: view.trace_flags }),
    ...(view.parent_id === ""
      ? {}
      : {
          parentSpanContext: {
            traceId: view.trace_id,
            spanId: view.parent_id,
            traceFlags: 1,
            ...(view.remote_parent ? { isRemote: true } : {}),
          },
        }),
    startTime: [view.start_s, view.start_n],
    endTime: [view.end_s, view.end_n],
    status: { code: STATUS.indexOf(view.status) },
    attributes: { ...view.attributes },
    events: view.events.map((event) => ({ ...event, time: [view.end_s, view.end_n] })),
    links: [],
    ended: true,
    resource: { attributes: view.resource },
    instrumentationScope: { name: view.scope_name, version: view.scope_version },
  };
}

/** What the processor made of spans: the units as scorers got them, in the order in which they were scored. */
export interface Replayed {
  readonly processor: TrajectorySpanProcessor;
  readonly units: readonly Occurrence[];
}

/**
 * Hands spans to a processor as a host would: every span is started before it ends, parents before children; they end
 * in the order given. Then drains.
 */
export async function replay(
  views: readonly SpanView[],
  options: TrajectorySpanProcessorOptions = {},
  unit: "trajectory" | "session" = "trajectory",
): Promise<Replayed> {
  const units: Occurrence[] = [];
  const probe = defineScorer({
    name: "test.probe",
    version: "1.0.0",
    metric_name: "probe",
    units: [unit],
    score: (occurrence) => {
      units.push(occurrence);
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
  const processor = new TrajectorySpanProcessor({ attach: "none", ...options, scorers: [probe] });
  await replayInto(processor, views);
  return { processor, units };
}

/** Hands spans to a processor as {@link replay} does, and drains. */
export async function replayInto(processor: TrajectorySpanProcessor, views: readonly SpanView[]): Promise<void> {
  const depth = depths(views);
  const started = [...views.entries()].sort(
    ([i, a], [j, b]) =>
      a.start_s - b.start_s ||
      a.start_n - b.start_n ||
      (depth.get(a.span_id) ?? 0) - (depth.get(b.span_id) ?? 0) ||
      i - j,
  );
  for (const [, view] of started) processor.onStart(liveSpan(view) as never, ROOT_CONTEXT);
  for (const view of views) processor.onEnd(liveSpan(view) as never);
  await processor.drain();
}

function depths(views: readonly SpanView[]): ReadonlyMap<string, number> {
  const parents = new Map(views.map((view) => [view.span_id, view.parent_id]));
  const result = new Map<string, number>();
  for (const view of views) {
    let depth = 0;
    for (let id = view.parent_id; id !== "" && parents.has(id) && depth < views.length; depth += 1)
      id = parents.get(id) ?? "";
    result.set(view.span_id, depth);
  }
  return result;
}
