import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { SpanRef } from "../model/assembled.ts";
import { SCOPE_NAME, VERSION } from "../model/version.ts";
import type { EmittedEvaluation } from "../pipeline/sink.ts";
import { type EmissionPolicy, eventAttributes } from "./evaluation-attributes.ts";
import { EVENT_EVALUATION_RESULT } from "./semconv.ts";
import type { EvaluationLogger, LoggerProviderLike } from "./span-like.ts";

const SEVERITY_INFO = 9;

/**
 * Emits one `gen_ai.evaluation.result` log event per result and revision, in the context of the span it is about.
 *
 * The logs API has two globals: that of `@opentelemetry/api-logs` beside SDK 2.x, and a slot of `@opentelemetry/api`
 * 1.10 beside SDK 3.x; a library that imports one is silent beside the other. So both slots are read, when needed.
 */
export class EventEmitter {
  readonly #given: LoggerProviderLike | undefined;
  readonly #policy: EmissionPolicy;
  #provider: LoggerProviderLike | undefined;
  #logger: EvaluationLogger | undefined;

  constructor(given: LoggerProviderLike | undefined, policy: EmissionPolicy) {
    this.#given = given;
    this.#policy = policy;
  }

  /** False when there is no logger provider (yet), and the event is lost. */
  emit(emitted: EmittedEvaluation): boolean {
    const provider = this.#given ?? globalLoggerProvider();
    if (provider === undefined) return false;
    if (this.#logger === undefined || provider !== this.#provider) {
      this.#provider = provider;
      this.#logger = provider.getLogger(SCOPE_NAME, VERSION) as EvaluationLogger;
    }
    this.#logger.emit({
      eventName: EVENT_EVALUATION_RESULT,
      severityNumber: SEVERITY_INFO,
      severityText: "INFO",
      attributes: eventAttributes(emitted, this.#policy),
      context: contextOf(emitted.unit.target),
    });
    return true;
  }
}

/** The context of a span that may have ended long ago: its ids are enough. */
export function contextOf(span: SpanRef | undefined): Context {
  if (span === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: span.trace_id,
    spanId: span.span_id,
    traceFlags: span.trace_flags,
  });
}

const GLOBAL_OF_API_LOGS = Symbol.for("io.opentelemetry.js.api.logs");
const GLOBAL_OF_API = Symbol.for("opentelemetry.js.api.1");

function globalLoggerProvider(): LoggerProviderLike | undefined {
  const globals = globalThis as Record<symbol, unknown>;
  const slots = globals[GLOBAL_OF_API] as { readonly logs?: LoggerProviderLike } | undefined;
  if (slots?.logs !== undefined) return slots.logs;
  const getter = globals[GLOBAL_OF_API_LOGS];
  if (typeof getter !== "function") return undefined;
  return (getter as (version: number) => LoggerProviderLike | undefined)(1);
}
