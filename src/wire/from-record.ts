import { messageOf, show, TrajectoryError } from "../model/errors.ts";
import type { AttributeMap, SpanEvent, SpanKindName, SpanRecord, SpanView, StatusName } from "../model/span.ts";
import { isRemoteParent, kindOfName, kindOfNumber, statusOfName, statusOfNumber } from "./names.ts";

const NANOSECONDS = 1_000_000_000n;
const NO_ATTRIBUTES: AttributeMap = Object.freeze({});
const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);

/**
 * The view of a {@link SpanRecord}. `path` says where the record came from in messages.
 *
 * @throws TrajectoryError `invalid_input` with the path of the field that cannot be used.
 */
export function viewOfRecord(record: SpanRecord, path = "span"): SpanView {
  try {
    return readRecord(record, path);
  } catch (error) {
    if (error instanceof TrajectoryError) throw error;
    // Getters and proxies of the host can throw.
    throw new TrajectoryError("invalid_input", path, `${path} could not be read: ${show(messageOf(error))}`);
  }
}

function readRecord(record: SpanRecord, path: string): SpanView {
  if (!isObject(record)) throw unusable(path, "an object", record);
  const kind = kindOf(record.kind, path);
  const parentId = parentOf(record.parent_span_id, path);
  const start = nanoseconds(record.start_ns, `${path}.start_ns`);
  const end = nanoseconds(record.end_ns, `${path}.end_ns`);
  const scope = scopeOf(record.scope, path);
  return {
    trace_id: identifier(record.trace_id, `${path}.trace_id`),
    span_id: identifier(record.span_id, `${path}.span_id`),
    parent_id: parentId,
    remote_parent: isRemoteParent(parentId !== "", undefined, kind),
    trace_flags: 1,
    name: textOf(record.name, `${path}.name`),
    span_kind: kind,
    start_s: Number(start / NANOSECONDS),
    start_n: Number(start % NANOSECONDS),
    end_s: Number(end / NANOSECONDS),
    end_n: Number(end % NANOSECONDS),
    status: statusOf(record.status, `${path}.status`),
    attributes: attributesOf(record.attributes, `${path}.attributes`),
    events: eventsOf(record.events, `${path}.events`),
    scope_name: scope.name ?? "",
    scope_version: scope.version ?? "",
    resource: attributesOf(record.resource, `${path}.resource`),
  };
}

function unusable(path: string, expected: string, value: unknown): TrajectoryError {
  return new TrajectoryError("invalid_input", path, `${path} must be ${expected}, got ${show(value)}`);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function identifier(value: unknown, path: string): string {
  if (typeof value !== "string" || value === "") throw unusable(path, "a non-empty text", value);
  return value;
}

function textOf(value: unknown, path: string): string {
  if (typeof value !== "string") throw unusable(path, "a text", value);
  return value;
}

function parentOf(value: unknown, path: string): string {
  if (value === undefined || value === null) return "";
  return textOf(value, `${path}.parent_span_id`);
}

function nanoseconds(value: unknown, path: string): bigint {
  if (typeof value !== "bigint" || value < 0n) throw unusable(path, "a bigint of nanoseconds since the epoch", value);
  return value;
}

function kindOf(value: unknown, path: string): SpanKindName {
  if (value === undefined || value === null) return "INTERNAL";
  const kind = typeof value === "string" ? kindOfName(value) : kindOfNumber(value);
  if (kind === undefined) {
    throw unusable(`${path}.kind`, "INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER, or 0 to 4", value);
  }
  return kind;
}

function statusOf(value: unknown, path: string): StatusName {
  if (value === undefined || value === null) return "UNSET";
  const code: unknown = isObject(value) ? ((value as { readonly code?: unknown }).code ?? "UNSET") : value;
  const status = typeof code === "string" ? statusOfName(code) : statusOfNumber(code);
  if (status === undefined) throw unusable(path, "UNSET, OK, ERROR, or 0 to 2", code);
  return status;
}

function attributesOf(value: unknown, path: string): AttributeMap {
  if (value === undefined || value === null) return NO_ATTRIBUTES;
  if (!isObject(value)) throw unusable(path, "an object", value);
  return value as AttributeMap;
}

function eventsOf(value: unknown, path: string): readonly SpanEvent[] {
  if (value === undefined || value === null) return NO_EVENTS;
  if (!Array.isArray(value)) throw unusable(path, "a list", value);
  value.forEach((event: unknown, index) => {
    if (!isObject(event)) throw unusable(`${path}[${index}]`, "an object", event);
    textOf((event as { readonly name?: unknown }).name, `${path}[${index}].name`);
    attributesOf((event as { readonly attributes?: unknown }).attributes, `${path}[${index}].attributes`);
  });
  return value;
}

function scopeOf(value: SpanRecord["scope"], path: string): { readonly name?: string; readonly version?: string } {
  if (value === undefined || value === null) return {};
  if (typeof value === "string") return { name: value };
  if (!isObject(value)) throw unusable(`${path}.scope`, "a text or an object", value);
  const name = value.name === undefined ? "" : textOf(value.name, `${path}.scope.name`);
  const version = value.version === undefined ? "" : textOf(value.version, `${path}.scope.version`);
  return { name, version };
}
