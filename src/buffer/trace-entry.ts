import type { ContextualExpectation } from "../model/resolution.ts";
import type { IncompleteReason } from "../model/trajectory.ts";
import type { Due } from "./deadlines.ts";
import { HeldSpans } from "./held-spans.ts";
import type { Linked } from "./idle-list.ts";
import { SpanIndex } from "./span-index.ts";

/**
 * Where a trace is. `open`: spans come. `finished`: it is, or is about to be, scored, and late spans re-score it.
 * `closed`: its window is over and it is forgotten.
 */
export type TraceState = "open" | "finished" | "closed";

/** Why a trace was finished: on its own, or made to. */
export type FinishCause = "complete" | "late_spans" | "idle" | "age" | "evicted" | "flush" | "drain" | "shutdown";

const NO_REASONS: ReadonlySet<IncompleteReason> = new Set();
const NO_EXPECTATIONS: readonly ContextualExpectation[] = Object.freeze([]);

/** One trace in the buffer. Its fields are the buffer's to write and everybody's to read. */
export class TraceEntry implements Due, Linked {
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
  /** Ended spans; of several with one id the first that ended stays. */
  readonly spans: HeldSpans = new HeldSpans();
  /** Spans that are known by id: local roots, parents, and those that are held. */
  readonly index: SpanIndex = new SpanIndex(this.spans);
  /** Spans that have started and not ended. */
  open_count = 0;
  /** Spans that have started and not ended, and that were one too many to be known. */
  refused = 0;
  /** A parent came up that may be one of the spans that are only counted: from now on every span is held. */
  keep_leaves = false;
  /** Ended spans of this unit, held or let go. */
  spans_ended = 0;
  /** Held spans whose id had come before; counted when the trace was last read. */
  duplicates = 0;
  /** Whether held spans may be of some kind (`MARKED`), or say what is expected (`ANNOTATED`). */
  says = 0;
  /** Local roots that have started and not ended. */
  open_roots = 0;
  /** When the last open local root ended; undefined while one is open. */
  roots_ended_at: number | undefined = undefined;
  /** A start was seen: completion can be told from the count of open spans. */
  start_seen = false;
  /** Id of the first span that was seen, started or ended. */
  first_span_id: string;
  last_at: number;
  /** Spans that are only counted have started or ended since `last_at`: nobody looked at the clock for those. */
  stirred = false;
  /** Looked at since `last_at`, and nothing had stirred. */
  quiet = false;
  /** End of the re-scorable window; meaningful once finished. */
  window_until = 0;
  bytes = 0;
  /** It was scored before: it is followed, and nothing is said of it. */
  readonly silent: boolean;
  /** Ended spans counted as held for this trace and not yet released to scorers. */
  held = 0;
  /** When the trace is ready again because of late spans; undefined when none wait. */
  reread_at: number | undefined = undefined;
  /** Something came since the trace was last read. */
  dirty = false;
  /** It waits in the buffer's ready list. */
  ready = false;
  /** How many times it was handed over for scoring. */
  readings = 0;
  /** Made when there is one: most traces have none. */
  #reasons: Set<IncompleteReason> | undefined = undefined;
  /** Expectations that context carried to the start of its spans; distinct objects. */
  contextual: readonly ContextualExpectation[] = NO_EXPECTATIONS;
  /** The session id that was read last off a leaf of no kind, and which span that is beneath. */
  #said: { readonly parent_id: string; readonly rank: number; readonly value: string } | undefined = undefined;
  /** Session id that context or baggage carried to the start of a span; the first stays. */
  context_session: string | undefined = undefined;

  constructor(trace_id: string, first_span_id: string, serial: number, now: number, silent = false) {
    this.trace_id = trace_id;
    this.silent = silent;
    this.first_span_id = first_span_id;
    this.serial = serial;
    this.created_at = now;
    this.last_at = now;
  }

  get reasons(): ReadonlySet<IncompleteReason> {
    return this.#reasons ?? NO_REASONS;
  }

  addReason(reason: IncompleteReason): void {
    this.#reasons ??= new Set();
    this.#reasons.add(reason);
  }

  /**
   * Whether a leaf of no kind has said the same of the session as the one before it, beneath the same span. Such a second
   * one has no influence on which session the trace is part of, nor on whether its spans agree; the first is held.
   */
  hasSaid(parentId: string, rank: number, value: string): boolean {
    const said = this.#said;
    if (said?.parent_id === parentId && said.rank === rank && said.value === value) return true;
    this.#said = { parent_id: parentId, rank, value };
    return false;
  }

  /** Whether a span that starts is a local root. */
  isRoot(parentId: string, remote: boolean): boolean {
    if (parentId === "") return true;
    const unknown = this.index.find(parentId) === undefined;
    // A parent that is named by id alone may be one of the spans that are only counted; so may one that is said to be
    // remote, where a context has left this process and come back.
    const guessed = unknown && this.anonymous > 0;
    if (guessed) this.keep_leaves = true;
    return remote || (unknown && !guessed);
  }

  /** Lets go of everything that was held; hosts may keep their spans, and with them this, for as long as they like. */
  clear(): void {
    this.spans.clear();
    this.index.clear();
    this.open_count = 0;
    this.contextual = NO_EXPECTATIONS;
  }

  /** Open spans that are known by nothing: neither local roots nor parents. */
  get anonymous(): number {
    return this.open_count - this.index.open_count;
  }
}
