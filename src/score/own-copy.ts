import type { Occurrence, Step } from "../model/trajectory.ts";
import { unsettle } from "./path/shared-work.ts";

/**
 * A copy for code of the host, which may sort, cut or change what it is given; no scorer may see that. Where something
 * cannot be cloned (a function among arguments), or nothing can, its lists and steps are its own, and what they hold is not.
 */
export function ownCopy(occurrence: Occurrence): Occurrence {
  try {
    return structuredClone(occurrence);
  } catch {
    const { steps, tools } = occurrence;
    return { ...occurrence, steps: copied(steps), ...(tools === undefined ? {} : { tools: copied(tools) }) };
  }
}

function copied(list: readonly Step[]): Step[] {
  unsettle(list);
  return list.map((step) => ({ ...step }));
}
