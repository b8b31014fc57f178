import type { Context } from "@opentelemetry/api";
import { SCOPE_NAME } from "../model/version.ts";
import type { ReadableSpanLike } from "../wire/from-readable-span.ts";
import { carriedSession } from "./context.ts";
import { type EmissionPolicy, sessionId } from "./evaluation-attributes.ts";
import type { SpanLike } from "./span-like.ts";

/** Shared by all processors of this package, so that none takes the stamp of another for the host's own. */
const STAMPED: unique symbol = Symbol.for("otel-trajectory session stamp") as never;

interface Stamp {
  readonly key: string;
  /** As the SDK took it, which may have been cut. */
  readonly value: unknown;
}

/** Puts the session ids that contexts carry on spans, and reads spans as they were without. */
export class SessionStamp {
  readonly #key: string;
  readonly #policy: EmissionPolicy;
  readonly #refused: () => void;
  /** The session that was stamped last, and what was written for it: a hash takes longer than all the rest. */
  #session = "";
  #written = "";

  /** `refused` is called for every attribute that the SDK did not take as it is. */
  constructor(key: string, policy: EmissionPolicy, refused: () => void) {
    this.#key = key;
    this.#policy = policy;
    this.#refused = refused;
  }

  /** Stamps a span that starts in that context, unless it says already. Never throws: a span that does counts as refused. */
  started(span: SpanLike, parentContext: Context): void {
    try {
      this.#put(span, parentContext);
    } catch {
      this.#refused();
    }
  }

  #put(span: SpanLike, parentContext: Context): void {
    const session = carriedSession(parentContext);
    if (session === undefined || span.instrumentationScope?.name === SCOPE_NAME) return;
    const key = this.#key;
    if (attributeOf(span, key) !== undefined) return;
    if (session !== this.#session) {
      this.#written = sessionId(session, this.#policy);
      this.#session = session;
    }
    span.setAttribute(key, this.#written);
    const value = attributeOf(span, key);
    if (value !== this.#written) this.#refused();
    if (value !== undefined) (span as { [STAMPED]?: Stamp })[STAMPED] = { key, value };
  }

  /**
   * The span without the stamp: what context carries is known already, and goes after what the host's spans say. The
   * span itself where it has none, or where the host has written another value since.
   */
  unstamped(span: ReadableSpanLike): ReadableSpanLike {
    const stamp = (span as { readonly [STAMPED]?: Stamp })[STAMPED];
    return stamp === undefined || attributeOf(span, stamp.key) !== stamp.value ? span : without(span, stamp.key);
  }
}

function attributeOf({ attributes }: ReadableSpanLike, key: string): unknown {
  return (attributes as Readonly<Record<string, unknown>>)[key];
}

function without(span: ReadableSpanLike, key: string): ReadableSpanLike {
  const { [key]: _, ...attributes } = span.attributes as Readonly<Record<string, unknown>>;
  return {
    name: span.name,
    kind: span.kind,
    spanContext: () => span.spanContext(),
    parentSpanContext: span.parentSpanContext,
    parentSpanId: span.parentSpanId,
    startTime: span.startTime,
    endTime: span.endTime,
    status: span.status,
    attributes,
    events: span.events,
    resource: span.resource,
    instrumentationScope: span.instrumentationScope,
    instrumentationLibrary: span.instrumentationLibrary,
  };
}
