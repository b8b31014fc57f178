import { TrajectoryError } from "../model/errors.ts";
import type { SpanRecord } from "../model/span.ts";
import { type ReadableSpanLike, type SpanContextLike, viewOfReadableSpan } from "../wire/from-readable-span.ts";

/** How a capture ends. */
export interface CaptureOptions {
  /**
   * How long to wait, after the call has returned, for spans that are still open.
   * @defaultValue 1000
   */
  readonly settleMillis?: number | undefined;
}

/** What one call did: the value that it gave, and the spans that started while it ran. */
export interface Captured<T> {
  readonly value: T;
  /** In the order in which they ended. */
  readonly spans: readonly SpanRecord[];
  /** Names of spans that had not ended when the wait was over; they are not among `spans`. */
  readonly open: readonly string[];
}

interface Capture {
  readonly open: Map<string, string>;
  readonly spans: SpanRecord[];
  settled: (() => void) | undefined;
}

/** A span as `onStart` hands it over. */
interface StartedSpan {
  readonly name?: string | undefined;
  spanContext(): SpanContextLike;
}

const SETTLE_MILLIS = 1_000;

/**
 * A span processor, by structure, that keeps the spans of one call at a time. It holds nothing between captures, so it
 * can stand in a provider that all tests share.
 *
 * @example
 * const recorder = new SpanRecorder();
 * new NodeTracerProvider({ spanProcessors: [recorder] }).register();
 * const run = await recorder.capture(() => agent("Refund order 1042"));
 */
export class SpanRecorder {
  #capture: Capture | undefined;
  // Taken early: a test may put the clock of its own in place before it captures.
  readonly #setTimeout: typeof setTimeout = globalThis.setTimeout;
  readonly #clearTimeout: typeof clearTimeout = globalThis.clearTimeout;

  onStart(span: StartedSpan): void {
    this.#capture?.open.set(keyOf(span), span.name ?? "");
  }

  onEnd(span: ReadableSpanLike): void {
    const capture = this.#capture;
    // What started before the call is no part of it.
    if (capture === undefined || !capture.open.delete(keyOf(span))) return;
    capture.spans.push(recordOf(span));
    if (capture.open.size === 0) capture.settled?.();
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  /**
   * Runs a call and gives the spans that started meanwhile, once all of them have ended or `settleMillis` has passed.
   * What the call throws is thrown on.
   *
   * @throws TrajectoryError `invalid_input` when another capture of this recorder is going on: their spans could not be
   * told apart
   */
  async capture<T>(call: () => T | Promise<T>, options: CaptureOptions = {}): Promise<Captured<T>> {
    if (this.#capture !== undefined) {
      const message =
        "capture: another capture of this recorder is going on; give concurrent tests recorders of their own";
      throw new TrajectoryError("invalid_input", "", message);
    }
    const capture: Capture = { open: new Map(), spans: [], settled: undefined };
    this.#capture = capture;
    try {
      const value = await call();
      await this.#settle(capture, options.settleMillis ?? SETTLE_MILLIS);
      return { value, spans: capture.spans, open: [...capture.open.values()] };
    } finally {
      this.#capture = undefined;
    }
  }

  async #settle(capture: Capture, millis: number): Promise<void> {
    if (capture.open.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      capture.settled = resolve;
      timer = this.#setTimeout.call(globalThis, resolve, millis);
    });
    this.#clearTimeout.call(globalThis, timer);
  }
}

/**
 * Runs a call with a tracer provider of its own and gives the spans of that call. For agents that take a tracer.
 *
 * @example
 * const run = await captureSpans(
 *   (recorder) => new BasicTracerProvider({ spanProcessors: [recorder] }),
 *   (provider) => agent("Refund order 1042", provider.getTracer("agent")),
 * );
 */
export async function captureSpans<Provider extends { shutdown(): Promise<unknown> }, T>(
  createProvider: (recorder: SpanRecorder) => Provider,
  call: (provider: Provider) => T | Promise<T>,
  options: CaptureOptions = {},
): Promise<Captured<T>> {
  const recorder = new SpanRecorder();
  const provider = createProvider(recorder);
  try {
    return await recorder.capture(() => call(provider), options);
  } finally {
    await provider.shutdown();
  }
}

function keyOf(span: { spanContext(): SpanContextLike }): string {
  const { traceId, spanId } = span.spanContext();
  return `${traceId}/${spanId}`;
}

const NANOSECONDS = 1_000_000_000n;

/** The span as it is now: hosts and other processors may go on writing to it. */
function recordOf(span: ReadableSpanLike): SpanRecord {
  const view = viewOfReadableSpan(span);
  return {
    trace_id: view.trace_id,
    span_id: view.span_id,
    parent_span_id: view.parent_id,
    name: view.name,
    kind: view.span_kind,
    start_ns: BigInt(view.start_s) * NANOSECONDS + BigInt(view.start_n),
    end_ns: BigInt(view.end_s) * NANOSECONDS + BigInt(view.end_n),
    status: view.status,
    attributes: { ...view.attributes },
    events: view.events.map(({ name, attributes }) => ({ name, attributes: { ...attributes } })),
    scope: { name: view.scope_name, version: view.scope_version },
    resource: { ...view.resource },
  };
}
