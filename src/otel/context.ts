import { type Baggage, type Context, context, createContextKey, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Expectation } from "../model/expectation.ts";
import type { ContextualExpectation } from "../model/resolution.ts";

const EXPECTATION_KEY = createContextKey("otel-trajectory expectation");
const SESSION_KEY = createContextKey("otel-trajectory session");
/** The key of `suppressTracing` in `@opentelemetry/core`: a `Symbol.for`, so that the API alone can set it. */
const SUPPRESS_TRACING_KEY = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Whether any context carries something of ours; shared by all copies of this package. */
export interface ContextUse {
  used: boolean;
}

const CONTEXT_USE = Symbol.for("otel-trajectory context use");

/** Hooks ask this object, so that contexts are searched only once one may hold something. */
export function contextUse(): ContextUse {
  const globals = globalThis as { [CONTEXT_USE]?: ContextUse };
  globals[CONTEXT_USE] ??= { used: false };
  return globals[CONTEXT_USE];
}

/** The key of baggage in `@opentelemetry/api`; asked directly, it costs a tenth of what the API's function does. */
const BAGGAGE_KEY = createContextKey("OpenTelemetry Baggage Key");

/** Root context with tracing suppressed: what we call must neither inherit the host's context nor trace itself. */
const DETACHED: Context = ROOT_CONTEXT.setValue(SUPPRESS_TRACING_KEY, true);

/** Runs `work` outside the host's context and untraced. */
export function detached<T>(work: () => T): T {
  return context.with(DETACHED, work);
}

/**
 * Runs `fn` with an expectation that every trace started inside it is held to (source 1, the strongest). With
 * `unit: "session"` it speaks for the session of those traces. It never throws by itself: an expectation that cannot be
 * read gives the reason `invalid_expectation` on the results.
 *
 * @returns What `fn` returns.
 */
export function withExpectation<T>(
  expectation: Expectation & { readonly unit?: "trajectory" | "session" },
  fn: () => T,
): T {
  const { unit, ...columns } = Object(expectation) as Expectation & { readonly unit?: "trajectory" | "session" };
  const carried: ContextualExpectation = { unit: unit === "session" ? "session" : "trajectory", expectation: columns };
  return carry(EXPECTATION_KEY, carried, fn);
}

/**
 * Runs `fn` so that every trace started inside it belongs to the session, unless one of its spans names another.
 * An empty id, or one that is no string, names no session.
 *
 * @returns What `fn` returns.
 */
export function withSession<T>(sessionId: string, fn: () => T): T {
  return carry(SESSION_KEY, sessionId, fn);
}

function carry<T>(key: symbol, value: unknown, fn: () => T): T {
  contextUse().used = true;
  return context.with(context.active().setValue(key, value), fn);
}

/** The expectation that a context carries. */
export function expectationIn(carrier: Context): ContextualExpectation | undefined {
  return carrier.getValue(EXPECTATION_KEY) as ContextualExpectation | undefined;
}

/** The session id that a context carries. */
export function sessionIn(carrier: Context): string | undefined {
  const own = carrier.getValue(SESSION_KEY);
  return typeof own === "string" && own !== "" ? own : undefined;
}

/** The session id in the baggage of a context. */
export function sessionInBaggage(carrier: Context): string | undefined {
  const baggage = carrier.getValue(BAGGAGE_KEY);
  if (baggage === undefined) return undefined;
  const value = (baggage as Baggage).getEntry("session.id")?.value;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The session id that a context carries, its own before that of its baggage. */
export function carriedSession(carrier: Context): string | undefined {
  return (contextUse().used ? sessionIn(carrier) : undefined) ?? sessionInBaggage(carrier);
}
