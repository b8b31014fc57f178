import { show } from "../model/errors.ts";
import type { AttributeMap, SpanEvent, SpanView } from "../model/span.ts";
import { isRemoteParent, SAMPLED, saysRemote } from "./names.ts";
import { hexId, isNoId, moment, numberOf, otlpKind, otlpStatus } from "./otlp-scalars.ts";
import { attributesOf, field, isObject, list } from "./otlp-values.ts";
import { RequestProblems, type TakenRequest } from "./request-problems.ts";

/** What one request holds; a span that cannot be used is left out and named in `problems`, with its place. */
export interface OtlpRequest {
  readonly views: readonly SpanView[];
  readonly problems: readonly string[];
}

/** Whoever reads the spans of a request. */
export interface SpanTaker {
  /**
   * Whether of a span with that scope, name and attribute keys nothing but its place in the tree matters: then its
   * attributes and events are not read. Absent: of none. The list of keys is used again.
   */
  isPlain?(scope: string, name: string, keys: readonly string[]): boolean;
  /** Resources read so far, by their text: equal ones are one object. Absent: each resource is its own. */
  readonly resources?: Map<string, AttributeMap>;
  /** One span, in the order of the request. A plain one comes without attributes and events. */
  take(view: SpanView, plain: boolean): void;
}

const NO_ATTRIBUTES: AttributeMap = Object.freeze(Object.create(null));
const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);

/** A span as written; every member may be anything, or be missing. */
type RawSpan = Readonly<Partial<Record<SpanMember, unknown>>>;
type SpanMember =
  | "traceId"
  | "spanId"
  | "parentSpanId"
  | "startTimeUnixNano"
  | "endTimeUnixNano"
  | "trace_id"
  | "span_id"
  | "parent_span_id"
  | "start_time_unix_nano"
  | "end_time_unix_nano"
  | "flags"
  | "name"
  | "kind"
  | "status"
  | "attributes"
  | "events";

/**
 * Reads one ExportTraceServiceRequest of OTLP/JSON, tolerantly: either spelling of field names, ids as hex or base64,
 * 64-bit numbers as text or number, enums as number or name. Spans of one resource share its attributes. Never throws.
 */
export function readOtlpRequest(value: unknown): OtlpRequest {
  const views: SpanView[] = [];
  const { problems } = takeOtlpSpans(value, { take: (view) => views.push(view) });
  return { views, problems };
}

/** Reads as {@link readOtlpRequest} does and hands over span by span. Throws what the taker throws, nothing else. */
export function takeOtlpSpans(value: unknown, taker: SpanTaker): TakenRequest {
  const resources = isObject(value) ? field(value, "resourceSpans", "resource_spans") : undefined;
  if (!Array.isArray(resources)) {
    const problem = `expected an ExportTraceServiceRequest with a list of resourceSpans, got ${show(value)}`;
    return { spans: 0, rejected: 0, problems: [problem] };
  }
  const reading = new RequestReading(taker);
  resources.forEach((resource: unknown, index) => {
    reading.resource(resource, `resourceSpans[${index}]`);
  });
  return reading;
}

const SCOPE_LISTS = [
  ["scopeSpans", "scope_spans"],
  // The name of OTLP before 1.0.
  ["instrumentationLibrarySpans", "instrumentation_library_spans"],
] as const;

/** One request while it is being read. */
class RequestReading implements TakenRequest {
  spans = 0;
  rejected = 0;
  readonly #problems = new RequestProblems();
  readonly #taker: SpanTaker;
  readonly #keys: string[] = [];
  #resource: AttributeMap = NO_ATTRIBUTES;
  #scopeName = "";
  #scopeVersion = "";

  constructor(taker: SpanTaker) {
    this.#taker = taker;
  }

  get problems(): readonly string[] {
    return this.#problems.list;
  }

  resource(value: unknown, place: string): void {
    if (!isObject(value)) {
      this.#problems.add(place, ` must be an object, got ${show(value)}`);
      return;
    }
    const resource = field(value, "resource");
    this.#resource = this.#resourceOf(isObject(resource) ? list(resource, "attributes") : NO_LIST);
    for (const [name, snakeName] of SCOPE_LISTS) {
      list(value, name, snakeName).forEach((scope, index) => {
        this.#scope(scope, `${place}.${name}[${index}]`);
      });
    }
  }

  #scope(value: unknown, place: string): void {
    if (!isObject(value)) {
      this.#problems.add(place, ` must be an object, got ${show(value)}`);
      return;
    }
    const said = field(value, "scope") ?? field(value, "instrumentationLibrary", "instrumentation_library");
    this.#scopeName = isObject(said) ? textOf(field(said, "name")) : "";
    this.#scopeVersion = isObject(said) ? textOf(field(said, "version")) : "";
    list(value, "spans").forEach((span, index) => {
      const problem = isObject(span) ? this.#span(span) : ` must be an object, got ${show(span)}`;
      if (problem === undefined) return;
      this.rejected += 1;
      this.#problems.add(`${place}.spans[${index}]`, problem);
    });
  }

  /**
   * Hands one span over, or says what is wrong with it. Members are read directly and in one place: looking each up by
   * name took longer than all the rest.
   */
  #span(span: RawSpan): string | undefined {
    const traceId = span.traceId === undefined ? span.trace_id : span.traceId;
    const trace_id = hexId(traceId, 16);
    if (trace_id === undefined) return `.traceId must be 32 hex digits and not all zero, got ${show(traceId)}`;
    const spanId = span.spanId === undefined ? span.span_id : span.spanId;
    const span_id = hexId(spanId, 8);
    if (span_id === undefined) return `.spanId must be 16 hex digits and not all zero, got ${show(spanId)}`;
    const startTime = span.startTimeUnixNano === undefined ? span.start_time_unix_nano : span.startTimeUnixNano;
    const start = moment(startTime);
    if (start === undefined) return `.startTimeUnixNano must be nanoseconds since the epoch, got ${show(startTime)}`;
    const endTime = span.endTimeUnixNano === undefined ? span.end_time_unix_nano : span.endTimeUnixNano;
    const end = moment(endTime);
    if (end === undefined) return `.endTimeUnixNano must be nanoseconds since the epoch, got ${show(endTime)}`;
    const parentId = span.parentSpanId === undefined ? span.parent_span_id : span.parentSpanId;
    const parent_id = isNoId(parentId) ? "" : hexId(parentId, 8);
    if (parent_id === undefined) return `.parentSpanId must be 16 hex digits or absent, got ${show(parentId)}`;
    const name = textOf(span.name);
    const span_kind = otlpKind(span.kind);
    const flags = span.flags === undefined || span.flags === null ? SAMPLED : numberOf(span.flags);
    const pairs = Array.isArray(span.attributes) ? span.attributes : NO_LIST;
    const plain = this.#isPlain(name, pairs);
    const view: SpanView = {
      trace_id,
      span_id,
      parent_id,
      remote_parent: isRemoteParent(parent_id !== "", saysRemote(flags), span_kind),
      trace_flags: flags & 0xff,
      name,
      span_kind,
      start_s: start.s,
      start_n: start.n,
      end_s: end.s,
      end_n: end.n,
      status: otlpStatus(span.status),
      attributes: plain ? NO_ATTRIBUTES : attributesOf(pairs),
      events: plain ? NO_EVENTS : eventsOf(span.events),
      scope_name: this.#scopeName,
      scope_version: this.#scopeVersion,
      resource: this.#resource,
    };
    this.spans += 1;
    this.#taker.take(view, plain);
    return undefined;
  }

  #resourceOf(pairs: readonly unknown[]): AttributeMap {
    const { resources } = this.#taker;
    if (resources === undefined) return attributesOf(pairs);
    const text = textOfJson(pairs);
    let attributes = resources.get(text);
    if (attributes === undefined) {
      attributes = attributesOf(pairs);
      if (text !== "") resources.set(text, attributes);
    }
    return attributes;
  }

  #isPlain(name: string, pairs: readonly unknown[]): boolean {
    if (this.#taker.isPlain === undefined) return false;
    const keys = this.#keys;
    keys.length = 0;
    for (const pair of pairs) {
      const key = (pair as { readonly key?: unknown } | null)?.key;
      if (typeof key === "string") keys.push(key);
    }
    return this.#taker.isPlain(this.#scopeName, name, keys);
  }
}

const NO_LIST: readonly unknown[] = Object.freeze([]);

function eventsOf(value: unknown): readonly SpanEvent[] {
  if (!Array.isArray(value) || value.length === 0) return NO_EVENTS;
  return value
    .filter(isObject)
    .map((event) => ({ name: textOf(field(event, "name")), attributes: attributesOf(list(event, "attributes")) }));
}

/** Empty for what is nested too deeply to be written. */
function textOfJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "";
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
