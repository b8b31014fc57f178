import { type AttributeKeys, LiveSpanView, TAKEN_BITS } from "../model/held-span.ts";
import type { PlainPlace } from "../model/plain-facts.ts";
import type { AttributeMap, SpanEvent, SpanKindName, SpanView, StatusName } from "../model/span.ts";
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

/**
 * The view of an SDK span, as its own members show it when they are asked: nothing is copied, and what nobody asks for
 * costs nothing. Whoever keeps a value must copy it, since hosts and other processors go on writing to ended spans.
 * Never throws here: what cannot be read is empty, and a view without ids belongs to no trace.
 */
export function viewOfReadableSpan(span: ReadableSpanLike): SpanView {
  try {
    return new ReadableSpanView(span);
  } catch {
    return UNREADABLE;
  }
}

/**
 * What is held of an SDK span that is nothing but a place in its trace, straight off it; undefined where it cannot be read.
 * One object serves all spans: it is to be copied before the next is asked for.
 */
export function plainOfReadableSpan(span: ReadableSpanLike): PlainPlace | undefined {
  try {
    return plain.of(span);
  } catch {
    return undefined;
  }
}

class ReadablePlain implements PlainPlace {
  trace_id = "";
  span_id = "";
  parent_id = "";
  remote_parent = false;
  trace_flags = 0;
  name = "";
  start_s = 0;
  start_n = 0;
  end_s = 0;
  end_n = 0;
  scope_name = "";
  scope_version = "";
  resource = NO_ATTRIBUTES;

  of(span: ReadableSpanLike): this {
    const { traceId, spanId, traceFlags } = span.spanContext();
    const { startTime, endTime, parentSpanContext: parent } = span;
    const scope = span.instrumentationScope ?? span.instrumentationLibrary;
    this.trace_id = traceId;
    this.span_id = textOf(spanId);
    this.parent_id = textOf(parent === undefined ? span.parentSpanId : parent.spanId);
    this.trace_flags = numberOf(traceFlags);
    this.name = textOf(span.name);
    this.start_s = numberOf(startTime[0]);
    this.start_n = numberOf(startTime[1]);
    this.end_s = numberOf(endTime[0]);
    this.end_n = numberOf(endTime[1]);
    this.scope_name = scopeText(scope, "name");
    this.scope_version = scopeText(scope, "version");
    this.resource = resourceOf(span.resource);
    return this;
  }
}

const plain = new ReadablePlain();

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

const REMOTE_PARENT = 1 << TAKEN_BITS;
/** Numbers of kinds and statuses; the largest that fits stands for one that is none. */
const KIND = 7;
const KIND_AT = TAKEN_BITS + 1;
const STATUS = 3;
const STATUS_AT = KIND_AT + 3;

/** Ids, name and times are copied at once: they are read of every span. */
class ReadableSpanView extends LiveSpanView {
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_id: string;
  readonly trace_flags: number;
  readonly name: string;
  readonly start_s: number;
  readonly start_n: number;
  readonly end_s: number;
  readonly end_n: number;
  readonly #scope: ScopeLike | undefined;
  readonly #resource: ResourceLike;
  /** The span, until it was let go. */
  #span: ReadableSpanLike | undefined;
  /** What was taken off it, its values until they are read; then the attributes, built anew. */
  #keys: AttributeKeys | undefined = undefined;
  #values: readonly unknown[] | AttributeMap = NO_ATTRIBUTES;
  #events: readonly SpanEvent[] = NO_EVENTS;

  constructor(span: ReadableSpanLike) {
    super();
    const context = span.spanContext();
    const parent = span.parentSpanContext;
    const parentId = textOf(parent === undefined ? span.parentSpanId : parent?.spanId);
    const hasParent = parentId !== "" && parentId !== NO_PARENT;
    const { startTime, endTime } = span;
    this.trace_id = textOf(context.traceId);
    this.span_id = textOf(context.spanId);
    this.parent_id = hasParent ? parentId : "";
    this.trace_flags = numberOf(context.traceFlags);
    this.name = textOf(span.name);
    this.start_s = numberOf(startTime?.[0]);
    this.start_n = numberOf(startTime?.[1]);
    this.end_s = numberOf(endTime?.[0]);
    this.end_n = numberOf(endTime?.[1]);
    this.#scope = span.instrumentationScope ?? span.instrumentationLibrary;
    this.#resource = span.resource;
    this.#span = span;
    this.bits = (smallOf(span.kind, KIND) << KIND_AT) | (smallOf(span.status?.code, STATUS) << STATUS_AT);
    const isRemote =
      hasParent && (parent === undefined ? isRemoteParent(true, undefined, this.span_kind) : parent.isRemote === true);
    if (isRemote) this.bits |= REMOTE_PARENT;
  }

  get remote_parent(): boolean {
    return (this.bits & REMOTE_PARENT) !== 0;
  }

  get span_kind(): SpanKindName {
    return kindOfNumber((this.bits >> KIND_AT) & KIND) ?? "INTERNAL";
  }

  get status(): StatusName {
    return statusOfNumber((this.bits >> STATUS_AT) & STATUS) ?? "UNSET";
  }

  get attributes(): AttributeMap {
    if (this.#span !== undefined) return attributesOf(this.#span.attributes);
    if (this.#keys !== undefined) this.#values = this.#keys.toMap(this.#values as readonly unknown[]);
    this.#keys = undefined;
    return this.#values as AttributeMap;
  }

  get events(): readonly SpanEvent[] {
    const events = this.#span === undefined ? this.#events : this.#span.events;
    return Array.isArray(events) ? events : NO_EVENTS;
  }

  get scope_name(): string {
    return scopeText(this.#scope, "name");
  }

  get scope_version(): string {
    return scopeText(this.#scope, "version");
  }

  get resource(): AttributeMap {
    return resourceOf(this.#resource);
  }

  letGo(keys: AttributeKeys, values: readonly unknown[], events: readonly SpanEvent[]): void {
    this.#keys = keys;
    this.#values = values;
    this.#events = events;
    this.#span = undefined;
  }
}

/** A number that fits in the mask, or the mask. Hosts' objects may hold anything, even what cannot be a number. */
function smallOf(value: unknown, mask: number): number {
  return typeof value === "number" && (value & mask) === value ? value : mask;
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

/** It is read long after the hook, together with its whole trace: one that throws must not cost the trace its score. */
function resourceOf(resource: ResourceLike): AttributeMap {
  try {
    if (resource?.asyncAttributesPending === true) return lateAttributes(resource);
    return attributesOf(resource?.attributes);
  } catch {
    return NO_ATTRIBUTES;
  }
}

/** The same holds for a scope. */
function scopeText(scope: ScopeLike | undefined, member: "name" | "version"): string {
  try {
    return textOf(scope?.[member]);
  } catch {
    return "";
  }
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
