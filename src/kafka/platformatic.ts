import type { ConnectionOptions as TlsOptions } from "node:tls";
import type { BaseOptions, Consumer, GroupPartitionsAssigner, RecordsBatch } from "@platformatic/kafka";
import { messageOf } from "../model/errors.ts";
import { shareOut } from "./assignor.ts";
import {
  type Client,
  type Commit,
  type Fetched,
  type GroupEvents,
  type GroupMember,
  type KafkaRecord,
  type Message,
  OutOfRange,
  type Place,
  type RawHeader,
  TooLarge,
  type Writer,
} from "./client.ts";

type Kafka = typeof import("@platformatic/kafka");

/** How brokers are reached, and how long is waited for what. */
export interface Connection {
  readonly brokers: readonly string[];
  readonly tls: TlsOptions | undefined;
  readonly sasl:
    | {
        readonly mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "OAUTHBEARER";
        readonly username?: string | undefined;
        readonly password?: string | undefined;
        readonly token?: string | undefined;
      }
    | undefined;
  /** How long a member may be silent before its partitions go to others. */
  readonly sessionTimeoutMillis: number;
  readonly maxFetchBytes: number;
}

const CLIENT_ID = "otel-trajectory";
/** How we share partitions out: a member that shares them out in another way cannot join. */
const PROTOCOL = "otel-trajectory-rendezvous";
const REBALANCE_MILLIS = 20_000;
/** Members say so often that they are there, at least. */
const HEARTBEAT_MILLIS = 3_000;
const FETCH_WAIT_MILLIS = 500;
/** Brokers are waited for one beside the other, so that a quiet one holds back a busy one. */
const FETCH_WAIT_OF_SEVERAL_MILLIS = 100;
const MAX_BYTES_OF_PARTITION = 1024 * 1024;
/** The whole log, to readers that do not follow leaders' epochs. */
const ANY_EPOCH = -1;
/** Bits of a batch's attributes. */
const APPEND_TIME = 8;
const CONTROL = 32;

/** Kafka by way of the package of that name. */
export function platformaticClient(kafka: Kafka, connection: Connection): Client {
  const options = baseOptions(connection);
  return {
    member: (groupId, topics) => new Member(kafka, connection, options, groupId, topics),
    writer: () => new Producing(kafka, options),
    check: async (topics) => {
      const base = new kafka.Base({ ...options, retries: 0 });
      try {
        const missing: string[] = [];
        for (const topic of topics) {
          try {
            await base.metadata({ topics: [topic] });
          } catch (error) {
            if (unknownTopic(error) === undefined) throw explained(error, connection);
            missing.push(topic);
          }
        }
        if (missing.length > 0) throw missingTopics(missing, connection);
      } finally {
        await base.close().catch(() => undefined);
      }
    },
  };
}

function baseOptions({ brokers, tls, sasl }: Connection): BaseOptions {
  return {
    clientId: CLIENT_ID,
    bootstrapBrokers: [...brokers],
    retries: 1,
    retryDelay: 250,
    ...(tls === undefined ? {} : { tls }),
    ...(sasl === undefined ? {} : { sasl: definedOnly(sasl) }),
  };
}

function definedOnly<T extends object>(given: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

class Member implements GroupMember {
  readonly #kafka: Kafka;
  readonly #connection: Connection;
  readonly #topics: readonly string[];
  /** The member. Its connections carry nothing that waits, so that it is never late to say that it is there. */
  readonly #consumer: Consumer;
  /** Fetches on connections of its own; it is in no group. */
  readonly #reader: Consumer;
  #generation = 0;
  #memberId = "";

  constructor(kafka: Kafka, connection: Connection, options: BaseOptions, groupId: string, topics: readonly string[]) {
    this.#kafka = kafka;
    this.#connection = connection;
    this.#topics = topics;
    const { sessionTimeoutMillis: sessionTimeout } = connection;
    const rebalanceTimeout = Math.max(REBALANCE_MILLIS, sessionTimeout);
    this.#consumer = new kafka.Consumer({
      ...options,
      groupId,
      sessionTimeout,
      rebalanceTimeout,
      // Joining takes as long as the slowest member.
      requestTimeout: rebalanceTimeout + 10_000,
      heartbeatInterval: Math.min(HEARTBEAT_MILLIS, Math.floor(sessionTimeout / 3)),
      protocols: [{ name: PROTOCOL, version: 1 }],
      partitionAssigner,
    });
    this.#reader = new kafka.Consumer({ ...options, groupId });
    for (const client of [this.#consumer, this.#reader]) client.topics.trackAll(...topics);
  }

  async join(events: GroupEvents): Promise<void> {
    const consumer = this.#consumer;
    consumer.on("error", (error: Error) => events.lost(error));
    consumer.on("consumer:group:rebalance", () => events.rebalancing());
    consumer.on("consumer:group:join", ({ memberId, generationId = 0, assignments = [] }) => {
      const kept = memberId === this.#memberId && generationId === this.#generation + 1;
      this.#memberId = memberId;
      this.#generation = generationId;
      const places = assignments.flatMap(({ topic, partitions }) =>
        partitions.map((partition) => ({ topic, partition })),
      );
      events.assigned(places, kept);
    });
    // The library stops its heartbeats at the first that fails, and says so nowhere: in a while the group gives us up.
    consumer.on("consumer:heartbeat:error", ({ error }) => events.lost(new Error(innermost(error))));
    try {
      await consumer.joinGroup({});
    } catch (error) {
      throw explained(error, this.#connection);
    }
  }

  async committed(places: readonly Place[]): Promise<readonly (Commit | undefined)[]> {
    const topics = byTopic(places).map(([name, partitions]) => ({
      name,
      partitionIndexes: partitions.map(({ partition }) => partition),
    }));
    const { groups } = await this.#kafka.offsetFetchV8.api.async(
      await this.#coordinator(),
      [{ groupId: this.#consumer.groupId, memberId: null, memberEpoch: -1, topics }],
      true,
    );
    return places.map(({ topic, partition }) => {
      const found = groups[0]?.topics
        .find(({ name }) => name === topic)
        ?.partitions.find(({ partitionIndex }) => partitionIndex === partition);
      if (found === undefined || found.committedOffset < 0n) return undefined;
      return { topic, partition, offset: Number(found.committedOffset), metadata: found.metadata ?? "" };
    });
  }

  async bounds(places: readonly Place[]): Promise<readonly { readonly first: number; readonly end: number }[]> {
    const topics = [...new Set(places.map(({ topic }) => topic))];
    const [first, end] = await Promise.all(
      [EARLIEST, LATEST].map((timestamp) => this.#reader.listOffsets({ topics, timestamp })),
    );
    const at = (offsets: typeof first, { topic, partition }: Place): number =>
      Number(offsets?.get(topic)?.[partition] ?? 0n);
    return places.map((place) => ({ first: at(first, place), end: at(end, place) }));
  }

  async fetch(positions: readonly (Place & { readonly offset: number })[]): Promise<readonly Fetched[]> {
    const metadata = await this.#reader.metadata({ topics: [...this.#topics] });
    const byLeader = new Map<number, typeof positions>();
    for (const position of positions) {
      const leader = metadata.topics.get(position.topic)?.partitions[position.partition]?.leader ?? -1;
      if (leader >= 0) byLeader.set(leader, [...(byLeader.get(leader) ?? []), position]);
    }
    if (byLeader.size === 0) throw new Error("no partition has a leader");
    const wait = byLeader.size === 1 ? FETCH_WAIT_MILLIS : FETCH_WAIT_OF_SEVERAL_MILLIS;
    const names = new Map([...metadata.topics].map(([name, { id }]) => [id, name]));
    const fetched = await Promise.all(
      [...byLeader].map(([node, wanted]) => {
        const topics = byTopic(wanted).map(([topic, partitions]) => ({
          topicId: metadata.topics.get(topic)?.id ?? "",
          partitions: partitions.map(({ partition, offset }) => ({
            partition,
            fetchOffset: BigInt(offset),
            partitionMaxBytes: MAX_BYTES_OF_PARTITION,
            currentLeaderEpoch: ANY_EPOCH,
            lastFetchedEpoch: ANY_EPOCH,
          })),
        }));
        return this.#reader.fetch({ node, topics, maxWaitTime: wait, maxBytes: this.#connection.maxFetchBytes });
      }),
    ).catch((error: unknown) => {
      this.#reader.clearMetadata();
      throw hasId(error, "OFFSET_OUT_OF_RANGE") ? new OutOfRange(messageOf(error)) : new Error(innermost(error));
    });
    const from = new Map(positions.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
    return fetched.flatMap(({ responses }) =>
      responses.flatMap(({ topicId, partitions }) =>
        partitions.map(({ partitionIndex: partition, records = [], lastStableOffset }) => {
          const topic = names.get(topicId) ?? "";
          const start = from.get(`${topic}/${partition}`) ?? 0;
          return { topic, partition, ...recordsOf(records, start), end: Number(lastStableOffset) };
        }),
      ),
    );
  }

  async commit(commits: readonly Commit[]): Promise<void> {
    const topics = byTopic(commits).map(([name, partitions]) => ({
      name,
      partitions: partitions.map(({ partition, offset, metadata }) => ({
        partitionIndex: partition,
        committedOffset: BigInt(offset),
        committedLeaderEpoch: ANY_EPOCH,
        committedMetadata: metadata,
      })),
    }));
    // The library's own way has no metadata, and joins the group again before it tries again: then with offsets of
    // partitions that may be somebody else's.
    const coordinator = await this.#coordinator();
    const { groupId } = this.#consumer;
    try {
      const { async: send } = this.#kafka.offsetCommitV8.api;
      await send(coordinator, groupId, this.#generation, this.#memberId, null, topics);
    } catch (error) {
      throw new Error(innermost(error), { cause: error });
    }
  }

  async leave(): Promise<void> {
    this.#consumer.on("error", () => undefined);
    for (const client of [this.#consumer, this.#reader]) {
      await new Promise<void>((resolve) => client.close(true, () => resolve()));
    }
  }

  async #coordinator(): Promise<Parameters<Kafka["offsetFetchV8"]["api"]["async"]>[0]> {
    const id = await this.#consumer.findGroupCoordinator();
    const connection = (await this.#consumer.connectToBrokers([id])).get(id);
    if (connection === undefined) throw new Error(`the group's coordinator, broker ${id}, is not known`);
    return connection;
  }
}

const partitionAssigner: GroupPartitionsAssigner = (_, members, topics, metadata) => {
  const places = [...topics].flatMap((topic) =>
    Array.from({ length: metadata.topics.get(topic)?.partitionsCount ?? 0 }, (__, partition) => ({ topic, partition })),
  );
  return [...shareOut([...members.keys()], places)].map(([memberId, share]) => ({
    memberId,
    assignments: new Map(
      byTopic(share).map(([topic, list]) => [topic, { topic, partitions: list.map(({ partition }) => partition) }]),
    ),
  }));
};

/** Times that stand for the ends of a log. */
const EARLIEST = -2n;
const LATEST = -1n;

function byTopic<T extends Place>(places: readonly T[]): [string, T[]][] {
  const topics = new Map<string, T[]>();
  for (const place of places) topics.set(place.topic, [...(topics.get(place.topic) ?? []), place]);
  return [...topics];
}

/** A batch begins where its writer began it, which may be before the offset that was asked for. */
function recordsOf(batches: readonly RecordsBatch[], start: number): Pick<Fetched, "records" | "next"> {
  const records: KafkaRecord[] = [];
  let next = start;
  for (const batch of batches) {
    const first = Number(batch.firstOffset);
    next = Math.max(next, first + batch.lastOffsetDelta + 1);
    if ((batch.attributes & CONTROL) !== 0) continue;
    for (const { offsetDelta, timestampDelta, key, value, headers } of batch.records) {
      const offset = first + offsetDelta;
      if (offset < start) continue;
      const at = (batch.attributes & APPEND_TIME) === 0 ? batch.firstTimestamp + timestampDelta : batch.maxTimestamp;
      records.push({
        offset,
        timestamp: Number(at),
        key,
        value,
        ...(headers.length === 0 ? {} : { rawHeaders: raw(headers) }),
      });
    }
  }
  return { records, next };
}

function raw(headers: RecordsBatch["records"][number]["headers"]): RawHeader[] {
  const empty = Buffer.alloc(0);
  return headers.map(([name, value]) => [name ?? empty, value ?? empty]);
}

class Producing implements Writer {
  readonly #kafka: Kafka;
  readonly #producer: InstanceType<Kafka["Producer"]>;

  constructor(kafka: Kafka, options: BaseOptions) {
    this.#kafka = kafka;
    this.#producer = new kafka.Producer(options);
    this.#producer.on("error", () => undefined);
  }

  async write(messages: readonly Message[]): Promise<void> {
    try {
      await this.#producer.send({
        acks: this.#kafka.ProduceAcks.ALL,
        messages: messages.map(({ topic, key, value, headers = {}, rawHeaders = [], timestamp }) => ({
          topic,
          ...(key === undefined ? {} : { key }),
          ...(value === undefined ? {} : { value }),
          headers: new Map([
            ...rawHeaders,
            ...Object.entries(headers).map(([name, text]): RawHeader => [Buffer.from(name), Buffer.from(text)]),
          ]),
          ...(timestamp === undefined ? {} : { timestamp: BigInt(Math.round(timestamp)) }),
        })),
      });
    } catch (error) {
      const tooLarge = hasId(error, "MESSAGE_TOO_LARGE") || hasId(error, "RECORD_LIST_TOO_LARGE");
      throw tooLarge ? new TooLarge(messageOf(error)) : new Error(innermost(error));
    }
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#producer.close(() => resolve()));
  }
}

interface Searchable {
  readonly findBy?: (property: string, value: unknown) => unknown;
}

function hasId(error: unknown, id: string): boolean {
  return Boolean((error as Searchable | undefined)?.findBy?.("apiId", id));
}

/** What brokers answer while a group's coordinator moves, or is chosen for the first time. */
const COORDINATING = ["NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS"];

/** The topic that does not exist, where that is the fault; "?" where the brokers do not name it. */
function unknownTopic(error: unknown): string | undefined {
  const named = /^Unknown topic (.+?)\.?$/.exec(innermost(error))?.[1];
  return named ?? (hasId(error, "UNKNOWN_TOPIC_OR_PARTITION") ? "?" : undefined);
}

function missingTopics(topics: readonly string[], { brokers }: Pick<Connection, "brokers">): Error {
  const [what, them] = topics.length === 1 ? ["topic", "it"] : ["topics", "them"];
  const verb = topics.length === 1 ? "does" : "do";
  return new Error(`${what} ${topics.join(", ")} ${verb} not exist at ${brokers.join(", ")}: create ${them} first`);
}

/** What went wrong with the brokers, in one line: the innermost words are those that help. */
export function explained(error: unknown, { brokers, sasl }: Pick<Connection, "brokers" | "sasl">): Error {
  const words = innermost(error);
  const unknown = unknownTopic(error);
  if (unknown !== undefined) return missingTopics([unknown], { brokers });
  if (hasId(error, "SASL_AUTHENTICATION_FAILED") || /sasl|authenticat/i.test(words)) {
    return new Error(
      `${brokers.join(", ")}: the brokers refuse ${sasl?.mechanism ?? "clients without SASL"}: ${words}`,
    );
  }
  if (COORDINATING.some((id) => hasId(error, id))) {
    return new Error(`the brokers at ${brokers.join(", ")} are still choosing who coordinates the group: ${words}`);
  }
  // A listener that speaks otherwise than we do hangs up without a word.
  const hint = words === "Connection closed" ? " (does it ask for --tls or --sasl?)" : "";
  return new Error(`no broker could be reached at ${brokers.join(", ")}: ${words}${hint}`);
}

function innermost(error: unknown, depth = 0): string {
  const { errors, cause } = error as { readonly errors?: readonly unknown[]; readonly cause?: unknown };
  const inner = errors?.[0] ?? cause;
  return inner === undefined || depth > 5 ? messageOf(error) : innermost(inner, depth + 1);
}
