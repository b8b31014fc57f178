import type {
  Client,
  Commit,
  Fetched,
  GroupEvents,
  GroupMember,
  KafkaRecord,
  Message,
  Place,
  Writer,
} from "../../src/kafka/client.ts";
import { nameOf, OutOfRange } from "../../src/kafka/client.ts";

interface Group {
  readonly members: MemoryMember[];
  readonly committed: Map<string, Commit>;
}

/** A record with the headers that it was written with. */
export type Logged = KafkaRecord & { readonly headers: Message["headers"] };

/** As much of Kafka as a consumer sees of it: logs, groups that share partitions out, committed offsets. */
export class MemoryKafka {
  readonly logs: Map<string, Logged[][]> = new Map();
  readonly groups: Map<string, Group> = new Map();
  /** Writes that come to these topics fail. */
  readonly failing: Set<string> = new Set();
  /** Reads from these topics fail. */
  readonly unreadable: Set<string> = new Set();
  /** Records before these offsets have been deleted, by topic and partition. */
  readonly deleted: Map<string, number> = new Map();
  /** Most records of one fetch of one partition. */
  batch = 10;

  topic(name: string, partitions = 1): this {
    this.logs.set(
      name,
      Array.from({ length: partitions }, () => []),
    );
    return this;
  }

  log(name: string, partition = 0): Logged[] {
    const log = this.logs.get(name)?.[partition];
    if (log === undefined) throw new Error(`no topic ${name}`);
    return log;
  }

  append(topic: string, value: Buffer | string | null, timestamp: number, partition = 0): void {
    const log = this.log(topic, partition);
    const bytes = typeof value === "string" ? Buffer.from(value) : value;
    log.push({ offset: log.length, timestamp, key: null, value: bytes, headers: {} });
  }

  group(id: string): Group {
    const group = this.groups.get(id) ?? { members: [], committed: new Map() };
    this.groups.set(id, group);
    return group;
  }

  share({ members }: Group): void {
    for (const member of members) member.events?.rebalancing();
    const topics = [...new Set(members.flatMap((member) => member.topics))];
    const places = topics.flatMap((topic) => [...this.#partitions(topic)].map((partition) => ({ topic, partition })));
    for (const [index, member] of members.entries()) {
      const ours = places.filter((_, at) => at % members.length === index);
      member.events?.assigned(ours, member.joined);
      member.joined = true;
    }
  }

  *#partitions(topic: string): Iterable<number> {
    yield* (this.logs.get(topic) ?? []).keys();
  }

  /** A client whose process ends, without a word to anybody, after so many records were fetched. */
  client(
    records: number = Number.POSITIVE_INFINITY,
  ): Client & { readonly dead: () => boolean; readonly kill: () => void } {
    const life = { left: records };
    const writer: Writer = {
      write: async (messages) => {
        if (life.left <= 0) throw new Error("dead");
        await Promise.resolve();
        for (const { topic, key, value = null, timestamp = 0, headers } of messages) {
          if (this.failing.has(topic)) throw new Error(`${topic} is down`);
          const logs = this.logs.get(topic) ?? [];
          const partition = [...(key ?? Buffer.alloc(0))].reduce((sum, byte) => sum + byte, 0) % logs.length;
          const log = this.log(topic, partition);
          log.push({ offset: log.length, timestamp, key: key ?? null, value, headers });
        }
      },
      close: () => Promise.resolve(),
    };
    return {
      member: (groupId, topics) => new MemoryMember(this, groupId, topics, life),
      writer: () => writer,
      check: () => Promise.resolve(),
      dead: () => life.left <= 0,
      kill: () => {
        life.left = 0;
        for (const group of this.groups.values()) {
          for (const member of group.members.filter((each) => each.life === life)) void member.leave();
        }
      },
    };
  }
}

class MemoryMember implements GroupMember {
  readonly topics: readonly string[];
  readonly life: { left: number };
  events: GroupEvents | undefined;
  joined = false;
  readonly #kafka: MemoryKafka;
  readonly #group: Group;

  constructor(kafka: MemoryKafka, groupId: string, topics: readonly string[], life: { left: number }) {
    this.topics = topics;
    this.life = life;
    this.#kafka = kafka;
    this.#group = kafka.group(groupId);
  }

  async join(events: GroupEvents): Promise<void> {
    await this.#alive();
    this.events = events;
    this.#group.members.push(this);
    this.#kafka.share(this.#group);
  }

  async committed(places: readonly Place[]): Promise<readonly (Commit | undefined)[]> {
    await this.#alive();
    return places.map((place) => this.#group.committed.get(nameOf(place)));
  }

  async bounds(places: readonly Place[]): Promise<readonly { readonly first: number; readonly end: number }[]> {
    await this.#alive();
    return places.map((place) => ({
      first: this.#kafka.deleted.get(nameOf(place)) ?? 0,
      end: this.#kafka.log(place.topic, place.partition).length,
    }));
  }

  async fetch(positions: readonly (Place & { readonly offset: number })[]): Promise<readonly Fetched[]> {
    await this.#alive();
    await new Promise<void>((resolve) => setImmediate(resolve));
    return positions.map(({ topic, partition, offset }) => {
      if (this.#kafka.unreadable.has(topic)) throw new Error(`${topic} is written in a compression that is not known`);
      const log = this.#kafka.log(topic, partition);
      const first = this.#kafka.deleted.get(nameOf({ topic, partition })) ?? 0;
      if (offset < first || offset > log.length) throw new OutOfRange("there is nothing at this offset");
      const most = Math.min(this.#kafka.batch, this.life.left);
      const records = log.slice(offset, offset + most);
      this.life.left -= records.length;
      return { topic, partition, records, next: offset + records.length, end: log.length };
    });
  }

  async commit(commits: readonly Commit[]): Promise<void> {
    await this.#alive();
    if (!this.#group.members.includes(this)) throw new Error("no member of the group");
    for (const commit of commits) this.#group.committed.set(nameOf(commit), commit);
  }

  async leave(): Promise<void> {
    const at = this.#group.members.indexOf(this);
    if (at < 0) return;
    this.#group.members.splice(at, 1);
    await Promise.resolve();
    this.#kafka.share(this.#group);
  }

  async #alive(): Promise<void> {
    await Promise.resolve();
    if (this.life.left <= 0) throw new Error("dead");
  }
}
