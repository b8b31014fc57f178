import type { NonEvaluable } from "../model/result.ts";
import type { Kind } from "../model/span.ts";
import type { Occurrence } from "../model/trajectory.ts";
import { nonEvaluable } from "./verdict.ts";

/**
 * The guards that look at the unit, in the order of the contract: `kinds_missing`, then `steps_not_recorded`. What
 * goes before them (the work limit, the expectation) and after them (`no_tool_calls`) is the scorer's to ask.
 */
export function guardUnit(
  occurrence: Pick<Occurrence, "kinds" | "unread">,
  needs: readonly Kind[],
  list: "steps" | "tools",
): NonEvaluable | undefined {
  const { kinds, unread } = occurrence;
  if (Array.isArray(kinds) && !needs.some((kind) => kinds.includes(kind))) return nonEvaluable("kinds_missing");
  if (Array.isArray(unread) && unread.includes(list)) return nonEvaluable("steps_not_recorded");
  return undefined;
}
