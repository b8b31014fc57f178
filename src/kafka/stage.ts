import { messageOf } from "../model/errors.ts";
import type { Quiet } from "../serve/quiet.ts";
import { type Client, type Commit, type GroupMember, nameOf, OutOfRange, type Place } from "./client.ts";
import { type CommitPoint, commitPointOf, metadataOf } from "./offset-ledger.ts";
import type { Partition } from "./partition.ts";

export interface StageOptions {
  /** For people who read the log. */
  readonly name: "traces" | "sessions";
  readonly client: Pick<Client, "member">;
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Where a group begins that has committed nothing. */
  readonly from: "earliest" | "latest";
  readonly commitIntervalMillis: number;
  readonly rememberMillis: number;
  readonly newPartition: (place: Place, start: CommitPoint) => Partition;
  /** A partition is not ours any more. */
  readonly onDropped: (partition: Partition) => void;
  /** Resolves when everything that was handed to the outputs so far has been accepted by them. */
  readonly settled: () => Promise<void>;
  readonly quiet: Pick<Quiet, "warn" | "error">;
}

/** How long is waited after a fault before the next try. */
const PAUSE_MILLIS = 1_000;
/** How long a member without partitions waits before it looks again. */
const IDLE_MILLIS = 100;

/**
 * One consumer group, as seen by one of its members: reads its partitions, and commits what is behind the oldest unit
 * that is not over once all that was said before has been accepted.
 */
export class Stage {
  readonly #options: StageOptions;
  readonly #partitions = new Map<string, Partition>();
  /** What has been shared out and not been looked at. */
  #assigned: readonly Place[] | undefined;
  #member: GroupMember | undefined;
  #committing: Promise<void> | undefined;
  #committedAt = 0;
  /** Place of the partition that the last fetch asked for first. */
  #first = 0;
  #stopped = false;
  #lastCommit: Promise<void> | undefined;
  #running: Promise<void> | undefined;
  #wakeUp: () => void = () => undefined;
  /** Partitions have been shared out at least once, and can be read. */
  isReady = false;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  get partitions(): Iterable<Partition> {
    return this.#partitions.values();
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Reads no more, commits what can be committed within `millis`, and leaves the group. What is open is not scored. */
  async stop(millis: number): Promise<void> {
    const until = performance.now() + millis;
    this.#stopped = true;
    for (const partition of this.#partitions.values()) partition.halt();
    this.#wakeUp();
    const member = this.#member;
    const last = async (): Promise<void> => {
      await this.#committing;
      if (member !== undefined) await this.#commitSoon(member);
    };
    this.#lastCommit = within(last(), Math.max(0, until - performance.now()));
    await this.#lastCommit;
    await within(this.#running ?? Promise.resolve(), Math.max(LEAVE_MILLIS, until - performance.now()));
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#belong();
      } catch (error) {
        this.#problem("the group cannot be followed now; trying again", error);
      }
      this.isReady = false;
      if (!this.#stopped) await this.#pause(PAUSE_MILLIS);
    }
  }

  /** One membership, from joining to leaving. */
  async #belong(): Promise<void> {
    const { client, groupId, topics } = this.#options;
    const member = client.member(groupId, topics);
    let lost: Error | undefined;
    try {
      await member.join({
        assigned: (places, kept) => this.#share(places, kept),
        rebalancing: () => void this.#commitSoon(member),
        lost: (error) => {
          lost = error;
          this.#dropAll();
        },
      });
      this.#member = member;
      while (!this.#stopped && lost === undefined) await this.#cycle(member);
      if (lost !== undefined) throw lost;
    } finally {
      await this.#lastCommit;
      this.#member = undefined;
      this.#dropAll();
      this.#assigned = undefined;
      await member.leave();
    }
  }

  /** What goes away is let go at once, whatever is being done with it. */
  #share(places: readonly Place[], kept: boolean): void {
    const names = new Set(places.map(nameOf));
    for (const [name, partition] of this.#partitions) if (!kept || !names.has(name)) this.#drop(partition);
    this.#assigned = places;
    this.#wakeUp();
  }

  async #cycle(member: GroupMember): Promise<void> {
    try {
      if (this.#assigned !== undefined) await this.#takeOver(member, this.#assigned);
      if (this.#partitions.size === 0) await this.#pause(IDLE_MILLIS);
      else {
        await this.#read(member);
        this.isReady = this.#assigned === undefined;
      }
      if (performance.now() - this.#committedAt >= this.#options.commitIntervalMillis) void this.#commitSoon(member);
    } catch (error) {
      if (this.#stopped) return;
      this.isReady = false;
      if (error instanceof OutOfRange) await this.#findStart(member);
      this.#problem("nothing can be read now; trying again", error);
      await this.#pause(PAUSE_MILLIS);
    }
  }

  /** Begins with partitions that are new, where their last reader committed. */
  async #takeOver(member: GroupMember, places: readonly Place[]): Promise<void> {
    const fresh = places.filter((place) => !this.#partitions.has(nameOf(place)));
    if (fresh.length > 0) {
      const [commits, bounds] = await Promise.all([member.committed(fresh), member.bounds(fresh)]);
      // They may have been shared out again meanwhile.
      if (this.#assigned !== places) return;
      for (const [index, place] of fresh.entries()) {
        const commit = commits[index];
        const { first = 0, end = 0 } = bounds[index] ?? {};
        const fallback = this.#options.from === "earliest" ? first : end;
        const start = commit === undefined ? startAt(fallback) : commitPointOf(commit.offset, commit.metadata);
        if (start.offset < first) this.#tellDeleted(place, first - start.offset);
        const partition = this.#options.newPartition(place, withinLog(start, first));
        // Where nothing is committed the place to begin with is: the latest one would be another next time.
        if (commit !== undefined) partition.committed = start;
        this.#partitions.set(nameOf(place), partition);
      }
    }
    this.#assigned = undefined;
    this.isReady = true;
  }

  async #read(member: GroupMember): Promise<void> {
    // A broker fills its answer in this order: each partition comes first in turn.
    this.#first = (this.#first + 1) % this.#partitions.size;
    const all = [...this.#partitions.values()];
    const positions = [...all.slice(this.#first), ...all.slice(0, this.#first)].map(({ place, ledger }) => ({
      ...place,
      offset: ledger.next,
    }));
    const fetched = await member.fetch(positions);
    for (const each of fetched) {
      if (this.#stopped) return;
      const partition = this.#partitions.get(nameOf(each));
      const asked = positions.find((position) => nameOf(position) === nameOf(each))?.offset;
      // It may have been dropped, and begun with anew, since it was asked for.
      if (partition !== undefined && partition.ledger.next === asked) await partition.take(each);
    }
  }

  /** Records were deleted before they were read: reading goes on with the first that is there. */
  async #findStart(member: GroupMember): Promise<void> {
    const partitions = [...this.#partitions.values()];
    const bounds = await member.bounds(partitions.map(({ place }) => place));
    for (const [index, partition] of partitions.entries()) {
      const { first = 0, end = 0 } = bounds[index] ?? {};
      const { next } = partition.ledger;
      if (partition.isDropped || (next >= first && next <= end)) continue;
      this.#tellDeleted(partition.place, Math.max(0, first - next));
      this.#drop(partition);
      this.#partitions.set(nameOf(partition.place), this.#options.newPartition(partition.place, startAt(first)));
    }
  }

  #tellDeleted({ topic, partition }: Place, records: number): void {
    this.#options.quiet.error("records were deleted before they were read", { topic, partition, records });
  }

  #commitSoon(member: GroupMember): Promise<void> {
    this.#committing ??= this.#commit(member)
      .catch((error: unknown) => this.#problem("offsets cannot be committed now; trying again", error))
      .finally(() => {
        this.#committing = undefined;
        this.#committedAt = performance.now();
      });
    return this.#committing;
  }

  async #commit(member: GroupMember): Promise<void> {
    const points: (Commit & { readonly holder: Partition; readonly point: CommitPoint })[] = [];
    for (const holder of this.#partitions.values()) {
      const point = holder.ledger.point(holder.clock.now() - this.#options.rememberMillis);
      if (point === undefined) continue;
      const { committed } = holder;
      if (point.offset === committed?.offset && point.replayFrom === committed.replayFrom) continue;
      points.push({ ...holder.place, offset: point.offset, metadata: metadataOf(point), holder, point });
    }
    if (points.length === 0) return;
    await this.#options.settled();
    const ours = points.filter(({ holder }) => !holder.isDropped);
    if (ours.length === 0) return;
    await member.commit(ours.map(({ topic, partition, offset, metadata }) => ({ topic, partition, offset, metadata })));
    for (const { holder, point } of ours) holder.committed = point;
  }

  #drop(partition: Partition): void {
    partition.drop();
    this.#partitions.delete(nameOf(partition.place));
    this.#options.onDropped(partition);
  }

  #dropAll(): void {
    for (const partition of [...this.#partitions.values()]) this.#drop(partition);
  }

  #problem(message: string, error: unknown): void {
    this.#options.quiet.warn(message, { stage: this.#options.name, what: messageOf(error) });
  }

  #pause(millis: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** How long leaving the group may take, whatever the time that is left. */
const LEAVE_MILLIS = 1_000;

function startAt(offset: number): CommitPoint {
  return { offset, replayFrom: offset };
}

/** Records that have been deleted cannot be read again. */
function withinLog({ offset, replayFrom }: CommitPoint, first: number): CommitPoint {
  return { offset: Math.max(offset, first), replayFrom: Math.max(replayFrom, first) };
}

/** Waits for work, whatever becomes of it, for a limited time. */
async function within(work: Promise<unknown>, millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
