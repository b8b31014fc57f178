// Topics from outside: what is in one, how far a group has come, and records of one's own.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { Consumer, Producer } from "@platformatic/kafka";
import protobuf from "protobufjs";

const schema = protobuf.parse(readFileSync(new URL("../support/otlp.proto", import.meta.url), "utf8")).root;
const Request = schema.lookupType("otlp.ExportTraceServiceRequest");

const clientOf = (broker) => ({ clientId: "rig", bootstrapBrokers: [broker.address], retries: 5, timeout: 10_000 });

/** The next offset of every partition of a topic. */
export function endsOf(broker, topic) {
  return broker.admin(async (admin) => {
    const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
    const { partitionsCount } = topics.get(topic);
    const partitions = Array.from({ length: partitionsCount }, (_, partitionIndex) => ({
      partitionIndex,
      timestamp: -1n,
    }));
    const [listed] = await admin.listOffsets({ topics: [{ name: topic, partitions }] });
    const ends = Array.from({ length: partitionsCount }, () => 0n);
    for (const { partitionIndex, offset } of listed.partitions) ends[partitionIndex] = offset;
    return ends;
  });
}

/** Records of a topic that a group has not committed yet: all of them where it has committed nothing. */
export async function lagOf(broker, group, topic) {
  const ends = await endsOf(broker, topic);
  const [{ topics }] = await broker.admin((admin) =>
    admin.listConsumerGroupOffsets({
      groups: [{ groupId: group, topics: [{ name: topic, partitionIndexes: [...ends.keys()] }] }],
    }),
  );
  const committed = new Map(
    topics.flatMap(({ partitions }) => partitions.map((each) => [each.partitionIndex, each.committedOffset])),
  );
  return ends.reduce((sum, end, partition) => {
    const offset = committed.get(partition) ?? -1n;
    return sum + Number(end - (offset < 0n ? 0n : offset));
  }, 0);
}

/** All records of a topic, up to where it ends now. */
export async function recordsOf(broker, topic) {
  const ends = await endsOf(broker, topic);
  let missing = ends.reduce((sum, end) => sum + Number(end), 0);
  const records = [];
  if (missing === 0) return records;
  const consumer = new Consumer({ ...clientOf(broker), groupId: `rig-${randomUUID()}`, autocommit: false });
  try {
    const stream = await consumer.consume({ topics: [topic], mode: "earliest", maxWaitTime: 100 });
    for await (const record of stream) {
      records.push(record);
      missing -= 1;
      if (missing === 0) break;
    }
    return records;
  } finally {
    await consumer.close(true);
  }
}

/** Whether the topics have all spans of the given traces, `each` of every one. Records with headers are not the Collector's. */
export async function haveAll(broker, topics, traces, each) {
  const found = await Promise.all(topics.map(async (topic) => spansByTrace(await recordsOf(broker, topic))));
  return found.every((spans) => traces.every((id) => spans.get(id)?.size === each));
}

function spansByTrace(records) {
  const spans = new Map();
  for (const { value, headers } of records) {
    if (headers.size > 0) continue;
    const json = value[0] === "{".charCodeAt(0);
    const { resourceSpans } = json ? JSON.parse(value.toString("utf8")) : Request.decode(value);
    const idOf = (id) => (json ? id : Buffer.from(id).toString("hex"));
    for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))) {
      const known = spans.get(idOf(span.traceId)) ?? new Set();
      spans.set(idOf(span.traceId), known.add(idOf(span.spanId)));
    }
  }
  return spans;
}

/** Writes records as they are: `key`, `value`, `headers`, `partition`. */
export async function produce(broker, topic, records) {
  const producer = new Producer(clientOf(broker));
  try {
    await producer.send({ messages: records.map((record) => ({ topic, ...record })), acks: -1 });
  } finally {
    await producer.close();
  }
}
