import type { ExpectedStep } from "../model/expectation.ts";
import { knotsOf } from "./knots.ts";
import { type Element, elementsOf, type ObservedRun } from "./observed.ts";
import { commonSupersequence } from "./supersequence.ts";

/** Work that merging one knot may take. */
const CELLS = 4_000_000;

/**
 * One list of expected steps that every one of the runs follows: a step that all runs took is a name, one that some
 * left out is optional, and those that came in different orders are a group.
 *
 * A group cannot hold optional steps. Where steps both change places and are left out, they become a common list of
 * which each run is a part, with the steps optional that some run does not use; it accepts more than was seen, and says
 * so to whoever reviews it. Empty when no run has a step. O(steps), and the square of such tangled parts; undefined
 * when that is too much.
 */
export function mergeRuns(runs: readonly ObservedRun[]): ExpectedStep[] | undefined {
  const all = elementsOf(runs);
  const merged: ExpectedStep[] = [];
  for (const knot of knotsOf(all)) {
    const steps = stepsOf(knot, all.sequences);
    if (steps === undefined) return undefined;
    for (const step of steps) merged.push(step);
  }
  return merged;
}

function stepsOf(knot: readonly Element[], sequences: readonly (readonly Element[])[]): ExpectedStep[] | undefined {
  const always = knot.every((element) => element.runs === sequences.length);
  if (knot.length === 1) {
    const name = (knot[0] as Element).name;
    return [always ? name : { optional: name }];
  }
  if (always) return [knot.map((element) => element.name)];
  const members = new Set(knot);
  const parts = sequences.map((sequence) => sequence.filter((element) => members.has(element)));
  // By name, not by element: the second `search` of one run may well be the first of another.
  const names = parts.map((part) => part.map((element) => element.name));
  const slots = commonSupersequence(names, CELLS);
  return slots?.map(({ item, uses }) => (uses === sequences.length ? item : { optional: item }));
}
