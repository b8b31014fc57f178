import { type Context, context, createContextKey, propagation, ROOT_CONTEXT } from "@opentelemetry/api";
import type { Expectation } from "../model/expectation.ts";
import type { ContextualExpectation } from "../model/resolution.ts";

const EXPECTATION_KEY = createContextKey("otel-trajectory expectation");
const SESSION_KEY = createContextKey("otel-trajectory session");
/** The key of `suppressTracing` in `@opentelemetry/core`: a `Symbol.for`, so that the API alone can set it. */
const SUPPRESS_TRACING_KEY = createContextKey("OpenTelemetry SDK Context Key SUPPRESS_TRACING");

/** Set once a context carries something of ours, in any copy of this package; until then hooks need not look. */
const IN_USE = Symbol.for("otel-trajectory context in use");

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
  (globalThis as Record<symbol, unknown>)[IN_USE] = true;
  return context.with(context.active().setValue(key, value), fn);
}

function inUse(): boolean {
  return (globalThis as Record<symbol, unknown>)[IN_USE] === true;
}

/** The expectation that a context carries. */
export function expectationIn(carrier: Context): ContextualExpectation | undefined {
  return inUse() ? (carrier.getValue(EXPECTATION_KEY) as ContextualExpectation | undefined) : undefined;
}

/** The session id that a context or its baggage carries; undefined when there is none. */
export function sessionIn(carrier: Context): string | undefined {
  const own = inUse() ? carrier.getValue(SESSION_KEY) : undefined;
  if (typeof own === "string" && own !== "") return own;
  const value = propagation.getBaggage(carrier)?.getEntry("session.id")?.value;
  return typeof value === "string" && value !== "" ? value : undefined;
}
