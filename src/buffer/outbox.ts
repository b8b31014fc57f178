import type { TraceEntry } from "./trace-entry.ts";

/** Traces that wait to be fetched: to be scored, each once, and those whose window is over. */
export class Outbox {
  #ready: TraceEntry[] = [];
  #closed: TraceEntry[] = [];

  get hasWork(): boolean {
    return this.#ready.length > 0 || this.#closed.length > 0;
  }

  ready(entry: TraceEntry): void {
    if (entry.ready) return;
    entry.ready = true;
    this.#ready.push(entry);
  }

  closed(entry: TraceEntry): void {
    this.#closed.push(entry);
  }

  /** In the order in which they became ready; one that has been opened again is not. */
  takeReady(): readonly TraceEntry[] {
    const ready = this.#ready;
    this.#ready = [];
    for (const entry of ready) entry.ready = false;
    return ready.filter((entry) => entry.state !== "open");
  }

  takeClosed(): readonly TraceEntry[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }
}
