import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { SessionTrace } from "../../src/buffer/session-buffer.ts";
import { stepAccuracy, toolF1 } from "../../src/index.ts";
import { readSessionMessage, writeSessionMessage } from "../../src/kafka/session-message.ts";
import { CommandFolder } from "../cli/command.ts";
import { MemoryKafka } from "./memory-kafka.ts";
import { allRead, consume, request, type TestConsumer, type TestOptions, until } from "./support.ts";

const folder = new CommandFolder();
afterAll(() => folder.remove());
folder.write("expected.yaml", "expectations: [{ unit: session, expected_steps: [a, b] }]");

const limits = { idleMillis: 100_000, lateWindowMillis: 100_000, lateSpanMillis: 10_000, sessionIdleMillis: 1_000_000 };
const OPTIONS: TestOptions = {
  stage: "sessions",
  expectations: `${folder.path}/expected.yaml`,
  engine: { ...limits, scorers: [stepAccuracy({ unit: "session" })] },
};

let kafka: MemoryKafka;
beforeEach(() => {
  kafka = new MemoryKafka().topic("spans").topic("sessions").topic("dead");
});

interface Told {
  readonly name: string;
  readonly steps?: readonly string[];
  readonly revision?: number;
  readonly session?: string;
  readonly end?: boolean;
}

function traceOf(name: string, steps: readonly string[], end: boolean): SessionTrace {
  const placed = steps.map((step, place) => ({
    step: { kind: "TOOL" as const, name: step, args: { n: 12345678901234567890n }, args_status: "ok" as const },
    start_s: Number(name),
    start_n: 0,
    place,
  }));
  return {
    reasons: [],
    first_span_id: `span${name}`,
    contextual: [],
    bytes: 100,
    trace: {
      trace_id: name,
      steps: placed,
      tools: placed,
      kinds: ["TOOL", "AGENT"],
      unread: [],
      session_id: "s",
      session_conflict: false,
      session_end: end,
      egress: "unknown",
      entry_agent: undefined,
      local_root: { trace_id: name, span_id: "1", trace_flags: 1, name: "root" },
      root_start_s: Number(name),
      root_start_n: 0,
      root_attributes: {},
      agent_attributes: {},
      resource: {},
      annotations: [],
      reasons: [],
      span_count: 3,
    },
  };
}

/** What the trace stage would write. */
function tell(at: number, { name, steps, revision = 0, session = "s", end = false }: Told): void {
  const trace = steps === undefined ? undefined : traceOf(name, steps, end);
  kafka.append("sessions", writeSessionMessage({ session_id: session, key: `${name}/x`, revision, trace }, true), at);
}

const later = (at = 9_000_000): void => tell(at, { name: "9", steps: ["z"], session: `other${at}` });

const said = ({ rows }: TestConsumer): unknown[] =>
  rows()
    .filter(({ unit_id }) => unit_id === "session:s")
    .map(({ score, trace_ids }) => [score, trace_ids]);

async function scored(): Promise<TestConsumer> {
  const consumer = consume(kafka, OPTIONS);
  await allRead(kafka, [consumer]);
  await consumer.consumer.stop(1_000);
  return consumer;
}

describe("a session has each of its traces once", () => {
  test("also where one comes again", async () => {
    for (let times = 0; times < 3; times += 1) tell(1_000_000, { name: "1", steps: ["a"] });
    tell(1_000_500, { name: "2", steps: ["b"] });
    later();
    const consumer = await scored();
    expect(said(consumer)).toEqual([[1, ["1", "2"]]]);
    expect(consumer.consumer.counts.duplicates).toBe(2);
  });

  test("by its latest reading, in whatever order they come", async () => {
    tell(1_000_000, { name: "1", steps: ["x"] });
    tell(1_000_100, { name: "1", steps: ["a", "b"], revision: 2 });
    tell(1_000_200, { name: "1", steps: ["y"], revision: 1 });
    later();
    expect(said(await scored())).toEqual([[1, ["1"]]]);
  });

  test("unless, read again, it turned out to belong to another", async () => {
    tell(1_000_000, { name: "1", steps: ["a", "b"] });
    tell(1_000_100, { name: "2", steps: ["x"] });
    tell(1_000_200, { name: "2", revision: 1 });
    later();
    expect(said(await scored())).toEqual([[1, ["1"]]]);
  });

  test("a session that was scored is never revised", async () => {
    tell(1_000_000, { name: "1", steps: ["a"] });
    tell(1_000_100, { name: "2", steps: ["b"], end: true });
    tell(1_000_200, { name: "1", steps: ["a"] });
    tell(1_000_300, { name: "2", steps: ["x"], revision: 1 });
    later();
    expect(said(await scored())).toEqual([[1, ["1", "2"]]]);
  });

  test("nor by who comes next, who remembers it", async () => {
    tell(1_000_000, { name: "1", steps: ["a"] });
    tell(1_000_100, { name: "2", steps: ["b"], end: true });
    tell(1_010_000, { name: "3", steps: ["z"], session: "other" });
    const first = consume(kafka, OPTIONS);
    await until(() => kafka.group("group-sessions").committed.get("sessions/0")?.offset === 2);
    first.kill();
    tell(1_020_000, { name: "2", steps: ["b"], end: true });
    later();
    const second = await scored();
    expect([said(first), said(second)]).toEqual([[[1, ["1", "2"]]], []]);
    expect([second.consumer.replayed, second.consumer.counts.duplicates]).toEqual([1, 1]);
    await first.consumer.stop(0);
  });
});

test.each([
  ["no JSON", "{", /^not JSON/],
  ["another format", JSON.stringify({ format: 2, session_id: "s" }), /^no session message of format 1: format/],
  ["a step that is not there", null, /there is no step 7$/],
])("what is none of ours goes to the dead-letter topic: %s", async (_, given, why) => {
  const whole = writeSessionMessage(
    { session_id: "s", key: "1/x", revision: 0, trace: traceOf("1", ["a"], false) },
    true,
  );
  kafka.append("sessions", given ?? whole.toString().replace('"steps":[0]', '"steps":[7]'), 1_000_000);
  const consumer = await scored();
  expect(kafka.log("dead").map(({ headers }) => headers?.["trajectory.error"])).toEqual([
    expect.stringMatching(why) as string,
  ]);
  expect(consumer.consumer.deadLetters).toBe(1);
});

describe("what the trace stage writes", () => {
  const span = (trace: string, session: Record<string, string>): string =>
    request({
      trace,
      span: "t",
      tool: "a",
      attributes: { ...session, "gen_ai.tool.call.arguments": '{"secret":"yes"}' },
    });

  async function written(engine: NonNullable<TestOptions["engine"]>): Promise<string[]> {
    kafka.append("spans", span("one", { "session.id": "s" }), 1_000_000);
    kafka.append("spans", span("two", {}), 1_000_000);
    kafka.append("spans", request({ trace: "z", span: "z" }), 9_000_000);
    const consumer = consume(kafka, { stage: "traces", engine: { ...limits, ...engine } });
    await allRead(kafka, [consumer]);
    await consumer.consumer.stop(1_000);
    return kafka.log("sessions").map(({ key, value }) => `${key} ${value}`);
  }

  test("traces of sessions, by session, without content that no scorer looks at", async () => {
    const [message, ...more] = await written({ scorers: [stepAccuracy({ unit: "session" })] });
    expect(more).toEqual([]);
    expect(message).toMatch(/^s \{/);
    expect(message).not.toContain("secret");
    const { trace } = readSessionMessage(Buffer.from(String(message).slice(2)));
    expect(trace?.trace.steps.map(({ step }) => step.name)).toEqual(["a"]);
  });

  test("with it where one does", async () => {
    const expected_calls = [{ name: "a", args: { secret: "yes" } }];
    const [message] = await written({ scorers: [toolF1({ unit: "session", expected_calls })] });
    expect(message).toContain('"args":{"secret":"yes"}');
  });

  test("and nothing where nobody scores sessions", async () => {
    expect(await written({ scorers: [stepAccuracy()] })).toEqual([]);
  });
});

test("a trace is read back as it was written", () => {
  const message = { session_id: "s", key: "1/x", revision: 3, trace: traceOf("1", ["a", "b"], true) };
  expect(readSessionMessage(writeSessionMessage(message, true))).toEqual(message);
  const { trace } = readSessionMessage(writeSessionMessage(message, false));
  expect(trace?.trace.steps.map(({ step }) => step)).toEqual(
    ["a", "b"].map((name) => ({ kind: "TOOL", name, args_status: "ok" })),
  );
});
