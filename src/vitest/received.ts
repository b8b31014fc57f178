import type { SpanRecord } from "../model/span.ts";
import type { Occurrence } from "../model/trajectory.ts";
import { type TrajectoryOfOptions, trajectoryOf } from "../pipeline/trajectory-of.ts";
import { oneLine } from "../report/one-line.ts";

/** What the matchers can look at: an occurrence, spans, or what a capture gave. */
export type Received =
  | Occurrence
  | readonly SpanRecord[]
  | { readonly spans: readonly SpanRecord[]; readonly open?: readonly string[] };

/** The one trajectory that is meant, with a remark on what is missing of it, or why there is none. */
export type ReadReceived =
  | { readonly ok: true; readonly occurrence: Occurrence; readonly remark: string }
  | { readonly ok: false; readonly message: string };

/** Finds the trajectory in what `expect` was given. Never throws. */
export function readReceived(received: unknown, options: TrajectoryOfOptions): ReadReceived {
  if (typeof received !== "object" || received === null) return refused("an occurrence, spans, or what a capture gave");
  if (Array.isArray(received)) return ofSpans(received, [], options);
  const { spans, steps, open } = received as { spans?: unknown; steps?: unknown; open?: unknown };
  if (Array.isArray(spans)) return ofSpans(spans, Array.isArray(open) ? open : [], options);
  if (Array.isArray(steps)) return { ok: true, occurrence: received as Occurrence, remark: "" };
  return refused("an occurrence, spans, or what a capture gave");
}

function refused(expected: string): ReadReceived {
  return { ok: false, message: `expected ${expected}` };
}

function ofSpans(spans: readonly SpanRecord[], open: readonly unknown[], options: TrajectoryOfOptions): ReadReceived {
  const remark = open.length === 0 ? "" : `still open: ${open.map((name) => oneLine(String(name))).join(", ")}`;
  try {
    const all = trajectoryOf(spans, options);
    // A request that was made beside the agent's run is no run of an agent.
    const runs = all.filter((occurrence) => occurrence.kinds?.length !== 0);
    const [first] = runs.length === 0 ? all : runs;
    if (runs.length <= 1 && first !== undefined) return { ok: true, occurrence: first, remark };
    const found = runs.length === 0 ? "no span" : `${runs.length}: ${runs.map(({ unit_id }) => unit_id).join(", ")}`;
    return refused(`the spans of one run, got ${found}${remark === "" ? "" : ` (${remark})`}`);
  } catch (error) {
    return { ok: false, message: (error as Error).message };
  }
}
