import type { HeldSpan } from "../model/held-span.ts";
import type { TraceEntry } from "./trace-entry.ts";

/**
 * A started span that is known by its id: a local root, or one beneath which another was started. Spans that are neither
 * are only counted, until one is started beneath them.
 */
export class OpenSpan {
  readonly entry: TraceEntry;
  readonly span_id: string;
  /** Its parent is not held here. */
  readonly root: boolean;
  open = true;
  /** What it has said at its start; of local roots that say anything, as long as they are open. */
  said: HeldSpan | undefined = undefined;
  /** Neighbours in its trace's list of open spans. */
  previous: OpenSpan | undefined = undefined;
  next: OpenSpan | undefined = undefined;

  constructor(entry: TraceEntry, spanId: string, root: boolean) {
    this.entry = entry;
    this.span_id = spanId;
    this.root = root;
  }
}
