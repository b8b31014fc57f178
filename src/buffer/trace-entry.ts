import type { ContextualExpectation } from "../model/resolution.ts";
import type { SpanFacts } from "../model/span.ts";
import type { IncompleteReason } from "../model/trajectory.ts";
import type { Due } from "./deadlines.ts";
import type { Linked } from "./idle-list.ts";

/**
 * Where a trace is. `open`: spans come. `finished`: it is, or is about to be, scored, and late spans re-score it.
 * `closed`: its window is over and it is forgotten.
 */
export type TraceState = "open" | "finished" | "closed";

/** Why a trace was finished: on its own, or made to. */
export type FinishCause = "complete" | "late_spans" | "idle" | "age" | "evicted" | "flush" | "drain" | "shutdown";

/** One trace in the buffer. Its fields are the buffer's to write and everybody's to read. */
export class TraceEntry implements Due, Linked {
  due = 0;
  heap_key = 0;
  heap_index = -1;
  idle_previous: Linked | undefined = undefined;
  idle_next: Linked | undefined = undefined;

  readonly trace_id: string;
  /** Order of creation; tells two units of one trace id apart. */
  readonly serial: number;
  readonly created_at: number;
  state: TraceState = "open";
  cause: FinishCause = "complete";
  /** Ended spans, in the order in which they ended; the first of a span id stays. */
  readonly spans: SpanFacts[] = [];
  readonly ended: Set<string> = new Set();
  /** Started spans that have not ended -> whether it is a local root. */
  readonly open: Map<string, boolean> = new Map();
  open_roots = 0;
  /** When the last open local root ended; undefined while one is open. */
  roots_ended_at: number | undefined = undefined;
  /** A start was seen: completion can be told from the count of open spans. */
  start_seen = false;
  /** Id of the first span that was seen, started or ended. */
  first_span_id: string;
  last_at: number;
  /** End of the re-scorable window; meaningful once finished. */
  window_until = 0;
  bytes = 0;
  /** Ended spans counted as held for this trace and not yet released to scorers. */
  held = 0;
  /** Something came since the trace was last read. */
  dirty = false;
  /** It waits in the buffer's ready list. */
  ready = false;
  /** How many times it was handed over for scoring. */
  readings = 0;
  readonly reasons: Set<IncompleteReason> = new Set();
  /** Expectations that context carried to the start of its spans; distinct objects. */
  readonly contextual: ContextualExpectation[] = [];
  /** Session id that context or baggage carried to the start of a span; the first stays. */
  context_session: string | undefined = undefined;

  constructor(trace_id: string, first_span_id: string, serial: number, now: number) {
    this.trace_id = trace_id;
    this.first_span_id = first_span_id;
    this.serial = serial;
    this.created_at = now;
    this.last_at = now;
  }
}
