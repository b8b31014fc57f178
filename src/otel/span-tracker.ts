import { type Context, ROOT_CONTEXT } from "@opentelemetry/api";
import { OpenSpan } from "../buffer/open-span.ts";
import { TraceEntry } from "../buffer/trace-entry.ts";
import type { SpanReader } from "../conventions/read-span.ts";
import type { ContextualExpectation } from "../model/resolution.ts";
import type { SpanView } from "../model/span.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { type Engine, NO_LEAF } from "../pipeline/engine.ts";
import { plainOfReadableSpan, type ReadableSpanLike, viewOfReadableSpan } from "../wire/from-readable-span.ts";
import { contextUse, expectationIn, sessionIn, sessionInBaggage } from "./context.ts";
import type { SessionStamp } from "./session-stamp.ts";
import type { SpanLike } from "./span-like.ts";
import { ENDED, liveTrace, SpanMarks } from "./span-marks.ts";

/** Tells the engine of the host's spans, by what is remembered on the span objects themselves. */
export class SpanTracker {
  readonly #engine: Engine;
  readonly #reader: SpanReader;
  readonly #marks = new SpanMarks();
  readonly #contextUse = contextUse();
  #silentContext: Context | undefined = undefined;
  readonly #stamp: SessionStamp | undefined;
  /** The trace of the span that was started last beneath another, in which context, beneath which: siblings come in runs. */
  #beside: TraceEntry | undefined = undefined;
  #besideIn: Context | undefined = undefined;
  #besideOf: object | undefined = undefined;

  /** `reader` is the engine's own; `stamp` is what puts session ids on spans, where something does. */
  constructor(engine: Engine, reader: SpanReader, stamp: SessionStamp | undefined) {
    this.#engine = engine;
    this.#reader = reader;
    this.#stamp = stamp;
  }

  /** What is remembered of a local root that is the last open span of its trace; undefined for any other span. */
  lastOpenRoot(span: object): OpenSpan | undefined {
    const mark = this.#marks.of(span);
    return mark instanceof OpenSpan && mark.root && mark.entry.open_count === 1 ? mark : undefined;
  }

  /** Whether the span is a local root that has not ended, of a trace that is not finished. */
  isOpenRoot(span: object): boolean {
    const mark = this.#marks.of(span);
    return mark instanceof OpenSpan && mark.root && mark.open && mark.entry.state === "open";
  }

  /** The view of a span, as it would be without our stamp. */
  viewOf(span: ReadableSpanLike): SpanView {
    return viewOfReadableSpan(this.#unstamped(span));
  }

  /** A span ended. */
  ended(span: ReadableSpanLike): void {
    const mark = this.#marks.of(span);
    if (mark instanceof TraceEntry) this.#endedBeneath(span, mark);
    else if (mark === ENDED || typeof mark === "number") this.#engine.endAgain();
    // Of a local root or a parent the mark itself says that it has ended.
    else if (mark !== undefined || !isOwn(span)) this.#engine.end(this.viewOf(span), mark);
  }

  /** A span ended that was started beneath another, and beneath which none was started. */
  #endedBeneath(span: ReadableSpanLike, entry: TraceEntry): void {
    const bare = this.#unstamped(span);
    const look = this.#reader.glance(bare);
    const silent = look === 0 || this.#repeats(entry, bare, look);
    const place = silent && !carriesContext(bare) ? this.#engine.endLeaf(entry) : NO_LEAF;
    this.#marks.set(span, place === NO_LEAF ? ENDED : place);
    if (place !== NO_LEAF) return;
    const leaf = silent ? plainOfReadableSpan(bare) : undefined;
    if (leaf !== undefined && this.#engine.endLeaf(entry, leaf) !== NO_LEAF) return;
    this.#engine.end(viewOfReadableSpan(bare), entry, look);
  }

  /** Whether all that is to be read of a leaf is a session id that a sibling has said already. */
  #repeats(entry: TraceEntry, span: ReadableSpanLike, look: number): boolean {
    const session = this.#reader.sessionAlone(look, span);
    return session !== undefined && entry.hasSaid(parentIdOf(span), session.rank, session.value);
  }

  /** A span started. */
  started(span: SpanLike, parentContext: Context): void {
    // A processor that is registered twice sees each start twice.
    if (this.#marks.of(span) !== undefined || isOwn(span)) return;
    const parent = span.parentSpanContext;
    if (parent !== undefined && parent === this.#besideOf && parentContext === this.#besideIn) {
      const beside = this.#beside;
      if (beside !== undefined && beside.state !== "closed") {
        if (this.#engine.startBeneath(beside)) this.#marks.set(span, beside);
        return;
      }
    }
    const { traceId, spanId } = span.spanContext();
    const parentId = parentIdOf(span);
    const remote = parent !== undefined && parent.isRemote === true;
    let entry = parentId === "" || remote ? undefined : this.#traceOfParent(parentContext, traceId, parentId);
    if (entry !== undefined) {
      if (!this.#engine.startBeneath(entry)) return;
      this.#marks.set(span, entry);
      this.#beside = entry;
      this.#besideIn = parentContext;
      this.#besideOf = parent;
    } else {
      const { startTime } = span;
      const started = this.#engine.start(traceId, spanId, parentId, remote, startTime[0], startTime[1]);
      if (started === undefined) return;
      this.#marks.set(span, started);
      entry = started.entry;
      if (started.root) this.#opened(span, started);
    }
    if (parentContext !== this.#silentContext && parentContext !== ROOT_CONTEXT) this.#search(parentContext, entry);
  }

  #opened(span: SpanLike, started: OpenSpan): void {
    const bare = this.#unstamped(span);
    const look = this.#reader.look(bare);
    if (look > 0) this.#engine.opened(started, viewOfReadableSpan(bare), look);
  }

  /** Takes what a context carries of ours. One that carries nothing never will: it is not searched twice in a row. */
  #search(context: Context, entry: TraceEntry): void {
    let session = sessionInBaggage(context);
    let expectation: ContextualExpectation | undefined;
    if (this.#contextUse.used) {
      session = sessionIn(context) ?? session;
      expectation = expectationIn(context);
    }
    if (session === undefined && expectation === undefined) this.#silentContext = context;
    if (entry.context_session === undefined) entry.context_session = session;
    if (expectation !== undefined && !entry.contextual.includes(expectation)) {
      entry.contextual = [...entry.contextual, expectation];
    }
  }

  #unstamped(span: ReadableSpanLike): ReadableSpanLike {
    return this.#stamp === undefined ? span : this.#stamp.unstamped(span);
  }

  /** The trace in which the parent is known as such, where the parent is at hand in the context. */
  #traceOfParent(context: Context, traceId: string, parentId: string): TraceEntry | undefined {
    const parent = this.#marks.parentIn(context, traceId, parentId);
    if (parent === undefined) return undefined;
    const mark = this.#marks.of(parent);
    // It ended, was let go as a leaf, and is a parent after all: what was let go is read back.
    if (typeof mark === "number" && this.#engine.readBack(this.viewOf(parent), mark)) {
      this.#marks.set(parent, ENDED);
    }
    const entry = liveTrace(mark);
    if (entry === mark && entry !== undefined) this.#marks.set(parent, this.#engine.promote(entry, parentId));
    return entry;
  }
}

/**
 * Whether a span, by its kind, hands its context to others (CLIENT, PRODUCER): one of those may be this process, and then
 * it is a parent for which nobody has its object.
 */
function carriesContext({ kind }: ReadableSpanLike): boolean {
  return kind === 2 || kind === 3;
}

function parentIdOf({ parentSpanContext: parent, parentSpanId }: ReadableSpanLike): string {
  return parent === undefined ? (parentSpanId ?? "") : parent.spanId;
}

/** Own telemetry is never scored. */
function isOwn(span: ReadableSpanLike): boolean {
  return span.instrumentationScope?.name === SCOPE_NAME;
}
