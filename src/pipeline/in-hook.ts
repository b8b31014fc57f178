import { SLICE_CELLS } from "../align/alignment.ts";
import type { Sliced } from "../align/sliced.ts";
import type { ScoreResult } from "../model/result.ts";
import type { SpanAnnotation } from "../model/span.ts";
import type { Clock } from "./timers.ts";

/** Most bytes of a trace that is scored while its root ends: reading more takes the host's `end()` too long. */
export const MOST_BYTES_IN_HOOK: number = 512 * 1024;
/** The same for what its spans say is expected: characters of a text, members of a list. */
const MAX_TEXT = 8 * 1024;
const MAX_LIST = 200;

/** Work that a hook may do for one score: some milliseconds. Two lists of a thousand with nothing in common. */
const MOST_CELLS_IN_HOOK = 1_000_000;
/** A machine that takes as long for less, or code that is not compiled yet, must not hold the host's `end()` for it all. */
const MOST_MILLIS_IN_HOOK = 100;

/** Whether reading what a span says is expected, and comparing with it, could take long. */
export function isLarge({ expected_steps, expected_tools, expected_calls }: SpanAnnotation): boolean {
  return [expected_steps, expected_tools, expected_calls].some((column) =>
    typeof column === "string" ? column.length > MAX_TEXT : Array.isArray(column) && column.length > MAX_LIST,
  );
}

/** Does the work of one hook that begins now; what takes longer than a hook may comes later, with the events. */
export function hookWork(clock: Pick<Clock, "now">): (work: Sliced<ScoreResult>) => ScoreResult | Promise<ScoreResult> {
  const until = clock.now() + MOST_MILLIS_IN_HOOK;
  return (work) => {
    for (let cells = 0; cells < MOST_CELLS_IN_HOOK && clock.now() < until; cells += SLICE_CELLS) {
      const slice = work.next();
      if (slice.done === true) return slice.value;
    }
    return new Promise(() => undefined);
  };
}
