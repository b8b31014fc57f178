import type { PlacedStep } from "../model/assembled.ts";
import { normalizeName } from "../model/names.ts";
import type { Step, TrajectoryOptions } from "../model/trajectory.ts";

/**
 * Applies `failedCalls` to a finished list: `ignore` drops failed steps, `collapse` those that are directly followed
 * by a step of the same name, so that the last attempt stays.
 */
export function applyFailedCalls(
  steps: readonly PlacedStep[],
  option: TrajectoryOptions["failedCalls"],
): readonly PlacedStep[] {
  if (option === "ignore") return steps.filter(({ step }) => step.failed !== true);
  if (option !== "collapse") return steps;
  return steps.filter(({ step }, index) => {
    const next = steps[index + 1]?.step;
    return step.failed !== true || next === undefined || !isSameName(step, next);
  });
}

function isSameName(a: Step, b: Step): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind === "AGENT" ? a.name === b.name : normalizeName(a.name) === normalizeName(b.name);
}
