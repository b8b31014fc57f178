import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { SpanFacts } from "../model/span.ts";

interface Ending {
  readonly session_id: string;
  readonly waiting: Set<TraceEntry>;
  readonly done: () => void;
}

/** Sessions that were told to end and wait for the traces that were open at that moment. */
export class SessionEndings {
  #endings: Ending[] = [];

  /** Waits for those of the unread traces that may turn out to be part of the session. */
  add(
    sessionId: string,
    unread: Iterable<TraceEntry>,
    read: (entry: TraceEntry) => readonly SpanFacts[],
  ): Promise<void> {
    const waiting = new Set<TraceEntry>();
    for (const entry of unread) if (mayBelong(read(entry), sessionId)) waiting.add(entry);
    return new Promise((done) => this.#endings.push({ session_id: sessionId, waiting, done }));
  }

  /** Ends the sessions that wait for nothing any more. */
  settle(end: (sessionId: string) => void): void {
    if (this.#endings.length === 0) return;
    const still: Ending[] = [];
    for (const ending of this.#endings) {
      for (const entry of ending.waiting) if (entry.readings > 0) ending.waiting.delete(entry);
      if (ending.waiting.size > 0) still.push(ending);
      else {
        end(ending.session_id);
        ending.done();
      }
    }
    this.#endings = still;
  }

  /** Nothing will come any more. */
  release(): void {
    for (const ending of this.#endings) ending.done();
    this.#endings = [];
  }
}

/** Unless what the trace shows so far names another session. */
function mayBelong(spans: readonly SpanFacts[], sessionId: string): boolean {
  let named = false;
  for (const { session } of spans) {
    if (session === undefined) continue;
    if (session.value === sessionId) return true;
    named = true;
  }
  return !named;
}
