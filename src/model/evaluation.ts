import type { Expectation } from "./expectation.ts";
import type { ScoreResult } from "./result.ts";
import type { Scorer } from "./scorer.ts";
import type { Occurrence } from "./trajectory.ts";

/** One scorer's word on one unit, with everything that emission and reports say beside it. */
export interface Evaluation {
  readonly scorer: Scorer;
  /** The unit as scored; its `expectation` is the one column that was used. */
  readonly occurrence: Occurrence;
  readonly result: ScoreResult;
  /** The expectation that supplied the column; absent when none resolved. */
  readonly expectation: Expectation | undefined;
  /** Digest of what the source supplied; empty when none resolved. */
  readonly expectation_digest: string;
  /** Why an expectation failed to resolve; empty otherwise. */
  readonly message: string;
  /** Time spent scoring, in seconds. */
  readonly duration_s: number;
}
