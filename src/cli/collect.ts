import { createSpanReader, type SpanReader } from "../conventions/read-span.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import { PackedSpans } from "../model/packed-spans.ts";
import type { AttributeMap, SpanView } from "../model/span.ts";
import type { TrajectoryOptions, Unit } from "../model/trajectory.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { callUnits, type PreparedUnit, sessionUnit, stepUnit, trajectoryUnit } from "../pipeline/units.ts";
import { assembleTrace } from "../trajectory/assemble.ts";
import { sessionsOf } from "../trajectory/occurrence.ts";
import type { SpanTaker } from "../wire/from-otlp-json.ts";
import { PlainSpans } from "./plain-spans.ts";
import { type HeldSpan, SpanSieve } from "./trace-spans.ts";

export interface CollectorOptions {
  readonly trajectory: TrajectoryOptions;
  /** Attributes that somebody asks for, on any span: offline any span may turn out to be a local root. */
  readonly attributes: readonly string[];
  /** One trace in two files is two traces. */
  readonly perFile: boolean;
}

/** A unit of the input with the session id that its spans gave it. */
export interface CollectedUnit extends PreparedUnit {
  readonly given_session_id: string | undefined;
}

/** Spans in, units out. Holds what a trajectory needs of each span, nothing else. */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #reader: SpanReader;
  readonly #packed = new PackedSpans();
  readonly #plain: PlainSpans;
  readonly #resources = new Map<string, AttributeMap>();
  /** By file (all in one unless `perFile`), then by trace id, in order of appearance. */
  readonly #files = new Map<number, Map<string, HeldSpan[]>>();
  #seq = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#reader = createSpanReader({ keepAttributes: options.attributes.length > 0 ? "all" : "none" });
    this.#plain = new PlainSpans(this.#reader, options.attributes);
  }

  /** Takes the spans of one file, by its place in the list of files. */
  takerOf(file: number): SpanTaker {
    const key = this.#options.perFile ? file : 0;
    const traces = this.#files.get(key) ?? new Map<string, HeldSpan[]>();
    this.#files.set(key, traces);
    return {
      resources: this.#resources,
      isPlain: (scope, name, keys) => this.#plain.has(scope, name, keys),
      take: (view, plain) => this.#take(view, plain, traces),
    };
  }

  #take(view: SpanView, plain: boolean, traces: Map<string, HeldSpan[]>): void {
    // Our own evaluation spans are about a run, no part of it.
    if (view.scope_name === SCOPE_NAME) return;
    const packed = plain ? this.#packed.add(view, this.#seq) : -1;
    const span = packed < 0 ? this.#reader.read(view, this.#seq) : packed;
    this.#seq += 1;
    const held = traces.get(view.trace_id);
    if (held === undefined) traces.set(view.trace_id, [span]);
    else held.push(span);
  }

  /**
   * The units of the kinds that are asked for, traces before sessions; the spans are let go on the way. `members`: LLM
   * calls are counted as members, which takes reading their outputs.
   */
  *units(kinds: ReadonlySet<Unit>, members = false): Generator<CollectedUnit> {
    for (const traces of this.#files.values()) {
      const sieve = new SpanSieve(this.#packed);
      const kept: AssembledTrace[] = [];
      for (const [traceId, spans] of traces) {
        const facts = sieve.sift(spans, traceId);
        const trace = assembleTrace(facts, { ...this.#options.trajectory, members });
        traces.delete(traceId);
        if (kinds.has("session")) kept.push(trace);
        for (const prepared of unitsOfTrace(trace, kinds)) yield { ...prepared, given_session_id: trace.session_id };
      }
      for (const session of sessionsOf(kept)) yield unitOfSession(session.traces, session.session_id);
    }
  }
}

function* unitsOfTrace(trace: AssembledTrace, kinds: ReadonlySet<Unit>): Generator<PreparedUnit> {
  const reasons = new Set(trace.reasons);
  if (kinds.has("call")) yield* callUnits(trace, reasons);
  if (kinds.has("step")) yield stepUnit(trace, reasons, []);
  if (kinds.has("trajectory")) yield trajectoryUnit(trace, reasons, []);
}

/** A trace without a session id is a session of its own, named after the trace. */
function unitOfSession(traces: readonly AssembledTrace[], sessionId: string | undefined): CollectedUnit {
  const held = traces.map((trace) => {
    const item = { trace, reasons: trace.reasons, first_span_id: "", contextual: [], bytes: 0 };
    return [trace.trace_id, item] as const;
  });
  const prepared = sessionUnit(sessionId ?? traces[0]?.trace_id ?? "", { traces: new Map(held), reasons: new Set() });
  return { ...prepared, given_session_id: sessionId };
}
