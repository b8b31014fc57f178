import type { Engine } from "../pipeline/engine.ts";
import type { TrajectoryStats } from "../pipeline/stats.ts";

const EMPTY: TrajectoryStats = {
  spans: {
    seen: 0,
    released: 0,
    held: 0,
    dropped: { late: 0, duplicate: 0, span_limit: 0, not_sampled: 0, after_shutdown: 0, backlog: 0 },
    late: 0,
  },
  traces: { open: 0, finished: 0, waiting: 0, scored: 0, revised: 0, evicted: 0, dropped: 0 },
  sessions: { open: 0, scored: 0, evicted: 0 },
  buffered_bytes: 0,
  evaluations: { emitted: 0, results: {}, pending: 0 },
  problems: {},
};

/** How long what engines hold is taken as it was when it was last looked at. */
const STALE_MILLIS = 10;

/** The engines of all partitions: what they hold together, and the counts of those that have been let go. */
export class AllEngines {
  /** With the bytes that each held when it was last looked at. */
  readonly #engines = new Map<Engine, number>();
  #gone: TrajectoryStats = EMPTY;
  readonly #problems: Record<string, number> = {};
  #bytes = 0;
  #pending = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  add(engine: Engine): void {
    this.#engines.set(engine, 0);
  }

  /** The engine was let go: what it counted stays, what it held is gone. */
  remove(engine: Engine): void {
    if (!this.#engines.delete(engine)) return;
    this.#gone = added(this.#gone, withoutHeld(engine.stats()));
  }

  stats(): TrajectoryStats {
    let all = added(this.#gone, { ...EMPTY, problems: this.#problems });
    for (const engine of this.#engines.keys()) all = added(all, engine.stats());
    return all;
  }

  /** A fault that is no single engine's. */
  problem(kind: string): void {
    this.#problems[kind] = (this.#problems[kind] ?? 0) + 1;
  }

  /** Asynchronous evaluations under way, as of some milliseconds ago. */
  get pending(): number {
    this.#look();
    return this.#pending;
  }

  /** Estimated bytes that all engines but this one hold, as of some milliseconds ago. */
  bytesBeside(engine: Engine): number {
    this.#look();
    return this.#bytes - (this.#engines.get(engine) ?? 0);
  }

  #look(): void {
    const now = performance.now();
    if (now - this.#lookedAt < STALE_MILLIS) return;
    this.#lookedAt = now;
    this.#bytes = 0;
    this.#pending = 0;
    for (const engine of this.#engines.keys()) {
      const { buffered_bytes: bytes, evaluations } = engine.stats();
      this.#engines.set(engine, bytes);
      this.#bytes += bytes;
      this.#pending += evaluations.pending;
    }
  }
}

/** In spans, seen = released + held + dropped: those that were held will be seen by another. */
function withoutHeld(stats: TrajectoryStats): TrajectoryStats {
  const { spans, traces, sessions, evaluations } = stats;
  return {
    ...stats,
    spans: { ...spans, seen: spans.seen - spans.held, held: 0 },
    traces: { ...traces, open: 0, finished: 0, waiting: 0 },
    sessions: { ...sessions, open: 0 },
    buffered_bytes: 0,
    evaluations: { ...evaluations, pending: 0 },
  };
}

/** Adds up numbers of the same names, however deep. */
function added<T extends object>(a: T, b: T): T {
  const sum: Record<string, unknown> = Object.fromEntries(Object.entries(a));
  for (const [name, value] of Object.entries(b)) {
    const before = sum[name];
    if (typeof value === "number") sum[name] = ((before as number | undefined) ?? 0) + value;
    else sum[name] = added((before as object | undefined) ?? {}, value as object);
  }
  return sum as T;
}
