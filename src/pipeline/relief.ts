import type { SessionBuffer } from "../buffer/session-buffer.ts";
import type { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";

/** Whether more is held, or waits to be scored, than `maxBytes`. */
export function isOverLimit(traces: TraceBuffer, sessions: SessionBuffer, maxBytes: number): boolean {
  return traces.bytes + sessions.bytes > maxBytes || traces.waitingBytes > maxBytes;
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
  while (traces.bytes + sessions.bytes > maxBytes) {
    if (traces.closeOldestWindow()) continue;
    const sessionFirst = sessions.oldestIdleAt <= traces.oldestIdleAt;
    if (!(sessionFirst ? sessions.evictOldest() : traces.evictOldest(now))) break;
  }
  while (traces.waitingBytes > maxBytes) {
    const dropped = traces.dropOldestReady();
    if (dropped === undefined) return;
    drop(dropped);
    traces.letGo(dropped);
  }
}

/**
 * Whether `bytes` more fit into `maxBytes` without anything being scored early. Windows are closed for it, and sessions
 * that have been idle longest are ended where sessions hold more than half: those would not go away soon by themselves.
 */
export function makeRoom(traces: TraceBuffer, sessions: SessionBuffer, maxBytes: number, bytes: number): boolean {
  const isFull = (): boolean => traces.bytes + sessions.bytes + bytes > maxBytes;
  while (isFull()) {
    if (traces.closeOldestWindow()) continue;
    if (sessions.bytes * 2 <= maxBytes || !sessions.evictOldest()) break;
  }
  return !isFull() && traces.waitingBytes + bytes <= maxBytes;
}
