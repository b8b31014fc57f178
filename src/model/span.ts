/** OpenTelemetry span kinds by name. */
export type SpanKindName = "INTERNAL" | "SERVER" | "CLIENT" | "PRODUCER" | "CONSUMER";

/** OpenTelemetry status codes by name. */
export type StatusName = "UNSET" | "OK" | "ERROR";

/** What a span is to a trajectory. Spans of no kind (HTTP, DB, chains) have none. */
export type Kind = "TOOL" | "AGENT" | "LLM";

/** Attribute values as they arrive: primitives and arrays (SDK 2), nested values too (SDK 3, OTLP). */
export type AttributeMap = Readonly<Record<string, unknown>>;

/**
 * The neutral span that `otel-trajectory/core` takes.
 *
 * Ids are lower-case hex (any non-empty text works); times are nanoseconds since the epoch.
 */
export interface SpanRecord {
  readonly trace_id: string;
  readonly span_id: string;
  /** Absent, null or empty: the span has no parent. */
  readonly parent_span_id?: string | null | undefined;
  readonly name: string;
  /** Span kind by name or by its OpenTelemetry API number (0 INTERNAL … 4 CONSUMER). @defaultValue "INTERNAL" */
  readonly kind?: SpanKindName | number | undefined;
  readonly start_ns: bigint;
  readonly end_ns: bigint;
  /** Status by name, by number, or as `{ code }`. @defaultValue "UNSET" */
  readonly status?: StatusName | number | { readonly code?: StatusName | number | undefined } | undefined;
  readonly attributes: AttributeMap;
  readonly events?: readonly SpanEvent[] | undefined;
  /** Instrumentation scope: its name, or name and version. */
  readonly scope?: string | { readonly name?: string | undefined; readonly version?: string | undefined } | undefined;
  /** Resource attributes. */
  readonly resource?: AttributeMap | undefined;
}

/** A span event. */
export interface SpanEvent {
  readonly name: string;
  readonly attributes?: AttributeMap | undefined;
}

/**
 * One ended span in the shape that every entrance produces (live SDK span, OTLP/JSON, {@link SpanRecord}).
 * It may share objects with its source; nothing downstream mutates them.
 */
export interface SpanView {
  readonly trace_id: string;
  readonly span_id: string;
  /** Empty when the span has no parent. */
  readonly parent_id: string;
  /** True when the parent is known to be in another process. */
  readonly remote_parent: boolean;
  /** W3C trace flags; 1 = sampled. */
  readonly trace_flags: number;
  readonly name: string;
  readonly span_kind: SpanKindName;
  /** Start in whole seconds and nanoseconds within the second, as OpenTelemetry's HrTime. */
  readonly start_s: number;
  readonly start_n: number;
  readonly end_s: number;
  readonly end_n: number;
  readonly status: StatusName;
  readonly attributes: AttributeMap;
  readonly events: readonly SpanEvent[];
  readonly scope_name: string;
  readonly scope_version: string;
  readonly resource: AttributeMap;
}

/**
 * Content that is copied in the hook and parsed only after its trace has been released.
 * `cut` is true when the value was longer than `maxContentBytes` and what is held is not whole.
 */
export interface Content {
  readonly value: unknown;
  readonly cut: boolean;
}

/** One tool call read out of an LLM completion. */
export interface EmbeddedCall {
  readonly name: string;
  readonly call_id?: string;
  readonly args?: unknown;
  readonly args_status: "ok" | "absent" | "unparsed" | "truncated";
}

/** What the sources of an LLM span's output say, once parsed. */
export interface ReadOutput {
  readonly calls: readonly EmbeddedCall[];
  /** True when an output was recorded at all (an empty text is an output). */
  readonly has_output: boolean;
  /** True when an output was recorded and holds neither text nor call. */
  readonly empty: boolean;
  /** True when a finish reason inside of the output says that the model stopped in order to call tools. */
  readonly finished_for_tools?: boolean;
}

/** Facts of a TOOL, AGENT or LLM span that a trajectory needs. Everything else of the span is let go. */
export interface KindFacts {
  /** TOOL: bare tool name. AGENT: identity. LLM: the span's name. */
  readonly name: string;
  /** The name before prefixes were taken off; equals `name` where none was. */
  readonly raw_name: string;
  /** AGENT only: the span names no agent (its name is the emitter's constant). */
  readonly nameless: boolean;
  /** TOOL only: call id, else empty. */
  readonly call_id: string;
  /** TOOL only: an MCP client or server span. */
  readonly mcp: boolean;
  readonly failed: boolean;
  /** TOOL only: the recorded arguments, unparsed; absent when none were recorded. */
  readonly args?: Content;
  /** Reads `args`; differs by convention (some wrap, some double-encode). */
  readonly readArgs?: (value: unknown) => { readonly value: unknown; readonly status: "ok" | "absent" | "unparsed" };
  /** LLM only: parses what was recorded of the output; absent when nothing was recorded. */
  readonly readOutput?: () => ReadOutput;
  /** LLM only: the finish reason says that the model stopped in order to call tools. */
  readonly finished_for_tools: boolean;
  /** LLM only: the usage shows output tokens. */
  readonly output_tokens: boolean;
}

/** Own `aip.expected_*` annotations of one span, unparsed. */
export interface SpanAnnotation {
  readonly span_id: string;
  readonly expected_steps?: unknown;
  readonly expected_tools?: unknown;
  readonly expected_calls?: unknown;
  readonly unit?: unknown;
  readonly id?: unknown;
  readonly status?: unknown;
}

/** What we keep of one ended span until its trace has been scored. */
export interface SpanFacts {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string;
  readonly remote_parent: boolean;
  readonly trace_flags: number;
  readonly name: string;
  readonly start_s: number;
  readonly start_n: number;
  readonly end_s: number;
  readonly end_n: number;
  readonly scope_name: string;
  readonly scope_version: string;
  /** Position in the observed order of ending: live the order of `onEnd`, offline the order in the input. */
  readonly seq: number;
  readonly kind: Kind | undefined;
  /** Present exactly when `kind` is. */
  readonly facts: KindFacts | undefined;
  /** Which convention gave the kind, or why the span has none; for explanations. */
  readonly convention: string;
  /** The best session id key that this span carries: smaller rank wins; absent = none. */
  readonly session: { readonly rank: number; readonly value: string } | undefined;
  readonly annotation: SpanAnnotation | undefined;
  /** `aip.egress` as written; undefined when absent. */
  readonly egress: string | undefined;
  /** `aip.session.end` was true. */
  readonly session_end: boolean;
  /** Short scalar attributes, kept on spans that rules may match on; else undefined. */
  readonly attributes: AttributeMap | undefined;
  readonly resource: AttributeMap;
  /** Estimated bytes held by this object. */
  readonly bytes: number;
  /**
   * A span of no kind that reports the failure of a TOOL span: of its parent, or of the latest one with that raw name
   * that started before it beneath the same parent.
   */
  readonly failure?: { readonly of: "parent" | "earlier"; readonly name: string } | undefined;
  /**
   * A span of no kind that holds the output of a model call whose own span lacks it: of the LLM span around it, else of
   * those beneath it.
   */
  readonly carried?: (() => ReadOutput) | undefined;
}
