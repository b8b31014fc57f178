import type { Engine } from "../pipeline/engine.ts";
import type { EngineHost } from "../pipeline/engine-host.ts";
import type { Fetched, KafkaRecord, Place } from "./client.ts";
import { type CommitPoint, OffsetLedger } from "./offset-ledger.ts";
import { RecordClock } from "./record-clock.ts";

/** What a partition's records are to its engine. */
export interface Feed {
  /** Takes one record. Gives why it cannot be read; undefined where it can. Never throws. */
  take(record: KafkaRecord): string | undefined;
}

/** What a partition needs of its stage. */
export interface PartitionHost {
  readonly newEngine: (host: { readonly clock: RecordClock; readonly over: NonNullable<EngineHost["over"]> }) => Engine;
  readonly newFeed: (partition: Partition) => Feed;
  /** Waits until there is room for results, or `gone` says that nobody needs it any more; undefined: there is room. */
  readonly room: (gone: () => boolean) => Promise<void> | undefined;
  /** Puts a record away that cannot be read. Resolves when it is safe, or `gone` says that somebody else will do it. */
  readonly putAway: (place: Place, record: KafkaRecord, why: string, gone: () => boolean) => Promise<void>;
  /** A unit that began before what was committed is over; nothing was said of it. */
  readonly replayed: () => void;
}

/** The event loop is given back after this many milliseconds of work, so that members say in time that they are there. */
const TURN_MILLIS = 10;

/** One partition in the hands of one reader: an engine of its own, which is let go with it. */
export class Partition {
  readonly place: Place;
  readonly ledger: OffsetLedger<object>;
  readonly clock: RecordClock = new RecordClock();
  readonly engine: Engine;
  /** What is committed; undefined while nothing is. */
  committed: CommitPoint | undefined;
  /** The offset that the next record of the partition will get, as of the last fetch. */
  end: number;
  readonly #host: PartitionHost;
  readonly #feed: Feed;
  #dropped = false;
  #halted = false;
  #turnSince = 0;

  constructor(place: Place, start: CommitPoint, host: PartitionHost) {
    this.place = place;
    this.end = start.offset;
    this.ledger = new OffsetLedger(start);
    this.#host = host;
    this.engine = host.newEngine({
      clock: this.clock,
      over: (unit) => {
        this.ledger.close(unit, this.clock.now());
        if (unit.silent) host.replayed();
      },
    });
    this.#feed = host.newFeed(this);
  }

  get isDropped(): boolean {
    return this.#dropped;
  }

  /** Takes no further record; what has been taken may still be committed. */
  halt(): void {
    this.#halted = true;
  }

  /** Somebody else has the partition: nothing of what is held is scored. */
  drop(): void {
    this.#halted = true;
    this.#dropped = true;
    this.engine.abandon();
  }

  /** Takes what a fetch brought, or as much of it as comes before the partition is halted or dropped. */
  async take({ records, next, end }: Fetched): Promise<void> {
    this.end = end;
    const gone = (): boolean => this.#halted;
    for (const record of records) {
      await this.#advance(this.clock.withRecord(record.timestamp));
      if (this.#halted) return;
      if (record.offset < this.ledger.next) continue;
      const replayed = this.ledger.isReplayed(record.offset);
      this.engine.replaying = replayed;
      const why = this.#feed.take(record);
      if (why !== undefined && !replayed) await this.#host.putAway(this.place, record, why, gone);
      if (this.#halted) return;
      this.ledger.passed(record.offset);
      await this.#giveWay();
    }
    if (this.#halted) return;
    this.ledger.passed(next - 1);
    if (next < end) return;
    await this.#advance(this.clock.withQuiet(performance.now()));
  }

  /**
   * Lets time go by. Whatever falls due has its own time, however far apart records are: so it is the same whether the
   * partition was read as records came, or all at once.
   */
  async #advance(now: number): Promise<void> {
    const gone = (): boolean => this.#halted;
    await this.#host.room(gone);
    for (let due = this.engine.nextDeadline; due <= now && !this.#halted; due = this.engine.nextDeadline) {
      this.clock.advance(due);
      await this.engine.catchUp();
      await this.#host.room(gone);
      await this.#giveWay();
    }
    this.clock.advance(now);
  }

  #giveWay(): Promise<void> | undefined {
    if (performance.now() - this.#turnSince < TURN_MILLIS) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#turnSince = performance.now();
    });
  }
}
