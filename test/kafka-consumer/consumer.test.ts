import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { stepAccuracy } from "../../src/index.ts";
import { CommandFolder } from "../cli/command.ts";
import { MemoryKafka } from "./memory-kafka.ts";
import { allRead, consume, request, type TestConsumer, type TestOptions, until } from "./support.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());
folder.write(
  "expected.yaml",
  "expectations: [{ expected_steps: [a, b] }, { unit: session, expected_steps: [a, b, a, b] }]",
);

const scorers = [stepAccuracy(), stepAccuracy({ unit: "session", metric_name: "in_session" })];
const engine = {
  scorers,
  idleMillis: 100_000,
  lateWindowMillis: 100_000,
  lateSpanMillis: 10_000,
  sessionIdleMillis: 1_000_000,
};
const OPTIONS: TestOptions = { engine, expectations: `${folder.path}/expected.yaml` };

let kafka: MemoryKafka;
beforeEach(() => {
  kafka = new MemoryKafka().topic("spans", 2).topic("sessions").topic("dead");
});

const span = (trace: string, name: string, session?: string): string =>
  name === "agent"
    ? request({ trace, span: `${trace}0`, agent: "guide", ...(session === undefined ? {} : { session }) })
    : request({ trace, span: `${trace}${name}`, parent: `${trace}0`, tool: name });

/** A whole trace of two steps, record by record. */
function trace(
  name: string,
  at: number,
  { session, partition = 0 }: { session?: string; partition?: number } = {},
): void {
  for (const part of ["a", "b", "agent"]) kafka.append("spans", span(name, part, session), at, partition);
}

/** Much later, in this partition of spans. */
function later(at: number, partition = 0): void {
  kafka.append("spans", request({ trace: `z${at}`, span: "z" }), at, partition);
}

const committed = (topic: string, partition = 0): number =>
  kafka.group(topic === "sessions" ? "group-sessions" : "group").committed.get(`${topic}/${partition}`)?.offset ?? 0;

const said = ({ rows }: TestConsumer): string[] =>
  rows()
    .map(({ unit_id, score, revision, complete }) => `${unit_id.slice(-8)} ${score} r${revision} ${complete}`)
    .sort();

const unit = (name: string): string => Buffer.from(name).toString("hex").padStart(8, "0");

describe("offsets", () => {
  test("are committed up to the oldest trace that is not over", async () => {
    trace("one", 1_000_000);
    kafka.append("spans", span("two", "a"), 1_150_000);
    later(1_210_000);
    const consumer = consume(kafka, OPTIONS);
    await allRead(kafka, [consumer]);
    await until(() => committed("spans") === 3);
    expect(said(consumer)).toEqual([`${unit("one").slice(-8)} 1 r0 true`]);
    await consumer.consumer.stop(1_000);
    expect(committed("spans")).toBe(3);
  });

  test("are not committed before the outputs have accepted what was scored", async () => {
    trace("one", 1_000_000);
    later(9_000_000);
    const consumer = consume(kafka, OPTIONS);
    consumer.outputs.open = false;
    await until(() => consumer.rows().length === 1);
    await allRead(kafka, [consumer]);
    await new Promise<void>((resolve) => setTimeout(resolve, 20));
    expect(kafka.group("group").committed.size).toBe(0);
    consumer.outputs.open = true;
    await until(() => committed("spans") === 3);
    await consumer.consumer.stop(1_000);
  });

  test("nor before the session topic has", async () => {
    kafka.failing.add("sessions");
    trace("one", 1_000_000, { session: "s" });
    later(9_000_000);
    const consumer = consume(kafka, OPTIONS);
    await until(() => consumer.rows().length === 1);
    await until(() => consumer.log().some(({ message }) => String(message).includes("session topic now")));
    expect(kafka.group("group").committed.size).toBe(0);
    kafka.failing.clear();
    await until(() => committed("spans") === 3);
    expect(kafka.log("sessions")).toHaveLength(1);
    await consumer.consumer.stop(1_000);
  });

  test("nothing is read while results do not leave", async () => {
    const consumer = consume(kafka, OPTIONS);
    await allRead(kafka, [consumer]);
    consumer.outputs.full = true;
    trace("one", 1_000_000);
    later(9_000_000);
    await until(() => consumer.log().some(({ message }) => String(message).startsWith("nothing is read for now")));
    expect(consumer.consumer.counts.records).toBe(0);
    consumer.outputs.full = false;
    await until(() => consumer.rows().length === 1);
    await consumer.consumer.stop(1_000);
  });
});

describe("goes on", () => {
  test("after its membership was lost, and loses nothing", async () => {
    trace("one", 1_000_000);
    const consumer = consume(kafka, OPTIONS);
    await allRead(kafka, [consumer]);
    for (const { events } of kafka.group("group").members) events?.lost(new Error("the coordinator is gone"));
    later(9_000_000);
    await until(() => committed("spans") === 3);
    expect(said(consumer)).toEqual([`${unit("one").slice(-8)} 1 r0 true`]);
    expect(kafka.group("group").members).toHaveLength(1);
    expect(JSON.stringify(consumer.log())).toContain("the coordinator is gone");
    await consumer.consumer.stop(1_000);
  });

  test("with the first record that is there, where others were deleted before they were read", async () => {
    trace("one", 1_000_000);
    trace("two", 2_000_000);
    const consumer = consume(kafka, OPTIONS);
    await allRead(kafka, [consumer]);
    consumer.outputs.full = true;
    trace("three", 3_000_000);
    await until(() => consumer.log().some(({ message }) => String(message).startsWith("nothing is read for now")));
    for (let times = 0; times < 4; times += 1) trace(`gone${times}`, 3_100_000);
    trace("four", 4_000_000);
    later(9_000_000);
    kafka.deleted.set("spans/0", 21);
    consumer.outputs.full = false;
    await until(() => committed("spans") === 24);
    const told = consumer.log().find(({ message }) => String(message).startsWith("records were deleted"));
    expect(told).toMatchObject({ topic: "spans", partition: 0, level: "error" });
    expect(said(consumer).at(-1)).toBe(`${unit("four").slice(-8)} 1 r0 true`);
    expect(said(consumer).join()).not.toContain(unit("gone").slice(-8));
    await consumer.consumer.stop(1_000);
  });

  test("also where that happened while nobody was there", async () => {
    trace("one", 1_000_000);
    const first = consume(kafka, OPTIONS);
    await until(() => kafka.group("group").committed.size > 0);
    await first.consumer.stop(1_000);
    trace("two", 2_000_000);
    later(9_000_000);
    kafka.deleted.set("spans/0", 3);
    const second = consume(kafka, OPTIONS);
    await until(() => committed("spans") === 6);
    expect(said(second)).toEqual([`${unit("two").slice(-8)} 1 r0 true`]);
    expect(second.log()).toMatchObject([{ message: "records were deleted before they were read", records: 3 }]);
    await second.consumer.stop(1_000);
  });
});

test("a group that begins with what comes is not moved on by what came while nobody was there", async () => {
  trace("one", 1_000_000);
  const first = consume(kafka, { ...OPTIONS, from: "latest" });
  await until(() => committed("spans") === 3);
  first.kill();
  trace("two", 2_000_000);
  const second = consume(kafka, { ...OPTIONS, from: "latest" });
  later(9_000_000);
  await allRead(kafka, [second]);
  expect(said(second)).toEqual([`${unit("two").slice(-8)} 1 r0 true`]);
  await second.consumer.stop(1_000);
  await first.consumer.stop(0);
});

describe("whoever comes next", () => {
  test("scores what was open, whole, and says nothing again of what was committed", async () => {
    trace("one", 1_000_000);
    kafka.append("spans", span("two", "a"), 1_150_000);
    kafka.append("spans", span("one", "x"), 1_160_000);
    later(1_210_000);
    const first = consume(kafka, OPTIONS);
    await allRead(kafka, [first]);
    await until(() => committed("spans") === 3);
    first.kill();
    for (const name of ["b", "agent"]) kafka.append("spans", span("two", name), 1_220_000);
    later(9_000_000);
    const second = consume(kafka, OPTIONS);
    await allRead(kafka, [second]);
    expect(said(second)).toEqual([`${unit("two").slice(-8)} 1 r0 true`]);
    expect(second.consumer.replayed).toBe(1);
    expect(said(first).map((line) => line.split(" ")[0])).toEqual([unit("one").slice(-8), unit("one").slice(-8)]);
    await second.consumer.stop(1_000);
    await first.consumer.stop(0);
  });

  test("a partition that goes to another is let go unscored, and the other has it whole", async () => {
    trace("one", 1_000_000, { partition: 1 });
    const first = consume(kafka, OPTIONS);
    await allRead(kafka, [first]);
    const second = consume(kafka, OPTIONS);
    await until(() => [...second.consumer.partitions()].some(({ place }) => place.topic === "spans"));
    later(9_000_000, 0);
    later(9_000_000, 1);
    await allRead(kafka, [first, second]);
    expect([...said(first), ...said(second)]).toEqual([`${unit("one").slice(-8)} 1 r0 true`]);
    const shares = [first, second].map(({ consumer }) =>
      [...consumer.partitions()].filter(({ place }) => place.topic === "spans").map(({ place }) => place.partition),
    );
    expect(shares).toEqual([[0], [1]]);
    await Promise.all([first, second].map(({ consumer }) => consumer.stop(1_000)));
  });

  test("ending scores nothing early and commits what it can", async () => {
    trace("one", 1_000_000);
    kafka.append("spans", span("two", "a"), 1_500_000);
    const consumer = consume(kafka, { ...OPTIONS, limits: { commitIntervalMillis: 60_000 } });
    await allRead(kafka, [consumer]);
    await consumer.consumer.stop(1_000);
    expect(said(consumer)).toEqual([`${unit("one").slice(-8)} 1 r0 true`]);
    expect(committed("spans")).toBe(3);
    expect(kafka.group("group").members).toEqual([]);
  });
});

test("a topic that cannot be read makes the consumer unready, until it can", async () => {
  kafka.unreadable.add("spans");
  trace("one", 1_000_000);
  const consumer = consume(kafka, OPTIONS);
  await until(() => consumer.log().some(({ message }) => String(message).startsWith("nothing can be read now")));
  await until(() => consumer.consumer.notReady()?.includes("cannot be read") === true);
  kafka.unreadable.clear();
  await allRead(kafka, [consumer]);
  expect(consumer.consumer.notReady()).toBeUndefined();
  await consumer.consumer.stop(1_000);
});

describe("records that cannot be read", () => {
  test.each([
    ["no OTLP", Buffer.from("garbage"), /^not an ExportTraceServiceRequest in protobuf/],
    ["no JSON", Buffer.from('{"resourceSpans": ['), /^not an ExportTraceServiceRequest in json/],
    ["too long", Buffer.alloc(2_000, "x"), /longer than 1000 bytes/],
  ])("go to the dead-letter topic, whole and with their place: %s", async (_, value, why) => {
    trace("one", 1_000_000);
    kafka.append("spans", value, 1_001_000);
    later(9_000_000);
    const consumer = consume(kafka, { ...OPTIONS, limits: { maxRecordBytes: 1_000 } });
    await allRead(kafka, [consumer]);
    await until(() => committed("spans") === 4);
    const [dead, ...more] = kafka.log("dead");
    expect(more).toEqual([]);
    expect(dead?.value).toEqual(value);
    expect(dead?.headers).toMatchObject({
      "trajectory.original.topic": "spans",
      "trajectory.original.partition": "0",
      "trajectory.original.offset": "3",
      "trajectory.error": expect.stringMatching(why) as string,
    });
    expect(consumer.consumer.deadLetters).toBe(1);
    expect(JSON.stringify(consumer.log())).not.toMatch(/garbage|xxxx|resourceSpans/);
    expect(consumer.log().flatMap((line) => line["why"] ?? [])).toEqual([expect.stringMatching(why)]);
    expect(said(consumer)).toEqual([`${unit("one").slice(-8)} 1 r0 true`]);
    await consumer.consumer.stop(1_000);
  });

  test("hold their partition back until they are safe", async () => {
    kafka.failing.add("dead");
    kafka.append("spans", "garbage", 1_000_000);
    trace("one", 1_001_000);
    later(9_000_000);
    const consumer = consume(kafka, OPTIONS);
    await until(() => consumer.log().some(({ message }) => String(message).includes("waits for that")));
    expect([consumer.rows(), committed("spans")]).toEqual([[], 0]);
    kafka.failing.clear();
    await until(() => committed("spans") === 4);
    expect(kafka.log("dead")).toHaveLength(1);
    await consumer.consumer.stop(1_000);
  });

  test("a record without a value is nothing", async () => {
    kafka.append("spans", null, 1_000);
    const consumer = consume(kafka, OPTIONS);
    await until(() => committed("spans") === 1);
    expect(kafka.log("dead")).toEqual([]);
    await consumer.consumer.stop(1_000);
  });
});
