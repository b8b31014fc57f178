import { HostFault, messageOf, typeOf } from "../model/errors.ts";
import type { SpanView } from "../model/span.ts";
import type { Convention, Verdict } from "./convention.ts";

/**
 * What a {@link MapSpan} hook says of a span. What it leaves open is read from the span's attributes as ever; with no
 * `kind` the conventions decide that too.
 */
export interface SpanMapping {
  /** `NONE`: the span is no step, whatever its attributes say. */
  readonly kind?: Verdict | undefined;
  /** TOOL: the tool's name as called (a prefix `mcp__<server>__` is taken off). AGENT: its identity. */
  readonly name?: string | undefined;
  /** TOOL: the call's id; spans of one trace with one call id are one act. */
  readonly call_id?: string | undefined;
  /** TOOL: the arguments, as an object or as JSON text. */
  readonly args?: unknown;
  /** Whether the act failed. */
  readonly failed?: boolean | undefined;
  /** The session that the span's trace belongs to. */
  readonly session_id?: string | undefined;
}

/**
 * Says what a span is where no convention knows it, or knows better. Called with every ended span, in the host's
 * `span.end()`: it must be quick and may keep nothing of the span. `undefined`: the conventions decide.
 */
export type MapSpan = (span: SpanView) => SpanMapping | undefined;

/** A mapping that says the kind. */
export interface MappedSpan extends SpanMapping {
  readonly kind: Verdict;
}

type OnProblem = ((kind: "map_span", error: unknown) => void) | undefined;

const KINDS: readonly unknown[] = ["TOOL", "AGENT", "LLM", "NONE", undefined];

/** Session ids are short; anything longer is none. */
const MAX_SESSION_LENGTH = 1_024;

/** Asks the hook. What it throws, and an answer that cannot be used, is reported, and the span is read without it. */
export function askMapSpan(mapSpan: MapSpan, view: SpanView, onProblem: OnProblem): SpanMapping | undefined {
  try {
    const answer: unknown = mapSpan(view);
    if (answer === undefined || answer === null) return undefined;
    const mistake = mistakeIn(answer);
    if (mistake === undefined) return copyOf(answer as SpanMapping);
    report(onProblem, new TypeError(`mapSpan answered with ${mistake}`));
  } catch (error) {
    report(onProblem, new HostFault(`mapSpan threw ${typeOf(error)}`, messageOf(error)));
  }
  return undefined;
}

function report(onProblem: OnProblem, error: Error): void {
  try {
    onProblem?.("map_span", error);
  } catch {
    // Whoever counts problems must not become one.
  }
}

/** The hook as a convention, so that what it says goes before all others. */
export function mappedConvention(mapped: SpanMapping): Convention {
  const { name, call_id: callId, args, failed } = mapped;
  return {
    name: "map-span",
    markers: [],
    rules: [],
    tool: (_, keep) => ({ name, callId, args: keep(args) }),
    agent: () => name,
    ...(failed === undefined ? {} : { failed: () => failed }),
  };
}

function mistakeIn(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return `a ${typeof answer}`;
  if (typeof (answer as { then?: unknown }).then === "function") {
    // Nobody waits for it, so that its failure would end the host's process.
    Promise.resolve(answer).catch(() => undefined);
    return "a promise; it must answer at once";
  }
  const { kind, name, call_id, failed, session_id } = answer as Record<string, unknown>;
  if (!KINDS.includes(kind)) return "a kind that is none of TOOL, AGENT, LLM, NONE";
  if (!isTextOrAbsent(name)) return "a name that is no text";
  if (!isTextOrAbsent(call_id)) return "a call_id that is no text";
  if (!isTextOrAbsent(session_id)) return "a session_id that is no text";
  return failed === undefined || typeof failed === "boolean" ? undefined : "a failed that is neither true nor false";
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

/** An empty text says nothing; the answer itself may change after it was given. */
function copyOf({ kind, name, call_id, args, failed, session_id }: SpanMapping): SpanMapping {
  return {
    kind,
    name: name === "" ? undefined : name,
    call_id: call_id === "" ? undefined : call_id,
    args,
    failed,
    session_id: session_id === "" || (session_id?.length ?? 0) > MAX_SESSION_LENGTH ? undefined : session_id,
  };
}
