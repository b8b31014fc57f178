import { show } from "../model/errors.ts";
import type { AttributeMap, SpanEvent, SpanKindName, SpanView, StatusName } from "../model/span.ts";
import type { SpanTaker } from "./from-otlp-json.ts";
import { isRemoteParent, kindOfName, SAMPLED, statusOfName } from "./names.ts";
import { hexId, type Moment, numberOf } from "./otlp-scalars.ts";
import { attributesOf, field, isObject, list } from "./otlp-values.ts";
import { RequestProblems, type TakenRequest } from "./request-problems.ts";

/** Whether a JSON value is what Jaeger's UI downloads and its HTTP API answers: `{ data: [trace, …] }`. */
export function isJaegerJson(value: unknown): boolean {
  return isObject(value) && Array.isArray(value.data) && !Object.hasOwn(value, "resourceSpans");
}

/**
 * Reads Jaeger's JSON, with the same result as the OTLP that it was made of, as far as Jaeger keeps that: times are whole
 * microseconds, lists and maps are JSON text, and whether a parent was remote is guessed from the kind of the span.
 * Throws what the taker throws, nothing else.
 */
export function takeJaegerSpans(value: unknown, taker: SpanTaker): TakenRequest {
  const reading = new JaegerReading(taker);
  const traces = isObject(value) ? list(value, "data") : [];
  traces.forEach((trace, index) => {
    reading.trace(trace, `data[${index}]`);
  });
  return reading;
}

const NO_ATTRIBUTES: AttributeMap = Object.freeze(Object.create(null));
const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;

/** Tags into which Jaeger puts what has a place of its own in OTLP. */
const KIND = "span.kind";
const ERROR = "error";
const STATUS = "otel.status_code";
const SCOPE_NAMES = ["otel.scope.name", "otel.library.name"] as const;
const SCOPE_VERSIONS = ["otel.scope.version", "otel.library.version"] as const;
const PLACED: ReadonlySet<string> = new Set([
  KIND,
  ERROR,
  STATUS,
  "otel.status_description",
  ...SCOPE_NAMES,
  ...SCOPE_VERSIONS,
  "w3c.tracestate",
  "internal.span.format",
]);
/** The field of a log that has the name of the event. */
const EVENT_NAME = "event";

type Tags = Readonly<Record<string, unknown>>;

/** One document while it is being read. */
class JaegerReading implements TakenRequest {
  spans = 0;
  rejected = 0;
  readonly #problems = new RequestProblems();
  readonly #taker: SpanTaker;
  #processes: Tags = NO_ATTRIBUTES;
  #resources = new Map<unknown, AttributeMap>();

  constructor(taker: SpanTaker) {
    this.#taker = taker;
  }

  get problems(): readonly string[] {
    return this.#problems.list;
  }

  trace(value: unknown, place: string): void {
    const spans = isObject(value) ? field(value, "spans") : undefined;
    if (!isObject(value) || !Array.isArray(spans)) {
      this.#problems.add(place, ` must be a trace with a list of spans, got ${show(value)}`);
      return;
    }
    const processes = field(value, "processes");
    this.#processes = isObject(processes) ? processes : NO_ATTRIBUTES;
    this.#resources = new Map();
    spans.forEach((span: unknown, index) => {
      const problem = isObject(span) ? this.#span(span) : ` must be an object, got ${show(span)}`;
      if (problem === undefined) return;
      this.rejected += 1;
      this.#problems.add(`${place}.spans[${index}]`, problem);
    });
  }

  /** Hands one span over, or says what is wrong with it. */
  #span(span: Tags): string | undefined {
    const { traceID, spanID, startTime, duration } = span;
    const trace_id = idOf(traceID, TRACE_ID_BYTES);
    if (trace_id === undefined) return `.traceID must be up to 32 hex digits and not all zero, got ${show(traceID)}`;
    const span_id = idOf(spanID, SPAN_ID_BYTES);
    if (span_id === undefined) return `.spanID must be up to 16 hex digits and not all zero, got ${show(spanID)}`;
    const start = microseconds(startTime);
    if (start === undefined) return `.startTime must be microseconds since the epoch, got ${show(startTime)}`;
    const end = microseconds(Number(startTime) + numberOf(duration));
    if (end === undefined || numberOf(duration) < 0)
      return `.duration must be microseconds from 0 up, got ${show(duration)}`;
    const tags = tagsOf(list(span, "tags"));
    const parent_id = parentOf(span, trace_id);
    const kind = typeof tags[KIND] === "string" ? kindOfName(tags[KIND].toUpperCase()) : undefined;
    const span_kind: SpanKindName = kind ?? "INTERNAL";
    const name = textOf(span["operationName"]);
    const scope_name = firstText(tags, SCOPE_NAMES);
    const status = statusOf(tags);
    const keys = Object.keys(tags).filter((key) => !PLACED.has(key));
    const plain = this.#taker.isPlain?.(scope_name, name, keys) ?? false;
    const { flags } = span;
    const view: SpanView = {
      trace_id,
      span_id,
      parent_id,
      remote_parent: isRemoteParent(parent_id !== "", undefined, span_kind),
      trace_flags: typeof flags === "number" ? flags & 0xff : SAMPLED,
      name,
      span_kind,
      start_s: start.s,
      start_n: start.n,
      end_s: end.s,
      end_n: end.n,
      status,
      attributes: plain ? NO_ATTRIBUTES : picked(tags, keys),
      events: plain ? NO_EVENTS : list(span, "logs").filter(isObject).map(eventOf),
      scope_name,
      scope_version: firstText(tags, SCOPE_VERSIONS),
      resource: this.#resourceOf(span),
    };
    this.spans += 1;
    this.#taker.take(view, plain);
    return undefined;
  }

  /** Spans of one process share their resource. */
  #resourceOf(span: Tags): AttributeMap {
    const id = span["processID"];
    const inline = field(span, "process");
    const process = inline ?? (typeof id === "string" ? field(this.#processes, id) : undefined);
    const known = this.#resources.get(process);
    if (known !== undefined) return known;
    const resource = isObject(process) ? resourceOf(process) : NO_ATTRIBUTES;
    this.#resources.set(process, resource);
    return resource;
  }
}

function resourceOf(process: Tags): AttributeMap {
  const out: Record<string, unknown> = tagsOf(list(process, "tags"));
  if (typeof process["serviceName"] === "string") out["service.name"] = process["serviceName"];
  return out;
}

/** The span that this one was started by: else the one it follows from, in this trace; empty when it is a root. */
function parentOf(span: Tags, traceId: string): string {
  let follows = "";
  for (const reference of list(span, "references")) {
    if (!isObject(reference) || idOf(reference["traceID"], TRACE_ID_BYTES) !== traceId) continue;
    const id = idOf(reference["spanID"], SPAN_ID_BYTES) ?? "";
    if (reference["refType"] === "CHILD_OF") return id;
    if (follows === "") follows = id;
  }
  return follows === "" ? (idOf(span["parentSpanID"], SPAN_ID_BYTES) ?? "") : follows;
}

/** An id in hex; Jaeger leaves zeros in front away. */
function idOf(value: unknown, bytes: number): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > bytes * 2) return undefined;
  return hexId(value.padStart(bytes * 2, "0"), bytes);
}

function microseconds(value: unknown): Moment | undefined {
  const micros = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof micros !== "number" || !Number.isSafeInteger(micros) || micros <= 0) return undefined;
  return { s: Math.floor(micros / 1_000_000), n: (micros % 1_000_000) * 1_000 };
}

function statusOf(tags: Tags): StatusName {
  const said = tags[STATUS];
  const status = typeof said === "string" ? statusOfName(said.toUpperCase()) : undefined;
  if (status !== undefined) return status;
  return tags[ERROR] === true || tags[ERROR] === "true" ? "ERROR" : "UNSET";
}

function eventOf(log: Tags): SpanEvent {
  const { [EVENT_NAME]: name, ...attributes } = tagsOf(list(log, "fields"));
  return { name: textOf(name), attributes };
}

const VALUE_NAMES: Readonly<Record<string, string>> = {
  string: "stringValue",
  bool: "boolValue",
  int64: "intValue",
  float64: "doubleValue",
  binary: "bytesValue",
};

/** Typed tags as OTLP would have them, so that both are read alike. */
function tagsOf(tags: readonly unknown[]): Record<string, unknown> {
  return attributesOf(
    tags.filter(isObject).map(({ key, type, value }) => {
      const name = typeof type === "string" && Object.hasOwn(VALUE_NAMES, type) ? VALUE_NAMES[type] : undefined;
      return { key, value: { [name ?? nameFor(value)]: value } };
    }),
  );
}

/** Older writers leave the type away. */
function nameFor(value: unknown): string {
  if (typeof value === "number") return "doubleValue";
  return typeof value === "boolean" ? "boolValue" : "stringValue";
}

function picked(tags: Tags, keys: readonly string[]): AttributeMap {
  const out: Record<string, unknown> = Object.create(null);
  for (const key of keys) out[key] = tags[key];
  return out;
}

function firstText(tags: Tags, keys: readonly string[]): string {
  for (const key of keys) if (typeof tags[key] === "string") return tags[key];
  return "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
