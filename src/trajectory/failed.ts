import type { PlacedStep } from "../model/assembled.ts";
import { normalizeName } from "../model/names.ts";
import type { Step, TrajectoryOptions } from "../model/trajectory.ts";
import type { Notes } from "./notes.ts";

/**
 * Applies `failedCalls` to a finished list: `ignore` drops failed steps, `collapse` those that are directly followed
 * by a step of the same name, so that the last attempt stays.
 */
export function applyFailedCalls(
  steps: readonly PlacedStep[],
  option: TrajectoryOptions["failedCalls"],
  notes?: Notes,
): readonly PlacedStep[] {
  if (option !== "ignore" && option !== "collapse") return steps;
  return steps.filter(({ step }, index) => {
    if (step.failed !== true) return true;
    const next = steps[index + 1]?.step;
    if (option === "ignore") notes?.add(step.span_id ?? "", "failed_ignored");
    else if (next === undefined || !isSameName(step, next)) return true;
    else notes?.add(step.span_id ?? "", "failed_retried", next.span_id);
    return false;
  });
}

function isSameName(a: Step, b: Step): boolean {
  if (a.kind !== b.kind) return false;
  return a.kind === "AGENT" ? a.name === b.name : normalizeName(a.name) === normalizeName(b.name);
}
