import type { AttributeMap, SpanEvent, SpanKindName, SpanView } from "../model/span.ts";
import { isRemoteParent, kindOfNumber, statusOfNumber } from "./names.ts";

/** What of a span context is read. */
export interface SpanContextLike {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags?: number | undefined;
  readonly isRemote?: boolean | undefined;
}

interface ScopeLike {
  readonly name: string;
  readonly version?: string | undefined;
}

interface ResourceLike {
  readonly attributes: object;
  /** True while detectors are still running; the SDK complains when attributes are read before they have settled. */
  readonly asyncAttributesPending?: boolean | undefined;
}

/**
 * The ended span of an OpenTelemetry JavaScript SDK, by structure: 2.x and 3.x (`parentSpanContext`,
 * `instrumentationScope`) as well as 1.x (`parentSpanId`, `instrumentationLibrary`).
 */
export interface ReadableSpanLike {
  readonly name: string;
  readonly kind: number;
  spanContext(): SpanContextLike;
  readonly parentSpanContext?: SpanContextLike | undefined;
  readonly parentSpanId?: string | undefined;
  readonly startTime: readonly [seconds: number, nanoseconds: number];
  readonly endTime: readonly [seconds: number, nanoseconds: number];
  readonly status: { readonly code: number };
  readonly attributes: object;
  readonly events: readonly { readonly name: string; readonly attributes?: object | undefined }[];
  readonly resource: ResourceLike;
  readonly instrumentationScope?: ScopeLike | undefined;
  readonly instrumentationLibrary?: ScopeLike | undefined;
}

const NO_ATTRIBUTES: AttributeMap = Object.freeze({});
const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);
const NO_PARENT = "0000000000000000";
const EPOCH: readonly [number, number] = Object.freeze([0, 0] as const);

/**
 * The view of an ended SDK span. Shares the span's attributes, events and resource; allocates the view alone. Never
 * throws: what cannot be read is empty, and a view without ids belongs to no trace.
 */
export function viewOfReadableSpan(span: ReadableSpanLike): SpanView {
  try {
    return viewOf(span);
  } catch {
    return UNREADABLE;
  }
}

const UNREADABLE: SpanView = Object.freeze({
  trace_id: "",
  span_id: "",
  parent_id: "",
  remote_parent: false,
  trace_flags: 0,
  name: "",
  span_kind: "INTERNAL",
  start_s: 0,
  start_n: 0,
  end_s: 0,
  end_n: 0,
  status: "UNSET",
  attributes: NO_ATTRIBUTES,
  events: NO_EVENTS,
  scope_name: "",
  scope_version: "",
  resource: NO_ATTRIBUTES,
});

function viewOf(span: ReadableSpanLike): SpanView {
  const context = span.spanContext();
  const parent = span.parentSpanContext;
  const parentId = parent === undefined ? textOf(span.parentSpanId) : textOf(parent?.spanId);
  const hasParent = parentId !== "" && parentId !== NO_PARENT;
  const kind: SpanKindName = kindOfNumber(span.kind) ?? "INTERNAL";
  const scope = span.instrumentationScope ?? span.instrumentationLibrary;
  const start = Array.isArray(span.startTime) ? span.startTime : EPOCH;
  const end = Array.isArray(span.endTime) ? span.endTime : EPOCH;
  return {
    trace_id: textOf(context.traceId),
    span_id: textOf(context.spanId),
    parent_id: hasParent ? parentId : "",
    remote_parent: isRemoteParent(hasParent, parent === undefined ? undefined : parent.isRemote === true, kind),
    trace_flags: typeof context.traceFlags === "number" ? context.traceFlags : 0,
    name: textOf(span.name),
    span_kind: kind,
    start_s: numberOf(start[0]),
    start_n: numberOf(start[1]),
    end_s: numberOf(end[0]),
    end_n: numberOf(end[1]),
    status: statusOfNumber(span.status?.code) ?? "UNSET",
    attributes: attributesOf(span.attributes),
    events: Array.isArray(span.events) ? span.events : NO_EVENTS,
    scope_name: textOf(scope?.name),
    scope_version: textOf(scope?.version),
    resource: resourceOf(span.resource),
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function attributesOf(value: unknown): AttributeMap {
  return typeof value === "object" && value !== null ? (value as AttributeMap) : NO_ATTRIBUTES;
}

function resourceOf(resource: ResourceLike): AttributeMap {
  if (resource?.asyncAttributesPending === true) return lateAttributes(resource);
  return attributesOf(resource?.attributes);
}

/** The attributes of a resource that has not settled: looked up when they are read, empty until then. */
function lateAttributes(resource: ResourceLike): AttributeMap {
  const now = (): AttributeMap =>
    resource.asyncAttributesPending === true ? NO_ATTRIBUTES : attributesOf(resource.attributes);
  return new Proxy<Record<string, unknown>>(
    {},
    {
      get: (_, key) => Reflect.get(now(), key),
      has: (_, key) => Reflect.has(now(), key),
      ownKeys: () => Reflect.ownKeys(now()),
      getOwnPropertyDescriptor(_, key) {
        const descriptor = Reflect.getOwnPropertyDescriptor(now(), key);
        return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
      },
    },
  );
}
