import { z } from "zod";
import type { SessionTrace } from "../buffer/session-buffer.ts";
import type { AssembledTrace, PlacedStep } from "../model/assembled.ts";
import { messageOf } from "../model/errors.ts";

/** What the trace stage tells the session stage: a finished trace of a session, or that it is not of that session after all. */
export interface SessionMessage {
  readonly session_id: string;
  /** The trace's id and that of its first span: tells units of one trace id apart. */
  readonly key: string;
  /** How many times the trace had been read before. */
  readonly revision: number;
  /** Undefined: the trace, read again, belongs to another session. */
  readonly trace: SessionTrace | undefined;
}

/** Changes with everything that an older reader could not take. */
const FORMAT = 1;

type Lists = Pick<AssembledTrace, "steps" | "tools">;

/**
 * Writes a message. Steps are there once, in a list of their own, and lists name them by their places.
 *
 * @param content whether arguments of calls are needed: they are left out otherwise
 */
export function writeSessionMessage({ trace, ...head }: SessionMessage, content: boolean): Buffer {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...head, ...written(trace, content) }, bigintAsText));
}

function written(held: SessionTrace | undefined, content: boolean): object {
  if (held === undefined) return {};
  const { trace, contextual: _, ...rest } = held;
  const places = new Map<PlacedStep, number>();
  const placeOf = (placed: PlacedStep): number => {
    const place = places.get(placed) ?? places.size;
    places.set(placed, place);
    return place;
  };
  const listed = ({ steps, tools }: Lists): object => ({ steps: steps.map(placeOf), tools: tools.map(placeOf) });
  const { before_failed_calls: before, ...facts } = trace;
  const lists = {
    ...listed(trace),
    ...(before === undefined ? {} : { before_failed_calls: { option: before.option, ...listed(before) } }),
  };
  const placed = [...places.keys()].map((each) => (content ? each : withoutArguments(each)));
  return { trace: { ...facts, ...lists }, placed, ...rest };
}

function withoutArguments(placed: PlacedStep): PlacedStep {
  const { args: _, ...step } = placed.step;
  return { ...placed, step };
}

/** The one member of the object that stands for an integer beyond 2^53. */
const BIGINT = "$bigint";

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? { [BIGINT]: value.toString() } : value;
}

function textAsBigint(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const text = (value as Record<string, unknown>)[BIGINT];
  return typeof text === "string" && /^-?\d+$/.test(text) && Object.keys(value).length === 1 ? BigInt(text) : value;
}

const attributes = z.record(z.string(), z.unknown());
const place = z.int().nonnegative();
const lists = { steps: z.array(place), tools: z.array(place) };
const spanRef = z.object({ trace_id: z.string(), span_id: z.string(), trace_flags: z.number(), name: z.string() });
const kinds = z.array(z.enum(["TOOL", "AGENT", "LLM"]));
const unread = z.array(z.enum(["steps", "tools"]));

const schema = z.object({
  format: z.literal(FORMAT),
  session_id: z.string().min(1),
  key: z.string().min(1),
  revision: z.int().nonnegative(),
  trace: z
    .looseObject({
      ...lists,
      trace_id: z.string(),
      kinds,
      unread,
      session_id: z.string().optional(),
      session_conflict: z.boolean(),
      session_end: z.boolean(),
      egress: z.enum(["permitted", "forbidden", "unknown"]),
      entry_agent: spanRef.optional(),
      local_root: spanRef.optional(),
      root_start_s: z.number(),
      root_start_n: z.number(),
      root_attributes: attributes,
      agent_attributes: attributes,
      resource: attributes,
      annotations: z.array(z.looseObject({ span_id: z.string() })),
      reasons: z.array(z.string()),
      span_count: z.number(),
      before_failed_calls: z.object({ ...lists, option: z.enum(["ignore", "collapse"]) }).optional(),
    })
    .optional(),
  placed: z
    .array(
      z.object({
        step: z.looseObject({ kind: z.enum(["TOOL", "AGENT"]), name: z.string() }),
        start_s: z.number(),
        start_n: z.number(),
        place: z.number(),
      }),
    )
    .default([]),
  reasons: z.array(z.string()).default([]),
  first_span_id: z.string().default(""),
  bytes: z.number().nonnegative().default(0),
});

/** Reads a message. @throws Error for what is none of this format; its words quote nothing */
export function readSessionMessage(value: Buffer): SessionMessage {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString("utf8"), textAsBigint);
  } catch (error) {
    throw new Error(`not JSON: ${messageOf(error).split(",")[0]?.slice(0, 80)}`);
  }
  const read = schema.safeParse(parsed);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`no session message of format ${FORMAT}: ${issue?.path.join(".")}: ${issue?.message}`);
  }
  const { session_id, key, revision, trace, placed, reasons, first_span_id, bytes } = read.data;
  if (trace === undefined) return { session_id, key, revision, trace: undefined };
  const listed = (given: { readonly steps: readonly number[]; readonly tools: readonly number[] }): Lists => ({
    steps: given.steps.map((at) => stepAt(placed, at)),
    tools: given.tools.map((at) => stepAt(placed, at)),
  });
  const before = trace.before_failed_calls;
  const assembled = {
    ...trace,
    ...listed(trace),
    ...(before === undefined ? {} : { before_failed_calls: { option: before.option, ...listed(before) } }),
  } as unknown as AssembledTrace;
  const held = { trace: assembled, reasons, first_span_id, contextual: [], bytes } as unknown as SessionTrace;
  return { session_id, key, revision, trace: held };
}

function stepAt(placed: readonly unknown[], at: number): PlacedStep {
  const step = placed[at];
  if (step === undefined) throw new Error(`no session message of format ${FORMAT}: there is no step ${at}`);
  return step as PlacedStep;
}
