import type { Sliced } from "../align/sliced.ts";
import type { Evaluation } from "../model/evaluation.ts";
import type { ScoreResult } from "../model/result.ts";
import { evaluationId } from "./evaluation-id.ts";
import { fingerprint, hashLists } from "./fingerprint.ts";
import type { EmittedEvaluation, RecordedResult, ScoredUnit } from "./sink.ts";

/** Reasons that live traffic counts without emitting them: most traces have no expectation, and that is no news. */
const SILENT: ReadonlySet<string> = new Set(["no_expectation", "kinds_missing", "not_sampled"]);

interface Line {
  /** Fixed when the first result is emitted. */
  id: string;
  /** Revision of the last emitted result; -1 before the first. */
  revision: number;
  fingerprint: number;
  /** Number of the reading that the line comes from; an older one that arrives later is ignored. */
  reading: number;
  latest: RecordedResult;
  recorded: RecordedResult | undefined;
}

/** What a new result means: whether to emit it, and whether a recorded score changed. */
export interface Posting {
  readonly emitted: EmittedEvaluation | undefined;
  readonly corrected: RecordedResult | undefined;
}

const NOTHING: Posting = { emitted: undefined, corrected: undefined };

/** The results of one unit over its revisions: one line per scorer, and no more than metrics and revisions need. */
export class Ledger {
  readonly #firstSpanId: string;
  readonly #lines = new Map<string, Line>();
  /** Readings whose results are not all there. */
  pending = 0;

  constructor(firstSpanId: string) {
    this.#firstSpanId = firstSpanId;
  }

  /** Takes one result of reading number `reading`. */
  post(unit: ScoredUnit, evaluation: Evaluation, reading: number): Posting {
    const { metric_name } = evaluation.scorer;
    const latest = recordOf(unit, evaluation);
    const fingerprint = fingerprintOf(unit, evaluation);
    const line = this.#lines.get(metric_name);
    if (line === undefined) {
      const fresh: Line = { id: "", revision: -1, fingerprint, reading, latest, recorded: undefined };
      this.#lines.set(metric_name, fresh);
      return isSilent(latest) ? NOTHING : { emitted: this.#emit(fresh, unit, evaluation), corrected: undefined };
    }
    if (reading < line.reading) return NOTHING;
    line.reading = reading;
    if (fingerprint === line.fingerprint) return NOTHING;
    line.fingerprint = fingerprint;
    line.latest = latest;
    const corrected = line.recorded !== undefined && line.recorded.score !== latest.score ? latest : undefined;
    const quiet = isSilent(latest) && line.revision < 0;
    return { emitted: quiet ? undefined : this.#emit(line, unit, evaluation), corrected };
  }

  /** The results that have not been recorded yet; from now on they count as recorded. */
  takeUnrecorded(): RecordedResult[] {
    const results: RecordedResult[] = [];
    for (const line of this.#lines.values()) {
      if (line.recorded !== undefined) continue;
      line.recorded = line.latest;
      results.push(line.latest);
    }
    return results;
  }

  #emit(line: Line, unit: ScoredUnit, evaluation: Evaluation): EmittedEvaluation {
    if (line.revision < 0) {
      line.id = evaluationId(unit.unit_id, evaluation.scorer, evaluation.expectation_digest, this.#firstSpanId);
    }
    line.revision += 1;
    return { unit, evaluation, evaluation_id: line.id, revision: line.revision };
  }
}

function isSilent(result: RecordedResult): boolean {
  return result.reason !== undefined && SILENT.has(result.reason);
}

/** What metrics need of a result. */
export function recordOf(unit: ScoredUnit, evaluation: Evaluation): RecordedResult {
  const { result, scorer } = evaluation;
  return {
    metric_name: scorer.metric_name,
    unit: unit.unit,
    complete: unit.complete,
    agent: unit.agent,
    status: result.status,
    reason: result.status === "non_evaluable" ? result.reason : undefined,
    label: result.status === "scored" ? result.label : undefined,
    score: result.status === "scored" ? result.score : undefined,
  };
}

/** Does in slices what {@link Ledger.post} would take time for. */
export function* prepareResult(result: ScoreResult): Sliced<undefined> {
  return "metadata" in result && result.metadata !== undefined ? yield* hashLists(result.metadata) : undefined;
}

/** A result and what comes after it, as work. */
export function* withPreparedResult(work: Sliced<ScoreResult>): Sliced<ScoreResult> {
  const result = yield* work;
  yield* prepareResult(result);
  return result;
}

/** Of everything that makes two results differ. */
function fingerprintOf(unit: ScoredUnit, { result }: Evaluation): number {
  const { complete, incomplete_reasons } = unit;
  try {
    return fingerprint([result, complete, incomplete_reasons]);
  } catch {
    // A custom scorer's metadata may hold a ring, or throw; then a reading counts as changed only if the score is.
    return fingerprint([result.status, result.status === "scored" ? result.score : null, complete]);
  }
}
