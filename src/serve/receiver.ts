import { messageOf } from "../model/errors.ts";
import type { AttributeMap, SpanView } from "../model/span.ts";
import { SCOPE_NAME } from "../model/version.ts";
import type { Engine } from "../pipeline/engine.ts";
import type { TrajectoryStats } from "../pipeline/stats.ts";
import { takeOtlpSpans } from "../wire/from-otlp-json.ts";
import { takeOtlpProtobuf } from "../wire/from-otlp-protobuf.ts";
import { otherSignalIn } from "../wire/other-signals.ts";
import type { ProtobufReader } from "../wire/protobuf-scalars.ts";
import type { TakenRequest } from "../wire/request-problems.ts";
import { holdsMoreValues, TooManyValues } from "../wire/value-limit.ts";
import { type Answer, type Encoding, TAKEN } from "./answers.ts";

/** Resources that are remembered, so that spans of one service share one, and how long their text may be. */
const MAX_RESOURCES = 500;
const MAX_RESOURCE_LENGTH = 8_192;
/** Longest answer to a broken request, in characters. */
const MAX_MESSAGE_LENGTH = 1_000;

/** What has come in so far. */
export interface ReceivedCounts {
  spans: number;
  rejected: number;
}

/** A request as it was read: its spans, and what could not be used of it. */
export interface ReadRequest extends TakenRequest {
  readonly views: readonly SpanView[];
  /** Why nothing of it can be used; undefined where something can, or where it holds nothing. */
  readonly broken?: string;
  /** Whether that is because it holds too much. */
  readonly tooLarge?: boolean;
}

/** A value takes bytes of memory by the hundred once it is read, so that a body of values alone would fill any. */
const MIN_BYTES_PER_VALUE = 32;

/** Reads requests as a whole; spans of one service share its resource. */
export class RequestReader {
  readonly #newReader: (body: Uint8Array) => ProtobufReader;
  readonly #resources = new RecentResources();
  readonly #maxValues: number;

  /** @param maxBytes longest body for which memory is set aside; how many values one may hold follows from it */
  constructor(newReader: (body: Uint8Array) => ProtobufReader, maxBytes: number) {
    this.#newReader = newReader;
    this.#maxValues = Math.ceil(maxBytes / MIN_BYTES_PER_VALUE);
  }

  /** Reads one ExportTraceServiceRequest. Never throws. */
  read(body: Buffer, encoding: Encoding): ReadRequest {
    const views: SpanView[] = [];
    try {
      const { spans, rejected, problems } = this.#take(body, encoding, (view) => void views.push(view));
      const read = { spans, rejected, problems, views };
      return spans > 0 || problems.length === 0
        ? read
        : { ...read, broken: cut(`no span could be read: ${problems[0]}`) };
    } catch (error) {
      const nothing = { spans: 0, rejected: 0, problems: [], views: [] };
      if (error instanceof TooManyValues) return { ...nothing, broken: error.message, tooLarge: true };
      return { ...nothing, broken: cut(`not an ExportTraceServiceRequest in ${encoding}: ${messageOf(error)}`) };
    }
  }

  #take(body: Buffer, encoding: Encoding, take: (view: SpanView) => void): TakenRequest {
    const taker = { resources: this.#resources, take };
    if (encoding === "protobuf") return takeOtlpProtobuf(this.#newReader(body), taker, this.#maxValues);
    if (holdsMoreValues(body, this.#maxValues)) throw new TooManyValues(this.#maxValues);
    const value: unknown = JSON.parse(body.toString("utf8"));
    // Somebody sends logs to the wrong place, or reads the wrong topic.
    const signal = isEmptyRequest(value) ? otherSignalIn(value) : undefined;
    if (signal !== undefined) throw new Error(`it holds ${signal}, and no resourceSpans`);
    // An empty message is a request without spans; members that OTLP does not know are to be ignored.
    if (isEmptyRequest(value)) return { spans: 0, rejected: 0, problems: [] };
    return takeOtlpSpans(value, taker);
  }
}

/** Our own evaluation spans are about a run, no part of it. */
export function isOwn(view: SpanView): boolean {
  return view.scope_name === SCOPE_NAME;
}

function cut(message: string): string {
  return message.slice(0, MAX_MESSAGE_LENGTH);
}

/**
 * Hands the spans of requests to the engine. A request is read as a whole before its first span is handed over, so that
 * what is answered with an error has left nothing behind.
 */
export class Receiver {
  readonly #engine: Engine;
  readonly #reader: RequestReader;
  readonly counts: ReceivedCounts = { spans: 0, rejected: 0 };

  constructor(engine: Engine, reader: RequestReader) {
    this.#engine = engine;
    this.#reader = reader;
  }

  /** Takes one ExportTraceServiceRequest. Never throws. */
  take(body: Buffer, encoding: Encoding): Answer {
    const { views, spans, problems, ...read } = this.#reader.read(body, encoding);
    if (read.broken !== undefined) {
      this.counts.rejected += read.rejected;
      return { status: read.tooLarge === true ? 413 : 400, message: read.broken };
    }
    const before = this.#engine.stats().spans.dropped;
    for (const view of views) this.#hand(view);
    const left = leftOut(before, this.#engine.stats().spans.dropped);
    const rejected = read.rejected + left.count;
    this.counts.spans += spans;
    this.counts.rejected += rejected;
    if (rejected === 0 && problems.length === 0) return TAKEN;
    const words = [...left.words, ...problems.slice(0, 3)].join("; ");
    return { status: 200, rejected, message: cut(words) };
  }

  #hand(view: SpanView): void {
    if (isOwn(view)) return;
    try {
      this.#engine.end(view);
    } catch (error) {
      this.#engine.problem("receive", error);
    }
  }
}

/** A few resources by their text; senders could make up any number of any length. */
class RecentResources extends Map<string, AttributeMap> {
  override set(text: string, resource: AttributeMap): this {
    if (text.length > MAX_RESOURCE_LENGTH) return this;
    if (this.size >= MAX_RESOURCES) this.clear();
    return super.set(text, resource);
  }
}

function isEmptyRequest(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !Object.hasOwn(value, "resourceSpans") && !Object.hasOwn(value, "resource_spans");
}

type Drops = TrajectoryStats["spans"]["dropped"];

/** Spans that could be read and were not taken all the same, for good. */
function leftOut(before: Drops, after: Drops): { readonly count: number; readonly words: readonly string[] } {
  const late = after.late - before.late;
  const many = after.span_limit - before.span_limit;
  const words: string[] = [];
  if (late > 0) words.push(`${late} came after their trace was scored and its window had closed`);
  if (many > 0) words.push(`${many} belong to a trace that has as many spans as one may have`);
  return { count: late + many, words };
}
