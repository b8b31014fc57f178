import type { BufferLimits } from "../buffer/limits.ts";
import type { SessionBuffer } from "../buffer/session-buffer.ts";
import type { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";

/** Whether more is held, or waits to be scored, than `maxBytes`. */
export function isOverLimit(traces: TraceBuffer, sessions: SessionBuffer, maxBytes: number): boolean {
  return traces.holdings.bytes + sessions.bytes > maxBytes || traces.holdings.waiting > maxBytes;
}

/**
 * Brings what is held down to `maxBytes`. Windows go first, since they cost only late spans; then the trace or session
 * that has been idle longest, which is scored as it stands. What waits to be scored may take as much again; beyond,
 * since the host gives nobody a turn to score anything, what has waited longest is dropped.
 */
export function relieve(
  traces: TraceBuffer,
  sessions: SessionBuffer,
  maxBytes: number,
  now: number,
  drop: (entry: TraceEntry) => void,
): void {
  while (traces.holdings.bytes + sessions.bytes > maxBytes) {
    if (traces.closeOldestWindow()) continue;
    const sessionFirst = sessions.oldestIdleAt <= traces.oldestIdleAt;
    if (!(sessionFirst ? sessions.evictOldest() : traces.evictOldest(now))) break;
  }
  while (traces.holdings.waiting > maxBytes) {
    const dropped = traces.dropOldestReady();
    if (dropped === undefined) return;
    drop(dropped);
    traces.letGo(dropped);
  }
}

/** Part of each limit up to which there is room: what is held of a request can be several times what was sent. */
const HIGH_WATER = 0.9;

/**
 * Whether a request of `bytes` bytes can be taken without anything being scored early. Windows are closed for it, and
 * sessions that have been idle longest are ended where sessions hold more than half: those would not go away soon by
 * themselves. A request that could never be taken so is taken when half is free.
 */
export function makeRoom(
  traces: TraceBuffer,
  sessions: SessionBuffer,
  { maxBufferedBytes: maxBytes, maxTraces }: BufferLimits,
  bytes: number,
): boolean {
  const most = maxBytes * HIGH_WATER - Math.min(bytes, maxBytes / 2);
  const isFull = (): boolean => traces.holdings.bytes + sessions.bytes > most;
  while (isFull()) {
    if (traces.closeOldestWindow()) continue;
    if (sessions.bytes * 2 <= maxBytes || !sessions.evictOldest()) break;
  }
  return !isFull() && traces.holdings.waiting <= most && traces.openCount < maxTraces * HIGH_WATER;
}
