import { readFileSync } from "node:fs";
import type { SpanKindName, SpanRecord, StatusName } from "../../src/model/span.ts";
import type { Step, TrajectoryOptions, Unit } from "../../src/model/trajectory.ts";

/** One span of a row, in the order in which it is handed over. */
export interface VectorSpan {
  readonly trace: string;
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly span_kind: SpanKindName;
  readonly start_ns: number;
  readonly end_ns: number;
  readonly status: StatusName;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** One row of `spans.json`. A key absent in a wanted step is not checked. */
export interface VectorRow {
  readonly id: string;
  readonly why: string;
  readonly options?: TrajectoryOptions & { readonly unit?: Unit };
  readonly spans: readonly VectorSpan[];
  readonly want: {
    readonly steps: readonly Partial<Step>[];
    readonly tools: readonly string[];
    readonly session_id?: string;
    readonly unread?: readonly ("steps" | "tools")[];
  };
}

/** Every row. */
export function vectorRows(): readonly VectorRow[] {
  return JSON.parse(readFileSync(new URL("../fixtures/vectors/spans.json", import.meta.url), "utf8"));
}

/** Hex ids for the ids of a row: one to one, and in the same order. */
export interface HexIds {
  readonly trace: (id: string) => string;
  readonly span: (id: string) => string;
}

/** Maps the ids of a row to hex. */
export function hexIdsOf(row: VectorRow): HexIds {
  const traces = ranks(row.spans.map((span) => span.trace));
  const spans = ranks(row.spans.flatMap((span) => (span.parent === null ? [span.id] : [span.id, span.parent])));
  return { trace: (id) => hex(traces.get(id), 32), span: (id) => hex(spans.get(id), 16) };
}

/** The row's spans as span records, in order. */
export function recordsOf(row: VectorRow): SpanRecord[] {
  const ids = hexIdsOf(row);
  return row.spans.map((span) => ({
    trace_id: ids.trace(span.trace),
    span_id: ids.span(span.id),
    parent_span_id: span.parent === null ? null : ids.span(span.parent),
    name: span.name,
    kind: span.span_kind,
    start_ns: BigInt(span.start_ns),
    end_ns: BigInt(span.end_ns),
    status: span.status,
    attributes: span.attributes,
    scope: { name: "vectors", version: "1.0.0" },
  }));
}

/** The row's spans as one OTLP/JSON request, in order. */
export function otlpRequestOf(row: VectorRow): unknown {
  const ids = hexIdsOf(row);
  const spans = row.spans.map((span) => ({
    traceId: ids.trace(span.trace),
    spanId: ids.span(span.id),
    ...(span.parent === null ? {} : { parentSpanId: ids.span(span.parent) }),
    name: span.name,
    kind: KINDS.indexOf(span.span_kind) + 1,
    startTimeUnixNano: String(span.start_ns),
    endTimeUnixNano: String(span.end_ns),
    status: { code: ["UNSET", "OK", "ERROR"].indexOf(span.status) },
    attributes: Object.entries(span.attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    flags: 0x101,
  }));
  return { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "vectors" }, spans }] }] };
}

const KINDS: readonly SpanKindName[] = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

function ranks(ids: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(ids)].sort().map((id, index) => [id, index + 1]));
}

function hex(rank: number | undefined, digits: number): string {
  if (rank === undefined) throw new Error("unknown id");
  return rank.toString(16).padStart(digits, "0");
}

function anyValue(value: unknown): unknown {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (Number.isInteger(value)) return { intValue: String(value) };
  if (typeof value === "number") return { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return {
    kvlistValue: { values: Object.entries(value as object).map(([key, item]) => ({ key, value: anyValue(item) })) },
  };
}
