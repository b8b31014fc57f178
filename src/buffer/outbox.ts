import type { TraceEntry } from "./trace-entry.ts";

/** Traces that wait to be fetched: to be scored, each once, and those whose window is over. */
export class Outbox {
  #ready: TraceEntry[] = [];
  /** Places of {@link #ready} before this one were dropped. */
  #first = 0;
  #closed: TraceEntry[] = [];

  get hasWork(): boolean {
    return this.#ready.length > this.#first || this.#closed.length > 0;
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
    const ready = this.#first === 0 ? this.#ready : this.#ready.slice(this.#first);
    this.#ready = [];
    this.#first = 0;
    for (const entry of ready) entry.ready = false;
    return ready.filter((entry) => entry.state !== "open");
  }

  /** Takes out the trace that has waited longest and is over; undefined when there is none. */
  dropOldest(): TraceEntry | undefined {
    while (this.#first < this.#ready.length) {
      const entry = this.#ready[this.#first] as TraceEntry;
      if (entry.state === "finished") return undefined;
      this.#first += 1;
      entry.ready = false;
      if (entry.state === "closed") return entry;
    }
    return undefined;
  }

  takeClosed(): readonly TraceEntry[] {
    const closed = this.#closed;
    this.#closed = [];
    return closed;
  }
}
