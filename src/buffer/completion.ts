import type { BufferLimits } from "./limits.ts";
import type { FinishCause, TraceEntry } from "./trace-entry.ts";

/**
 * How many times an open trace is looked at in `openIdleMillis`. Most spans leave only a mark that something stirred, so
 * that a trace is found idle up to one such part later than it was.
 */
const LOOKS = 4;

/** When a trace has to be looked at at the latest, whatever its state. */
export function dueAt(entry: TraceEntry, limits: BufferLimits): number {
  if (entry.state !== "open") return windowEnds(entry, limits);
  const { lateSpanMillis, openIdleMillis, idleMillis } = limits;
  const due = !entry.start_seen
    ? entry.last_at + idleMillis
    : entry.roots_ended_at !== undefined
      ? entry.roots_ended_at + lateSpanMillis
      : entry.last_at + (entry.quiet ? openIdleMillis : openIdleMillis / LOOKS);
  return Math.min(due, ageLimit(entry, limits));
}

/** When a finished trace is read again or closed: late spans that wait, and a span that is open, keep its window open. */
export function windowEnds(entry: TraceEntry, limits: BufferLimits): number {
  if (entry.reread_at !== undefined) return entry.reread_at;
  return entry.open_count > 0 ? Math.max(entry.window_until, ageLimit(entry, limits)) : entry.window_until;
}

/** What bounds every trace. */
export function ageLimit(entry: TraceEntry, limits: BufferLimits): number {
  return entry.created_at + limits.maxTraceMillis;
}

/** Why an open trace that is due at `now` is finished. */
export function causeAt(entry: TraceEntry, now: number, limits: BufferLimits): FinishCause {
  if (now >= ageLimit(entry, limits)) return "age";
  return entry.start_seen && entry.roots_ended_at !== undefined ? "late_spans" : "idle";
}

/** Whether the local roots that were seen have ended; without any start seen, whether a root ended at all. */
export function rootsEnded(entry: TraceEntry): boolean {
  if (entry.start_seen) return entry.open_roots === 0;
  return entry.spans.hasRoot;
}

/** The trace was active, by the clock. */
export function markActive(entry: TraceEntry, now: number): void {
  entry.last_at = now;
  entry.stirred = false;
  entry.quiet = false;
}

/**
 * Takes in what has stirred since the trace was last looked at. Gives whether the trace, which is open and due, is not
 * idle after all.
 */
export function wasActive(entry: TraceEntry, now: number, limits: BufferLimits): boolean {
  if (entry.stirred) markActive(entry, now);
  else entry.quiet = true;
  return dueAt(entry, limits) > now;
}
