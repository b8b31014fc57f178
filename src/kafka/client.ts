/** One partition of a topic. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** A header's name and value. */
export type RawHeader = readonly [Buffer, Buffer];

/** A record as it was read. */
export interface KafkaRecord {
  readonly offset: number;
  /** When it was produced or appended, in ms since the epoch. */
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly rawHeaders?: readonly RawHeader[] | undefined;
}

/** What a fetch brought of one partition. */
export interface Fetched extends Place {
  readonly records: readonly KafkaRecord[];
  /** The offset after the last record, of those too that are not for readers. */
  readonly next: number;
  /** The offset that the partition's next record will get. */
  readonly end: number;
}

/** An offset with the text that is committed beside it. */
export interface Commit extends Place {
  readonly offset: number;
  readonly metadata: string;
}

/** A record to write. */
export interface Message {
  readonly topic: string;
  readonly key: Buffer | undefined;
  readonly value: Buffer | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers of a record that is passed on, which come first. */
  readonly rawHeaders?: readonly RawHeader[] | undefined;
  /** In ms since the epoch. @defaultValue now */
  readonly timestamp?: number | undefined;
}

/** What a member of a group is told, from the moment when it joins. */
export interface GroupEvents {
  /**
   * These partitions are ours from now on, and no others. `kept`: those that were ours before have been so ever since;
   * nobody else can have had them in between.
   */
  assigned(places: readonly Place[], kept: boolean): void;
  /** Partitions are about to be shared out again: the last moment to commit for those that may go away. */
  rebalancing(): void;
  /** The membership is lost, and this object of no use any more. */
  lost(error: Error): void;
}

/** A member of a consumer group: what a stage needs of a client library. */
export interface GroupMember {
  /** @throws Error (rejects) where no broker answers, or the topics do not exist */
  join(events: GroupEvents): Promise<void>;
  /** What is committed; undefined where nothing is. */
  committed(places: readonly Place[]): Promise<readonly (Commit | undefined)[]>;
  /** Where partitions begin and end. */
  bounds(places: readonly Place[]): Promise<readonly { readonly first: number; readonly end: number }[]>;
  /** Waits for records for a short time. Partitions of which nothing is known at this moment are left out. */
  fetch(positions: readonly (Place & { readonly offset: number })[]): Promise<readonly Fetched[]>;
  /** @throws Error (rejects) where the offsets are not committed */
  commit(commits: readonly Commit[]): Promise<void>;
  /** Leaves the group. Never rejects. */
  leave(): Promise<void>;
}

/** Writes records, acknowledged by all replicas in sync. */
export interface Writer {
  /** @throws Error (rejects), {@link TooLarge} where the broker takes nothing so large */
  write(messages: readonly Message[]): Promise<void>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** The offset is none of the partition's any more: its records have been deleted. */
export class OutOfRange extends Error {}

/** A record, or records together, are larger than the broker takes. */
export class TooLarge extends Error {}

/** How brokers are reached. */
export interface Client {
  member(groupId: string, topics: readonly string[]): GroupMember;
  writer(): Writer;
  /** @throws Error (rejects) in words for people: no broker answers, credentials are refused, a topic does not exist */
  check(topics: readonly string[]): Promise<void>;
}

/** The key of a place in a map. */
export function nameOf({ topic, partition }: Place): string {
  return `${topic}/${partition}`;
}
