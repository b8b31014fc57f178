import type { Attributes, AttributeValue, Context, SpanContext } from "@opentelemetry/api";
import type { ReadableSpanLike } from "../wire/from-readable-span.ts";

/**
 * A started span as every SDK line hands it to a processor: readable, and writable until it has ended. Structural, so
 * that one class is a `SpanProcessor` of SDK 2.x and of SDK 3.x without importing either.
 */
export interface SpanLike extends ReadableSpanLike {
  spanContext(): SpanContext;
  setAttribute(key: string, value: AttributeValue): unknown;
}

/** What `attach: "hold"` forwards to: any span processor. */
export interface SpanProcessorLike {
  onStart(span: never, parentContext: Context): void;
  onEnding?(span: never): void;
  onEnd(span: never): void;
  forceFlush(): Promise<void>;
  shutdown(): Promise<void>;
}

/** A logger of either logs API. */
export interface EvaluationLogger {
  emit(record: {
    readonly eventName: string;
    readonly severityNumber: number;
    readonly severityText: string;
    readonly attributes: Attributes;
    readonly context: Context;
  }): void;
}

/** A logger provider of either logs API (`@opentelemetry/api-logs`, or `@opentelemetry/api` 1.10 and later). */
export interface LoggerProviderLike {
  getLogger(name: string, version?: string, options?: { readonly schemaUrl?: string }): { emit(record: never): void };
}
