import { type Context, createContextKey } from "@opentelemetry/api";
import { OpenSpan } from "../buffer/open-span.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { ReadableSpanLike } from "../wire/from-readable-span.ts";

/** The key under which `@opentelemetry/api` keeps the active span in a context; asked directly, it costs less. */
const SPAN_KEY = createContextKey("OpenTelemetry Context Key SPAN");

/** The span has ended here. */
export const ENDED = "ended";

/**
 * What is remembered of a started span: a local root or a parent by itself, any other by the trace that counts it, and
 * of one that was let go when it ended its place in the order of ending.
 */
export type Mark = OpenSpan | TraceEntry | typeof ENDED | number;

type Marked = Record<symbol, Mark | undefined>;
type Active = Marked & { spanContext?(): { readonly traceId: string; readonly spanId: string } };

/**
 * Remembers on the SDK's own span objects what the engine said of them when they started, under a symbol that only one
 * processor knows. That costs a few nanoseconds where a map by id costs a hundred. A host whose spans take no mark, or
 * that hands other objects to `onEnd`, loses nothing: the engine then finds the span by its id.
 */
export class SpanMarks {
  readonly #mark = Symbol("otel-trajectory");
  #context: Context | undefined = undefined;
  #active: Active | undefined = undefined;

  set(span: object, mark: Mark): void {
    try {
      (span as Marked)[this.#mark] = mark;
    } catch {
      // A frozen span: it is found by its id.
    }
  }

  of(span: object): Mark | undefined {
    return (span as Marked | null | undefined)?.[this.#mark];
  }

  /** The span that is active in a context, where it is that parent and was started here. */
  parentIn(context: Context, traceId: string, parentId: string): Parent | undefined {
    const active = this.#activeIn(context);
    if (active?.[this.#mark] === undefined) return undefined;
    const known = active.spanContext?.();
    return known?.spanId === parentId && known.traceId === traceId ? (active as unknown as Parent) : undefined;
  }

  /** Contexts never change, and siblings mostly start in the same one: the last answer is kept. */
  #activeIn(context: Context): Active | undefined {
    if (context !== this.#context) {
      this.#active = context.getValue(SPAN_KEY) as Active | undefined;
      this.#context = context;
    }
    return this.#active;
  }
}

/** A span object that was started here. */
export type Parent = ReadableSpanLike;

/** The trace that a mark belongs to, as long as it is followed. */
export function liveTrace(mark: Mark | undefined): TraceEntry | undefined {
  if (typeof mark !== "object") return undefined;
  const entry = mark instanceof OpenSpan ? mark.entry : mark;
  return entry.state === "closed" ? undefined : entry;
}
