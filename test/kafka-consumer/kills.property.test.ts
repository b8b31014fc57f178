import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { stepAccuracy } from "../../src/index.ts";
import { CommandFolder } from "../cli/command.ts";
import { MemoryKafka } from "./memory-kafka.ts";
import { allRead, consume, request, type TestConsumer, type TestOptions, until } from "./support.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());
folder.write("expected.yaml", "expectations: [{ expected_steps: [a, b] }, { unit: session, expected_steps: [a, b] }]");

const SECOND = 1_000;
const scorers = [stepAccuracy(), stepAccuracy({ unit: "session", metric_name: "in_session" })];
const OPTIONS: TestOptions = {
  expectations: `${folder.path}/expected.yaml`,
  engine: {
    scorers,
    idleMillis: 100 * SECOND,
    lateWindowMillis: 100 * SECOND,
    lateSpanMillis: 10 * SECOND,
    sessionIdleMillis: 1_000 * SECOND,
  },
  limits: { rememberMillis: 2_000 * SECOND },
};

interface Step {
  readonly slot: number;
  readonly name: string;
  readonly lull: number;
  readonly fresh: boolean;
}

/** Spans of up to six traces at a time, in two partitions, with lulls in which some fall quiet, and stragglers. */
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    slot: fc.nat(5),
    name: fc.constantFrom("a", "b", "c", "agent"),
    lull: fc.oneof({ weight: 5, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(150) }),
    fresh: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
  }),
  { minLength: 30, maxLength: 70 },
);

function kafkaOf(log: readonly Step[]): MemoryKafka {
  const kafka = new MemoryKafka().topic("spans", 2).topic("sessions", 2).topic("dead");
  kafka.batch = 3;
  let at = 1_000_000 * SECOND;
  const traces: string[] = [];
  const serials = new Map<string, number>();
  for (const [index, { slot, name, lull, fresh }] of log.entries()) {
    at += lull * SECOND;
    const trace = fresh || traces[slot] === undefined ? `t${index}` : (traces[slot] as string);
    traces[slot] = trace;
    const serial = (serials.get(trace) ?? 0) + 1;
    serials.set(trace, serial);
    const session = `s${slot % 3}`;
    const span =
      name === "agent"
        ? request({ trace, span: serial === 1 ? `${trace}0` : `${trace}g${serial}`, agent: "guide", session })
        : request({ trace, span: `${trace}${serial}`, parent: `${trace}0`, tool: name, session });
    kafka.append("spans", span, at, slot % 2);
  }
  // So much later that everything is over, in each partition.
  for (const partition of [0, 1]) {
    kafka.append("spans", request({ trace: `z${partition}`, span: "z" }), at + 100_000 * SECOND, partition);
  }
  return kafka;
}

/** In each partition of sessions something is said so much later that all sessions before it are over. */
function endSessions(kafka: MemoryKafka): void {
  for (const partition of [0, 1]) {
    const last = kafka.log("sessions", partition).at(-1);
    if (last === undefined) continue;
    const other = String(last.value?.toString("utf8"))
      .replace(/"session_id":"[^"]*"/, '"session_id":"another"')
      .replace(/"key":"[^"]*"/, '"key":"other"');
    kafka.append("sessions", other, last.timestamp + 100_000 * SECOND, partition);
  }
}

/** What was said, each once: its id, its revision, and everything that matters of it. */
function said(consumers: readonly TestConsumer[]): { readonly traces: Set<string>; readonly sessions: Set<string> } {
  const lines = consumers.flatMap(({ rows }) =>
    rows().map(({ evaluation_id, revision, unit_id, score, complete, incomplete_reasons, trace_ids }) =>
      JSON.stringify([unit_id, evaluation_id, revision, score, complete, incomplete_reasons, trace_ids]),
    ),
  );
  return {
    traces: new Set(lines.filter((line) => line.startsWith('["trajectory:'))),
    sessions: new Set(lines.filter((line) => line.startsWith('["session:'))),
  };
}

async function run(kafka: MemoryKafka, lives: readonly number[]): Promise<readonly TestConsumer[]> {
  const consumers: TestConsumer[] = [];
  for (const records of lives) {
    const consumer = consume(kafka, { ...OPTIONS, records });
    consumers.push(consumer);
    // It dies on the way, or with everything read.
    await Promise.any([until(() => consumer.dead()), allRead(kafka, [consumer])]);
    consumer.kill();
  }
  const last = consume(kafka, OPTIONS);
  await allRead(kafka, [last]);
  endSessions(kafka);
  await allRead(kafka, [last]);
  await last.consumer.stop(1_000);
  for (const consumer of consumers) await consumer.consumer.stop(0);
  return [...consumers, last];
}

test("however often a process is killed, what is said of traces is what would have been said, and nothing else", async () => {
  let rows = 0;
  let repeated = 0;
  let replayed = 0;
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 3 }),
      async (log, lives) => {
        const right = said(await run(kafkaOf(log), []));
        const consumers = await run(kafkaOf(log), lives);
        const now = said(consumers);
        expect([...now.traces].sort()).toEqual([...right.traces].sort());
        rows += right.traces.size;
        repeated += consumers.reduce((sum, each) => sum + each.rows().length, 0) - now.traces.size - now.sessions.size;
        replayed += consumers.reduce((sum, { consumer }) => sum + consumer.replayed, 0);
        expect([...now.sessions].sort()).toEqual([...right.sessions].sort());
      },
    ),
    { numRuns: 8, seed: 20_261_130, endOnFailure: true },
  );
  // What is claimed was put to the test.
  expect(rows).toBeGreaterThan(60);
  expect(repeated + replayed).toBeGreaterThan(20);
});
