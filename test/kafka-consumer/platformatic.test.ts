import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import type { GroupEvents, Message } from "../../src/kafka/client.ts";
import { platformaticClient } from "../../src/kafka/platformatic.ts";

const CONNECTION = {
  brokers: ["127.0.0.1:9092"],
  tls: undefined,
  sasl: undefined,
  sessionTimeoutMillis: 30_000,
  maxFetchBytes: 1_000,
};

class FakeConsumer extends EventEmitter {
  static readonly made: FakeConsumer[] = [];
  readonly topics = { trackAll: (): void => undefined };
  constructor() {
    super();
    FakeConsumer.made.push(this);
  }
  async joinGroup(): Promise<void> {}
}

/** As much of the package as is used; what it was given to send. */
class FakeProducer extends EventEmitter {
  static readonly sent: unknown[] = [];
  async send(options: unknown): Promise<void> {
    FakeProducer.sent.push(options);
  }
}

const client = () =>
  platformaticClient(
    { Consumer: FakeConsumer, Producer: FakeProducer, ProduceAcks: { ALL: -1 } } as never,
    CONNECTION as never,
  );

test("one heartbeat that fails loses the membership: the library sends no other after it", async () => {
  const lost: string[] = [];
  const events: GroupEvents = {
    assigned: () => undefined,
    rebalancing: () => undefined,
    lost: ({ message }) => lost.push(message),
  };
  await client().member("group", ["spans"]).join(events);
  const [member] = FakeConsumer.made;
  const inner = new Error("connect ECONNREFUSED 127.0.0.1:9092");
  member?.emit("consumer:heartbeat:error", { error: new AggregateError([inner], "heartbeat failed 2 times.") });
  expect(lost).toEqual(["connect ECONNREFUSED 127.0.0.1:9092"]);
});

test("headers that are passed on are written as they are, before others, and may have one name", async () => {
  const name = (): Buffer => Buffer.from("a");
  const message: Message = {
    topic: "dead",
    key: undefined,
    value: Buffer.from("v"),
    rawHeaders: [
      [name(), Buffer.from([0xff])],
      [name(), Buffer.from("2")],
    ],
    headers: { why: "no OTLP" },
  };
  await client().writer().write([message]);
  const [{ messages }] = FakeProducer.sent as [{ messages: [{ headers: Map<Buffer, Buffer> }] }];
  expect([...messages[0].headers]).toEqual([
    [Buffer.from("a"), Buffer.from([0xff])],
    [Buffer.from("a"), Buffer.from("2")],
    [Buffer.from("why"), Buffer.from("no OTLP")],
  ]);
});
