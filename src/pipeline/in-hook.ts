import { SLICE_CELLS } from "../align/alignment.ts";
import type { Sliced } from "../align/sliced.ts";
import type { ScoreResult } from "../model/result.ts";
import type { SpanAnnotation } from "../model/span.ts";

/** Most bytes of a trace that is scored while its root ends: reading more takes the host's `end()` too long. */
export const MOST_BYTES_IN_HOOK: number = 512 * 1024;
/** The same for what its spans say is expected: characters of a text, members of a list. */
const MAX_TEXT = 8 * 1024;
const MAX_LIST = 200;

/** Work that a hook may do for one score: some milliseconds. Two lists of a thousand with nothing in common. */
const MOST_CELLS_IN_HOOK = 1_000_000;

/** Whether reading what a span says is expected, and comparing with it, could take long. */
export function isLarge({ expected_steps, expected_tools, expected_calls }: SpanAnnotation): boolean {
  return [expected_steps, expected_tools, expected_calls].some((column) =>
    typeof column === "string" ? column.length > MAX_TEXT : Array.isArray(column) && column.length > MAX_LIST,
  );
}

/** What takes longer than a hook may comes later, with the events. */
export function goOnInHook(work: Sliced<ScoreResult>): ScoreResult | Promise<ScoreResult> {
  for (let cells = 0; cells < MOST_CELLS_IN_HOOK; cells += SLICE_CELLS) {
    const slice = work.next();
    if (slice.done === true) return slice.value;
  }
  return new Promise(() => undefined);
}
