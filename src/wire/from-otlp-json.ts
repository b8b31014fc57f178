import { show } from "../model/errors.ts";
import type { AttributeMap, SpanEvent, SpanView } from "../model/span.ts";
import { isRemoteParent } from "./names.ts";
import { hexId, isNoId, moment, otlpKind, otlpStatus } from "./otlp-scalars.ts";
import { attributesOf, field, isObject, list } from "./otlp-values.ts";

/** What one request holds; a span that cannot be used is left out and named in `problems`, with its place. */
export interface OtlpRequest {
  readonly views: SpanView[];
  readonly problems: string[];
}

/** `flags`: the sender says whether the parent is remote, and that it is. */
const HAS_IS_REMOTE = 0x100;
const IS_REMOTE = 0x200;

/** What was exported was sampled, unless it says otherwise. */
const SAMPLED = 0x1;

const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);

interface Scope {
  readonly name: string;
  readonly version: string;
  readonly resource: AttributeMap;
}

/**
 * Reads one ExportTraceServiceRequest of OTLP/JSON, tolerantly: either spelling of field names, ids as hex or base64,
 * 64-bit numbers as text or number, enums as number or name. Spans of one resource share its attributes. Never throws.
 */
export function readOtlpRequest(value: unknown): OtlpRequest {
  const request: OtlpRequest = { views: [], problems: [] };
  const resources = isObject(value) ? field(value, "resourceSpans", "resource_spans") : undefined;
  if (!Array.isArray(resources)) {
    request.problems.push(`expected an ExportTraceServiceRequest with a list of resourceSpans, got ${show(value)}`);
    return request;
  }
  resources.forEach((resource: unknown, index) => {
    readResource(resource, `resourceSpans[${index}]`, request);
  });
  return request;
}

function readResource(value: unknown, place: string, request: OtlpRequest): void {
  if (!isObject(value)) {
    request.problems.push(`${place} must be an object, got ${show(value)}`);
    return;
  }
  const resource = field(value, "resource");
  const attributes = attributesOf(isObject(resource) ? list(resource, "attributes") : []);
  // The second name is that of OTLP before 1.0.
  for (const [name, snakeName] of SCOPE_LISTS) {
    list(value, name, snakeName).forEach((scope, index) => {
      readScope(scope, `${place}.${name}[${index}]`, attributes, request);
    });
  }
}

const SCOPE_LISTS = [
  ["scopeSpans", "scope_spans"],
  ["instrumentationLibrarySpans", "instrumentation_library_spans"],
] as const;

function readScope(value: unknown, place: string, resource: AttributeMap, request: OtlpRequest): void {
  if (!isObject(value)) {
    request.problems.push(`${place} must be an object, got ${show(value)}`);
    return;
  }
  const said = field(value, "scope") ?? field(value, "instrumentationLibrary", "instrumentation_library");
  const scope: Scope = {
    name: isObject(said) ? textOf(field(said, "name")) : "",
    version: isObject(said) ? textOf(field(said, "version")) : "",
    resource,
  };
  list(value, "spans").forEach((span, index) => {
    const view = readSpan(span, scope);
    if (typeof view === "string") request.problems.push(`${place}.spans[${index}]${view}`);
    else request.views.push(view);
  });
}

/** The view, or what is wrong with the span. */
function readSpan(span: unknown, scope: Scope): SpanView | string {
  if (!isObject(span)) return ` must be an object, got ${show(span)}`;
  const traceId = field(span, "traceId", "trace_id");
  const trace_id = hexId(traceId, 16);
  if (trace_id === undefined) return `.traceId must be 32 hex digits and not all zero, got ${show(traceId)}`;
  const spanId = field(span, "spanId", "span_id");
  const span_id = hexId(spanId, 8);
  if (span_id === undefined) return `.spanId must be 16 hex digits and not all zero, got ${show(spanId)}`;
  const startTime = field(span, "startTimeUnixNano", "start_time_unix_nano");
  const start = moment(startTime);
  if (start === undefined) return `.startTimeUnixNano must be nanoseconds since the epoch, got ${show(startTime)}`;
  const endTime = field(span, "endTimeUnixNano", "end_time_unix_nano");
  const end = moment(endTime);
  if (end === undefined) return `.endTimeUnixNano must be nanoseconds since the epoch, got ${show(endTime)}`;
  const parentId = field(span, "parentSpanId", "parent_span_id");
  const parent_id = isNoId(parentId) ? "" : hexId(parentId, 8);
  if (parent_id === undefined) return `.parentSpanId must be 16 hex digits or absent, got ${show(parentId)}`;
  const span_kind = otlpKind(field(span, "kind"));
  const flags = Number(field(span, "flags") ?? SAMPLED);
  const saysRemote = (flags & HAS_IS_REMOTE) === 0 ? undefined : (flags & IS_REMOTE) !== 0;
  return {
    trace_id,
    span_id,
    parent_id,
    remote_parent: isRemoteParent(parent_id !== "", saysRemote, span_kind),
    trace_flags: flags & 0xff,
    name: textOf(field(span, "name")),
    span_kind,
    start_s: start.s,
    start_n: start.n,
    end_s: end.s,
    end_n: end.n,
    status: otlpStatus(field(span, "status")),
    attributes: attributesOf(list(span, "attributes")),
    events: eventsOf(list(span, "events")),
    scope_name: scope.name,
    scope_version: scope.version,
    resource: scope.resource,
  };
}

function eventsOf(events: readonly unknown[]): readonly SpanEvent[] {
  if (events.length === 0) return NO_EVENTS;
  return events
    .filter(isObject)
    .map((event) => ({ name: textOf(field(event, "name")), attributes: attributesOf(list(event, "attributes")) }));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
