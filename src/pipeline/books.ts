import type { SessionBuffer } from "../buffer/session-buffer.ts";
import type { TraceBuffer } from "../buffer/trace-buffer.ts";
import type { DropReason, TrajectoryStats } from "./stats.ts";

/** The counts of one engine. In ended spans: seen = released + held + dropped. */
export class Books {
  seen = 0;
  released = 0;
  /** Spans that have left their buffer and are being assembled. */
  assembling = 0;
  late = 0;
  readonly dropped: Record<DropReason, number> = {
    late: 0,
    duplicate: 0,
    span_limit: 0,
    not_sampled: 0,
    after_shutdown: 0,
    backlog: 0,
  };
  readonly traces = { scored: 0, revised: 0, evicted: 0, dropped: 0 };
  readonly sessions: { scored: number; evicted: number } = { scored: 0, evicted: 0 };
  readonly problems: Record<string, number> = {};

  /** These counts, with what the buffers hold now. */
  stats(traces: TraceBuffer, sessions: SessionBuffer, evaluations: TrajectoryStats["evaluations"]): TrajectoryStats {
    const { holdings } = traces;
    return {
      spans: {
        seen: this.seen,
        released: this.released,
        held: traces.heldCount + this.assembling + sessions.heldCount,
        dropped: { ...this.dropped },
        late: this.late,
      },
      traces: {
        open: traces.openCount,
        finished: traces.finishedCount,
        waiting: holdings.waiting_traces,
        ...this.traces,
      },
      sessions: { open: sessions.openCount, ...this.sessions },
      buffered_bytes: holdings.bytes + holdings.waiting + sessions.bytes,
      evaluations,
      problems: { ...this.problems },
    };
  }
}
