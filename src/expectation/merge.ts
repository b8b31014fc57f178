import { canonicalJson } from "../model/digest.ts";
import type { Column } from "../model/expectation.ts";
import type { ColumnResolution } from "../model/resolution.ts";
import type { Filling } from "./found.ts";
import { COLUMNS } from "./parse.ts";
import type { Found } from "./source.ts";

/**
 * Joins what several places of one source say about one unit.
 *
 * Per column: a failed one makes the column failed (the first in order is reported); equal values are one, with the
 * id and status of the first; two different values are `ambiguous_expectation`. O(places).
 *
 * @param source - Names the source in the message about two values.
 */
export function mergeFound(places: readonly Found[], source: string): Found {
  const merged: Filling = {};
  for (const column of COLUMNS) {
    const said = places.flatMap((found) => found[column] ?? []);
    const first = said.find((one) => one.state === "failed") ?? said[0];
    if (first === undefined) continue;
    merged[column] = first.state === "resolved" ? agreed(column, first, said, source) : first;
  }
  return merged;
}

function agreed(
  column: Column,
  first: ColumnResolution,
  said: readonly ColumnResolution[],
  source: string,
): ColumnResolution {
  // Mostly one span speaks, or all say the same text.
  if (said.every((one) => one === first)) return first;
  const values = new Set(
    said.flatMap((one) => (one.state === "resolved" ? canonicalJson(one.expectation[column]) : [])),
  );
  if (values.size <= 1) return first;
  const message = `${source}: ${values.size} different values of ${column} for one unit`;
  return { state: "failed", reason: "ambiguous_expectation", message };
}
