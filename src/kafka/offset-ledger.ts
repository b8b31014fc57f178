/** From where a partition can be taken over. Offsets count records of the partition. */
export interface CommitPoint {
  /** Every unit that has a record before this one is over, and its results were handed to the outputs. */
  readonly offset: number;
  /**
   * Where reading has to begin, at or before {@link offset}: so far back go units that are over and have records after
   * it, and those that a straggler may still name.
   */
  readonly replayFrom: number;
}

interface Line {
  readonly id: string;
  readonly first: number;
  last: number;
  /** It was over, and its results accepted, before this reader came. */
  readonly replayed: boolean;
  /** When it was over, or last heard of after that, in the time of the records; undefined while it is not over. */
  overAt: number | undefined;
}

/**
 * Which records of one partition belong to units that are not over. A unit (a trace, a session) is known by an object:
 * one id may come again after its unit is over, and is another unit then.
 *
 * The offset that is committed is the first record of the oldest unit that is not over. Units that began before it are
 * over, each of them; so whoever takes the partition over reads from `replayFrom`, leaves unsaid what begins before
 * `offset`, and so takes no tail of a trace for a trace.
 *
 * Cost: O(1) a record, O(units that are open or remembered) a commit.
 */
export class OffsetLedger<U extends object> {
  readonly #start: number;
  readonly #lines = new Map<U, Line>();
  /** The latest unit of each id. */
  readonly #latest = new Map<string, U>();
  #next: number;

  /** @param start what was committed last; reading begins at its `replayFrom` */
  constructor(start: CommitPoint) {
    this.#start = start.offset;
    this.#next = start.replayFrom;
  }

  /** The offset that was committed last, before this reader came. */
  get start(): number {
    return this.#start;
  }

  /** The offset of the next record to read. */
  get next(): number {
    return this.#next;
  }

  /** Whether a unit that begins with the record at `offset` was scored before this reader came. */
  isReplayed(offset: number): boolean {
    return offset < this.#start;
  }

  /** A record of the unit is at `offset`, which is being read. */
  touch(id: string, unit: U, offset: number): void {
    const line = this.#lines.get(unit);
    if (line !== undefined) {
      line.last = offset;
      return;
    }
    this.#lines.set(unit, { id, first: offset, last: offset, replayed: this.isReplayed(offset), overAt: undefined });
    this.#latest.set(id, unit);
  }

  /**
   * The record at `offset` names a unit that has ended, and changes nothing. Whoever reads it again has to know that too:
   * so the unit, by default the latest of this id, reaches so far. Nothing where it has been forgotten.
   */
  straggle(id: string, offset: number, now: number, unit: U | undefined = this.#latest.get(id)): void {
    const line = unit === undefined ? undefined : this.#lines.get(unit);
    if (line === undefined) return;
    line.last = offset;
    if (line.overAt !== undefined) line.overAt = now;
  }

  /** Nothing more will be said of the unit: all its results have been handed to the outputs. */
  close(unit: U, now: number): void {
    const line = this.#lines.get(unit);
    if (line !== undefined) line.overAt = now;
  }

  /** The record at `offset` has been taken, and everything before it. */
  passed(offset: number): void {
    if (offset >= this.#next) this.#next = offset + 1;
  }

  /** Units that are not over, without those that were before this reader came. */
  get openCount(): number {
    let count = 0;
    for (const { overAt, replayed } of this.#lines.values()) if (overAt === undefined && !replayed) count += 1;
    return count;
  }

  /**
   * Where somebody else could take over now; undefined while what was committed last is still being caught up with.
   *
   * @param rememberedSince units that were over before this are forgotten, unless they reach beyond the offset
   */
  point(rememberedSince: number): CommitPoint | undefined {
    if (this.isReplayed(this.#next)) return undefined;
    let offset = this.#next;
    for (const { first, replayed, overAt } of this.#lines.values()) {
      if (overAt === undefined && !replayed && first < offset) offset = first;
    }
    let replayFrom = offset;
    for (const [unit, { id, first, last, overAt }] of this.#lines) {
      const forgotten = overAt !== undefined && overAt < rememberedSince && last < offset;
      if (forgotten) {
        this.#lines.delete(unit);
        if (this.#latest.get(id) === unit) this.#latest.delete(id);
      } else if (first < replayFrom) replayFrom = first;
    }
    return { offset, replayFrom };
  }
}

const FORMAT = /^otel-trajectory:1 replay-from=(\d{1,16})$/;

/** The text that is committed with the offset. */
export function metadataOf({ replayFrom }: CommitPoint): string {
  return `otel-trajectory:1 replay-from=${replayFrom}`;
}

/** Reads back what was committed. An offset that somebody else set, with other text or none, stands alone. */
export function commitPointOf(offset: number, metadata: string | null | undefined): CommitPoint {
  const replayFrom = Number(FORMAT.exec(metadata ?? "")?.[1] ?? offset);
  return { offset, replayFrom: Math.min(replayFrom, offset) };
}
