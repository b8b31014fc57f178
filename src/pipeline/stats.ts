/** Why an ended span was not scored. */
export type DropReason = "late" | "duplicate" | "span_limit" | "not_sampled" | "after_shutdown" | "backlog";

/**
 * What the processor has seen and holds. In ended spans, exactly:
 * `seen = released + held + dropped.late + dropped.duplicate + dropped.span_limit + dropped.not_sampled + dropped.after_shutdown +
 * dropped.backlog`.
 */
export interface TrajectoryStats {
  readonly spans: {
    /** Ended spans that reached the processor, own telemetry aside. */
    readonly seen: number;
    /** Spans of units that were released to scorers, each once. */
    readonly released: number;
    /** Spans held for a unit that is not scored yet. */
    readonly held: number;
    readonly dropped: Readonly<Record<DropReason, number>>;
    /** Spans that came after their trace had been scored, whether they joined it or not. */
    readonly late: number;
  };
  readonly traces: {
    readonly open: number;
    /** Scored or about to be, and still re-scorable. */
    readonly finished: number;
    /** Over, and about to be scored: many only where the host gives nobody a turn. */
    readonly waiting: number;
    readonly scored: number;
    readonly revised: number;
    readonly evicted: number;
    /** Never scored: they waited for a turn that the host did not give, until they took more than `maxBufferedBytes`. */
    readonly dropped: number;
  };
  readonly sessions: { readonly open: number; readonly scored: number; readonly evicted: number };
  /** Estimated bytes of everything held. */
  readonly buffered_bytes: number;
  readonly evaluations: {
    readonly emitted: number;
    /** Results by status, or by reason where there is one; every revision counts. */
    readonly results: Readonly<Record<string, number>>;
    /** Asynchronous evaluations under way. */
    readonly pending: number;
  };
  /** Faults that were caught, by the place where they happened. */
  readonly problems: Readonly<Record<string, number>>;
}
