import type { AttributeMap, SpanEvent, SpanView } from "../model/span.ts";
import type { SpanTaker } from "./from-otlp-json.ts";
import { isRemoteParent, kindOfNumber, SAMPLED, saysRemote, statusOfNumber } from "./names.ts";
import type { Moment } from "./otlp-scalars.ts";
import { MAX_DEPTH } from "./otlp-values.ts";
import { end, hexBytes, integer64, nanoseconds, type ProtobufReader, textOfBytes } from "./protobuf-scalars.ts";
import { RequestProblems, type TakenRequest } from "./request-problems.ts";
import { TooManyValues } from "./value-limit.ts";

const NO_EVENTS: readonly SpanEvent[] = Object.freeze([]);
const NO_ATTRIBUTES: AttributeMap = Object.freeze(Object.create(null));
const TRACE_ID_BYTES = 16;
const SPAN_ID_BYTES = 8;
/** Longest resource that is looked up by its bytes. */
const MAX_KNOWN_BYTES = 4_096;

/** A message inside the request: from one byte to another. */
interface Extent {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads one ExportTraceServiceRequest of OTLP in protobuf, with the same result as the JSON of that request. Unknown
 * fields are skipped. The reader comes from a protobuf library and is at the start of the request.
 *
 * @param maxValues how many values the request may hold, each being a field of a message, but for what an attribute is
 *   made of: one takes two bytes, and a hundred once it is read
 * @throws TooManyValues at the field that is one too many; spans before that have been handed over
 * @throws Error what the reader throws at the first byte that is no protobuf, or where the request ends too early; spans
 *   before that have been handed over
 */
export function takeOtlpProtobuf(
  reader: ProtobufReader,
  taker: SpanTaker,
  maxValues: number = Number.POSITIVE_INFINITY,
): TakenRequest {
  const reading = new ProtobufReading(reader, taker, maxValues);
  reading.request();
  return reading;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH = 2;
const FIXED32 = 5;

const field = (number: number, wireType: number): number => (number << 3) | wireType;

const SPAN_TRACE_ID = field(1, LENGTH);
const SPAN_ID = field(2, LENGTH);
const SPAN_PARENT_ID = field(4, LENGTH);
const SPAN_NAME = field(5, LENGTH);
const SPAN_KIND = field(6, VARINT);
const SPAN_START = field(7, FIXED64);
const SPAN_END = field(8, FIXED64);
const SPAN_ATTRIBUTE = field(9, LENGTH);
const SPAN_EVENT = field(11, LENGTH);
const SPAN_STATUS = field(15, LENGTH);
const SPAN_FLAGS = field(16, FIXED32);

/** One request while it is being read. */
class ProtobufReading implements TakenRequest {
  spans = 0;
  rejected = 0;
  readonly #problems = new RequestProblems();
  readonly #reader: ProtobufReader;
  readonly #taker: SpanTaker;
  #resource: AttributeMap = Object.create(null);
  #scopeName = "";
  #scopeVersion = "";
  /** The trace that was named last: spans of one trace come in runs. */
  #traceId = "";

  readonly #maxValues: number;
  #values = 0;

  constructor(reader: ProtobufReader, taker: SpanTaker, maxValues: number) {
    this.#reader = reader;
    this.#taker = taker;
    this.#maxValues = maxValues;
  }

  get problems(): readonly string[] {
    return this.#problems.list;
  }

  /** The tag of a field that adds to what is read. */
  #tag(): number {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw new TooManyValues(this.#maxValues);
    return this.#reader.uint32();
  }

  /** Goes through the fields of a message that ends at `to`; what `take` does not take is skipped. */
  #fields(to: number, take: (tag: number) => boolean): void {
    const reader = this.#reader;
    while (reader.pos < to) {
      const tag = this.#tag();
      if (tag >>> 3 === 0) throw new Error("a field has the number 0");
      if (!take(tag)) reader.skipType(tag & 7);
    }
    if (reader.pos !== to) throw new Error("a message is longer than it says");
  }

  request(): void {
    const reader = this.#reader;
    let index = 0;
    this.#fields(reader.len, (tag) => {
      if (tag !== field(1, LENGTH)) return false;
      this.#resourceSpans(end(reader), `resourceSpans[${index}]`);
      index += 1;
      return true;
    });
  }

  /** The spans of one resource. Fields may come in any order, and its spans need the resource. */
  #resourceSpans(to: number, place: string): void {
    const reader = this.#reader;
    const scopes: Extent[] = [];
    this.#resource = Object.create(null);
    this.#fields(to, (tag) => {
      if (tag === field(1, LENGTH)) this.#resource = this.#resourceOf(this.#pass());
      else if (tag === field(2, LENGTH)) scopes.push(this.#pass());
      else return false;
      return true;
    });
    for (const [index, scope] of scopes.entries()) this.#scope(scope, `${place}.scopeSpans[${index}]`);
    reader.pos = to;
  }

  #resourceOf({ from, to }: Extent): AttributeMap {
    const reader = this.#reader;
    const known = to - from > MAX_KNOWN_BYTES ? undefined : this.#taker.resources;
    const text = known === undefined ? "" : String.fromCharCode(...reader.buf.subarray(from, to));
    let attributes = known?.get(text);
    if (attributes === undefined) {
      reader.pos = from;
      attributes = this.#attributesOfMessage(to, 1);
      known?.set(text, attributes);
    }
    reader.pos = to;
    return attributes;
  }

  /** Where the message is that comes now; the reader goes past it. */
  #pass(): Extent {
    const to = end(this.#reader);
    const from = this.#reader.pos;
    this.#reader.pos = to;
    return { from, to };
  }

  #scope({ from, to }: Extent, place: string): void {
    const reader = this.#reader;
    const spans: Extent[] = [];
    this.#scopeName = "";
    this.#scopeVersion = "";
    reader.pos = from;
    this.#fields(to, (tag) => {
      if (tag === field(1, LENGTH)) this.#scopeOf(end(reader));
      else if (tag === field(2, LENGTH)) spans.push(this.#pass());
      else return false;
      return true;
    });
    for (const [index, span] of spans.entries()) {
      reader.pos = span.from;
      const problem = this.#span(span.to);
      if (problem === undefined) continue;
      this.rejected += 1;
      this.#problems.add(`${place}.spans[${index}]`, problem);
    }
  }

  #scopeOf(to: number): void {
    const reader = this.#reader;
    this.#fields(to, (tag) => {
      if (tag === field(1, LENGTH)) this.#scopeName = reader.string();
      else if (tag === field(2, LENGTH)) this.#scopeVersion = reader.string();
      else return false;
      return true;
    });
  }

  /** Hands one span over, or says what is wrong with it. */
  #span(to: number): string | undefined {
    const reader = this.#reader;
    let traceId: string | undefined;
    let spanId: string | undefined;
    let parentId: string | undefined = "";
    let name = "";
    let kind = 0;
    let start: Moment | undefined;
    let ended: Moment | undefined;
    let status = 0;
    let flags = SAMPLED;
    const attributes: Record<string, unknown> = Object.create(null);
    let events: SpanEvent[] | undefined;
    while (reader.pos < to) {
      const tag = this.#tag();
      switch (tag) {
        case SPAN_TRACE_ID:
          traceId = this.#traceIdAt();
          break;
        case SPAN_ID:
          spanId = this.#idAt(SPAN_ID_BYTES);
          break;
        case SPAN_PARENT_ID:
          parentId = this.#parentIdAt();
          break;
        case SPAN_NAME:
          name = reader.string();
          break;
        case SPAN_KIND:
          kind = reader.uint32();
          break;
        case SPAN_START:
          start = nanoseconds(reader);
          break;
        case SPAN_END:
          ended = nanoseconds(reader);
          break;
        case SPAN_ATTRIBUTE:
          this.#attribute(end(reader), attributes, 1);
          break;
        case SPAN_EVENT:
          events ??= [];
          events.push(this.#event(end(reader)));
          break;
        case SPAN_STATUS:
          status = this.#status(end(reader));
          break;
        case SPAN_FLAGS:
          flags = reader.fixed32();
          break;
        default:
          if (tag >>> 3 === 0) throw new Error("a field has the number 0");
          reader.skipType(tag & 7);
      }
    }
    if (reader.pos !== to) throw new Error("a span is longer than it says");
    if (traceId === undefined) return ".traceId must be 16 bytes and not all zero";
    if (spanId === undefined) return ".spanId must be 8 bytes and not all zero";
    if (start === undefined) return ".startTimeUnixNano must be nanoseconds since the epoch";
    if (ended === undefined) return ".endTimeUnixNano must be nanoseconds since the epoch";
    if (parentId === undefined) return ".parentSpanId must be 8 bytes or absent";
    const span_kind = kindOfNumber(kind - 1) ?? "INTERNAL";
    const view: SpanView = {
      trace_id: traceId,
      span_id: spanId,
      parent_id: parentId,
      remote_parent: isRemoteParent(parentId !== "", saysRemote(flags), span_kind),
      trace_flags: flags & 0xff,
      name,
      span_kind,
      start_s: start.s,
      start_n: start.n,
      end_s: ended.s,
      end_n: ended.n,
      status: statusOfNumber(status) ?? "UNSET",
      attributes,
      events: events ?? NO_EVENTS,
      scope_name: this.#scopeName,
      scope_version: this.#scopeVersion,
      resource: this.#resource,
    };
    this.spans += 1;
    this.#taker.take(view, false);
    return undefined;
  }

  #traceIdAt(): string | undefined {
    const id = this.#idAt(TRACE_ID_BYTES);
    // Equal ids are one text, so that it is held once.
    if (id === this.#traceId) return this.#traceId;
    if (id !== undefined) this.#traceId = id;
    return id;
  }

  #idAt(bytes: number): string | undefined {
    const { from, to } = this.#pass();
    return to - from === bytes ? hexBytes(this.#reader.buf, from, to) : undefined;
  }

  /** No parent is written as nothing, or as zeros. */
  #parentIdAt(): string | undefined {
    const { from, to } = this.#pass();
    if (to === from) return "";
    return to - from === SPAN_ID_BYTES ? (hexBytes(this.#reader.buf, from, to) ?? "") : undefined;
  }

  #status(to: number): number {
    const reader = this.#reader;
    let code = 0;
    this.#fields(to, (tag) => {
      if (tag !== field(3, VARINT)) return false;
      code = reader.uint32();
      return true;
    });
    return code;
  }

  #event(to: number): SpanEvent {
    const reader = this.#reader;
    let name = "";
    let attributes: Record<string, unknown> | undefined;
    this.#fields(to, (tag) => {
      if (tag === field(2, LENGTH)) name = reader.string();
      else if (tag === field(3, LENGTH)) {
        attributes ??= Object.create(null) as Record<string, unknown>;
        this.#attribute(end(reader), attributes, 1);
      } else return false;
      return true;
    });
    return { name, attributes: attributes ?? NO_ATTRIBUTES };
  }

  /** A message whose first field is a list of key-value pairs: a resource, or a KeyValueList. */
  #attributesOfMessage(to: number, depth: number): AttributeMap {
    const reader = this.#reader;
    const out: Record<string, unknown> = Object.create(null);
    this.#fields(to, (tag) => {
      if (tag !== field(1, LENGTH)) return false;
      this.#attribute(end(reader), out, depth);
      return true;
    });
    return out;
  }

  #attribute(to: number, out: Record<string, unknown>, depth: number): void {
    const reader = this.#reader;
    let key = "";
    let value: unknown;
    while (reader.pos < to) {
      const tag = reader.uint32();
      if (tag === field(1, LENGTH)) key = reader.string();
      else if (tag === field(2, LENGTH)) value = this.#value(end(reader), depth);
      else reader.skipType(tag & 7);
    }
    if (reader.pos !== to) throw new Error("an attribute is longer than it says");
    out[key] = value;
  }

  /** The value of an AnyValue; undefined when it holds none, or is nested too deeply. */
  #value(to: number, depth: number): unknown {
    const reader = this.#reader;
    if (depth > MAX_DEPTH) {
      reader.pos = to;
      return undefined;
    }
    let value: unknown;
    while (reader.pos < to) {
      const tag = reader.uint32();
      switch (tag) {
        case field(1, LENGTH):
          value = reader.string();
          break;
        case field(2, VARINT):
          value = reader.uint32() !== 0;
          break;
        case field(3, VARINT):
          value = integer64(reader);
          break;
        case field(4, FIXED64):
          value = reader.double();
          break;
        case field(5, LENGTH):
          value = this.#list(end(reader), depth);
          break;
        case field(6, LENGTH):
          value = this.#attributesOfMessage(end(reader), depth + 1);
          break;
        case field(7, LENGTH): {
          const { from, to: last } = this.#pass();
          value = textOfBytes(reader.buf, from, last);
          break;
        }
        default:
          reader.skipType(tag & 7);
      }
    }
    if (reader.pos !== to) throw new Error("a value is longer than it says");
    return value;
  }

  #list(to: number, depth: number): unknown[] {
    const reader = this.#reader;
    const items: unknown[] = [];
    this.#fields(to, (tag) => {
      if (tag !== field(1, LENGTH)) return false;
      items.push(this.#value(end(reader), depth + 1));
      return true;
    });
    return items;
  }
}
