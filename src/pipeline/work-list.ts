import type { Sliced } from "../align/sliced.ts";
import type { SessionBuffer, SessionEntry } from "../buffer/session-buffer.ts";
import type { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { SessionEndings } from "./session-endings.ts";

/** Something to do; `slices` is what is left of it once it has begun. */
export type Work =
  | { readonly kind: "trace"; readonly entry: TraceEntry; slices?: Sliced<undefined> }
  | { readonly kind: "closed"; readonly entry: TraceEntry }
  | { readonly kind: "session"; readonly entry: SessionEntry; slices?: Sliced<undefined> };

/** What buffers have ready. A trace that is ready comes before its own end, and before the session that it may complete. */
export class WorkList {
  readonly #traces: TraceBuffer;
  readonly #sessions: SessionBuffer;
  readonly #endings: SessionEndings;
  /** Last first. */
  #work: Work[] = [];

  constructor(traces: TraceBuffer, sessions: SessionBuffer, endings: SessionEndings) {
    this.#traces = traces;
    this.#sessions = sessions;
    this.#endings = endings;
  }

  /** Undefined when there is nothing to do. */
  next(): Work | undefined {
    if (this.#work.length === 0) this.#collect();
    return this.#work.pop();
  }

  /** What has been begun comes before everything else. */
  goOn(work: Work): void {
    this.#work.push(work);
  }

  #collect(): void {
    this.#endings.settle((sessionId) => this.#sessions.end(sessionId));
    for (const entry of this.#traces.takeReady()) this.#work.push({ kind: "trace", entry });
    for (const entry of this.#traces.takeClosed()) this.#work.push({ kind: "closed", entry });
    for (const entry of this.#sessions.takeReady()) this.#work.push({ kind: "session", entry });
    this.#work.reverse();
  }
}
