import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";

const read = () => parse(readFileSync(new URL("../../examples/kafka/collector.yaml", import.meta.url), "utf8"));

/** `max_message_bytes` of the exporter's producer, a little below what brokers take. */
const LARGEST_RECORD = 1_000_000;

test("a trace stays in one partition, and every replica has a record before it counts as sent", () => {
  expect(read().exporters.kafka).toMatchObject({ partition_traces_by_id: true, producer: { required_acks: -1 } });
});

test("no record is too large for the broker, the queue is bounded, and what is in it is never given up", () => {
  const { sending_queue: queue, retry_on_failure: retry } = read().exporters.kafka;
  expect(queue).toMatchObject({ sizer: "items", queue_size: expect.any(Number), batch: { sizer: "bytes" } });
  expect(queue.batch.max_size).toBeLessThan(LARGEST_RECORD);
  expect(retry.max_elapsed_time).toBe("0s");
});
