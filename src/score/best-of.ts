import { type Sliced, toSlices } from "../align/sliced.ts";
import type { ExpectedStep, ExpectedSteps } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";

/** What comparing one trajectory gives: a score, or why there is none. */
export type Compared =
  | { readonly status: "compared"; readonly score: number; readonly metadata: Record<string, unknown> }
  | Exclude<ScoreResult, { readonly status: "scored" }>;

/**
 * Compares with each acceptable trajectory and keeps the best score, the first of several; the metadata says which
 * (`trajectory_index`) of how many (`trajectory_count`). A plain list is compared as it is. Where one of several cannot
 * be compared, the best is unknown, and the reason is the answer.
 */
export function bestOf(
  expected: ExpectedSteps,
  compare: (expected: readonly ExpectedStep[]) => Compared | Sliced<Compared>,
): Compared | Sliced<Compared> {
  return "one_of" in expected ? bestOfSeveral(expected.one_of, compare) : compare(expected);
}

function* bestOfSeveral(
  trajectories: readonly (readonly ExpectedStep[])[],
  compare: (expected: readonly ExpectedStep[]) => Compared | Sliced<Compared>,
): Sliced<Compared> {
  let best: Compared | undefined;
  for (const [index, trajectory] of trajectories.entries()) {
    const compared = yield* toSlices(compare(trajectory));
    if (compared.status !== "compared") return compared;
    if (best?.status === "compared" && compared.score <= best.score) continue;
    const metadata = { ...compared.metadata, trajectory_index: index, trajectory_count: trajectories.length };
    best = { ...compared, metadata };
  }
  // There is at least one.
  return best as Compared;
}
