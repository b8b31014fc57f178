import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exactMatch, stepAccuracy, toolF1, toolSelectionAccuracy } from "../../src/index.ts";
import { CommandFolder } from "../cli/command.ts";
import { post, start } from "../serve/support.ts";
import { type Comparable, comparable, REQUESTS, scoredFromFile } from "../support/equality.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { MemoryKafka } from "./memory-kafka.ts";
import { allRead, consume, request } from "./support.ts";

const SCORERS = ["step_accuracy", "tool_selection_accuracy", "exact_match", "tool_f1"];
const HOUR = 3_600_000;
const folder = new CommandFolder();
afterAll(() => folder.remove());
let fromFile: readonly unknown[] = [];
let expectations = "";

beforeAll(async () => {
  fromFile = await scoredFromFile(folder, SCORERS);
  expectations = join(folder.path, "expectations.json");
});

/** A span of no kind, much later: everything before it is over. */
function later(kafka: MemoryKafka, topic: string, timestamp: number): void {
  kafka.append(topic, request({ trace: `tick${timestamp}`, span: "tick" }), timestamp);
}

test("recorded spans, read from Kafka as JSON and protobuf in turn, give what they give from the file", async () => {
  const kafka = new MemoryKafka().topic("spans");
  for (const [index, value] of REQUESTS.entries()) {
    const record = index % 2 === 0 ? JSON.stringify(value) : Buffer.from(protobufOf(value));
    kafka.append("spans", record, 1_000_000 + index);
  }
  later(kafka, "spans", 1_000_000 + HOUR);
  const scorers = [stepAccuracy(), toolSelectionAccuracy(), exactMatch(), toolF1()];
  const consumer = consume(kafka, { expectations, engine: { scorers, maxTraces: 100_000 } });
  await allRead(kafka, [consumer]);
  await consumer.consumer.stop(1_000);
  expect(consumer.log()).toEqual([]);
  expect(fromFile.length).toBeGreaterThan(800);
  expect(comparable(consumer.rows())).toEqual(fromFile);
});

test("sessions that are scored by way of their topic have the scores that serve gives them", async () => {
  folder.write(
    "sessions.yaml",
    "expectations: [{ unit: session, expected_steps: [a, b], expected_calls: [{ name: a }] }]",
  );
  const scorers = [
    stepAccuracy({ unit: "session" }),
    exactMatch({ unit: "session" }),
    toolF1({ unit: "session", expected_calls: [{ name: "search", args: { q: "x" } }], metric_name: "calls" }),
  ];
  const options = { expectations: join(folder.path, "sessions.yaml"), engine: { scorers, maxTraces: 100_000 } };
  const service = await start(options);
  for (const value of REQUESTS) await post(service.port, value);
  await service.stop();

  const kafka = new MemoryKafka().topic("spans").topic("sessions", 3);
  for (const [index, value] of REQUESTS.entries()) kafka.append("spans", JSON.stringify(value), 1_000_000 + index);
  later(kafka, "spans", 1_000_000 + HOUR);
  const consumer = consume(kafka, options);
  await allRead(kafka, [consumer]);
  // Something that is said in each partition of sessions, much later.
  for (const partition of [0, 1, 2]) {
    const last = kafka.log("sessions", partition).at(-1)?.value?.toString("utf8") ?? "";
    const other = last
      .replace(/"session_id":"[^"]*"/, '"session_id":"another"')
      .replace(/"key":"[^"]*"/, '"key":"other"');
    kafka.append("sessions", other, 1_000_000 + 3 * HOUR, partition);
  }
  await allRead(kafka, [consumer]);
  await consumer.consumer.stop(1_000);
  const rows = comparable(service.rows() as unknown as Comparable[]);
  expect(rows.length).toBeGreaterThan(30);
  expect(comparable(consumer.rows())).toEqual(rows);
});
