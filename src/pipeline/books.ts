import type { DropReason } from "./stats.ts";

/** The counts of one engine. In ended spans: seen = released + held + dropped. */
export class Books {
  seen = 0;
  released = 0;
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
}
