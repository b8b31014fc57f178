import type { AssembledTrace, SpanRef } from "../model/assembled.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { IncompleteReason, Unit } from "../model/trajectory.ts";

/** What every result of one unit shares. */
export interface ScoredUnit {
  readonly unit: Unit;
  readonly unit_id: string;
  readonly complete: boolean;
  /** Why it is not; `remote_parent` may stand here although the unit is complete. */
  readonly incomplete_reasons: readonly IncompleteReason[];
  /** The span in whose context results are emitted: the entry agent's, else the local root (session: of its last trace). */
  readonly target: SpanRef | undefined;
  readonly local_root: SpanRef | undefined;
  /** Local roots of all its traces. */
  readonly roots: readonly SpanRef[];
  readonly agent: string | undefined;
  readonly session_id: string | undefined;
  readonly trace_ids: readonly string[];
}

/** One result of one unit, at one revision. */
export interface EmittedEvaluation {
  readonly unit: ScoredUnit;
  readonly evaluation: Evaluation;
  readonly evaluation_id: string;
  readonly revision: number;
}

/** The little that metrics need of a result, kept until the unit's window closes. */
export interface RecordedResult {
  readonly metric_name: string;
  readonly unit: Unit;
  readonly complete: boolean;
  readonly agent: string | undefined;
  readonly status: "scored" | "non_evaluable" | "error";
  readonly reason: string | undefined;
  readonly label: string | undefined;
  readonly score: number | undefined;
}

/** Where results go. A sink is guarded: what it throws is counted and said, and stops nothing. */
export interface Sink {
  /** A result, new or revised, that is to be emitted. */
  emit(evaluation: EmittedEvaluation): void;
  /** Some results of a unit are there and others on their way: what there is so far. */
  unitPartlyScored(unit: ScoredUnit, evaluations: readonly EmittedEvaluation[]): void;
  /** Every result of one unit at one revision is there, emitted or not. */
  unitScored(unit: ScoredUnit, evaluations: readonly EmittedEvaluation[], trace: AssembledTrace | undefined): void;
  /** A trace will never be scored. */
  unitDropped(traceId: string): void;
  /** A unit's result as metrics know it, once. */
  record(result: RecordedResult): void;
  /** A recorded score has changed; the first value stays. */
  correct(result: RecordedResult): void;
  /** One evaluation has been made; it says how long it took. */
  time(unit: ScoredUnit, evaluation: Evaluation): void;
  /** A trace outside the sample would have been scored under this metric name. */
  skip(metricName: string): void;
}

/** Hears everything and says nothing; sinks differ from it in what they do. */
export const SILENT_SINK: Sink = {
  emit: () => undefined,
  unitPartlyScored: () => undefined,
  unitScored: () => undefined,
  unitDropped: () => undefined,
  record: () => undefined,
  correct: () => undefined,
  time: () => undefined,
  skip: () => undefined,
};
