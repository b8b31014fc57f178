import { expect, test } from "vitest";
import type { Message } from "../../src/kafka/client.ts";
import { DeadLetters } from "../../src/kafka/dead-letters.ts";

test("a dead letter keeps the headers of its record, before those that say where it came from and why", async () => {
  const written: Message[] = [];
  const letters = new DeadLetters({
    topic: undefined,
    writer: { write: async (messages) => void written.push(...messages) },
    onPut: () => undefined,
    onRetry: () => undefined,
  });
  const rawHeaders = [[Buffer.from("origin"), Buffer.from([0xff])]] as const;
  const record = { offset: 7, timestamp: 1_000, key: Buffer.from("k"), value: Buffer.from("v"), rawHeaders };
  await letters.put({ topic: "spans", partition: 2 }, record, "no OTLP", () => false);
  expect(written).toEqual([
    {
      topic: "spans.dead-letter",
      key: Buffer.from("k"),
      value: Buffer.from("v"),
      rawHeaders,
      headers: {
        "trajectory.original.topic": "spans",
        "trajectory.original.partition": "2",
        "trajectory.original.offset": "7",
        "trajectory.original.timestamp": "1000",
        "trajectory.error": "no OTLP",
      },
    },
  ]);
});
