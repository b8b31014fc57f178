import { createSpanReader, type SpanReader } from "../conventions/read-span.ts";
import type { AssembledTrace } from "../model/assembled.ts";
import type { SpanFacts, SpanView } from "../model/span.ts";
import type { TrajectoryOptions, Unit } from "../model/trajectory.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { callUnits, type PreparedUnit, sessionUnit, stepUnit, trajectoryUnit } from "../pipeline/units.ts";
import { assembleTrace } from "../trajectory/assemble.ts";
import { sessionsOf } from "../trajectory/occurrence.ts";

export interface CollectorOptions {
  readonly trajectory: TrajectoryOptions;
  /** Keeps attributes of every span, for rules that match on them; offline any span may turn out to be a local root. */
  readonly keepAttributes: boolean;
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
  /** By file (all in one unless `perFile`), then by trace id, in order of appearance. */
  readonly #files = new Map<number, Map<string, SpanFacts[]>>();
  #seq = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#reader = createSpanReader({ keepAttributes: options.keepAttributes ? "all" : "none" });
  }

  get spans(): number {
    return this.#seq;
  }

  add(views: readonly SpanView[], file: number): void {
    const key = this.#options.perFile ? file : 0;
    let traces = this.#files.get(key);
    if (traces === undefined) {
      traces = new Map();
      this.#files.set(key, traces);
    }
    for (const view of views) {
      // Our own evaluation spans are about a run, no part of it.
      if (view.scope_name === SCOPE_NAME) continue;
      const facts = this.#reader.read(view, this.#seq);
      this.#seq += 1;
      const held = traces.get(view.trace_id);
      if (held === undefined) traces.set(view.trace_id, [facts]);
      else held.push(facts);
    }
  }

  /**
   * The units of the kinds that are asked for, traces before sessions; the spans are let go on the way. `members`: LLM
   * calls are counted as members, which takes reading their outputs.
   */
  *units(kinds: ReadonlySet<Unit>, members = false): Generator<CollectedUnit> {
    for (const traces of this.#files.values()) {
      const kept: AssembledTrace[] = [];
      for (const [traceId, spans] of traces) {
        const trace = assembleTrace(spans, { ...this.#options.trajectory, members });
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
