import { metrics } from "@opentelemetry/api";
import { Reader } from "protobufjs/minimal.js";
import { Consumer, type ConsumerOptions } from "../../src/kafka/consumer.ts";
import { type ConsumeLimits, resolveConsumeLimits } from "../../src/kafka/options.ts";
import { type EngineOptions, resolveEngineOptions } from "../../src/pipeline/options.ts";
import { JsonLog } from "../../src/serve/json-log.ts";
import { Quiet } from "../../src/serve/quiet.ts";
import { type EmittedRow, RowOutput } from "../../src/serve/row-output.ts";
import { createScoring } from "../../src/serve/scorer.ts";
import type { Telemetry } from "../../src/serve/telemetry.ts";
import type { ProtobufReader } from "../../src/wire/protobuf-scalars.ts";
import type { MemoryKafka } from "./memory-kafka.ts";

/** Results go nowhere but into rows. */
const NO_TELEMETRY: Telemetry = {
  loggerProvider: { getLogger: () => ({ emit: () => undefined }) },
  meterProvider: metrics.getMeterProvider(),
  tracerProvider: undefined,
  waiting: () => 0,
  isFull: () => false,
  settled: () => Promise.resolve(),
  prometheus: () => undefined,
  shutdown: () => Promise.resolve(),
};

/** A consumer on a Kafka in memory, with what it said. */
export interface TestConsumer {
  readonly consumer: Consumer;
  readonly kill: () => void;
  readonly dead: () => boolean;
  readonly rows: () => readonly EmittedRow[];
  readonly log: () => readonly Record<string, unknown>[];
  /** Whether the outputs accept anything; while they do not, nothing may be committed. */
  readonly outputs: { open: boolean; full: boolean };
}

export interface TestOptions extends Partial<Omit<ConsumerOptions, "engine" | "limits">> {
  readonly engine?: EngineOptions;
  readonly limits?: Partial<ConsumeLimits>;
  readonly expectations?: string | undefined;
  /** The process ends after so many records. */
  readonly records?: number;
}

export function consume(kafka: MemoryKafka, given: TestOptions = {}): TestConsumer {
  const written = { rows: "", log: "" };
  const quiet = new Quiet(new JsonLog({ write: (text) => (written.log += text) }));
  const rows = new RowOutput({
    write: (text) => {
      // What a process that has ended would have written is nobody's.
      if (!client.dead()) written.rows += text;
      return true;
    },
  });
  const client = kafka.client(given.records);
  const outputs = { open: true, full: false };
  const options: ConsumerOptions = {
    topics: ["spans"],
    encoding: undefined,
    groupId: "group",
    sessionTopic: "sessions",
    deadLetterTopic: "dead",
    stage: "both",
    from: "earliest",
    ...given,
    engine: resolveEngineOptions(given.engine ?? {}),
    limits: resolveConsumeLimits({ commitIntervalMillis: 1, ...given.limits }),
  };
  const consumer = new Consumer({
    options,
    client,
    writer: client.writer(),
    newReader: (body) => Reader.create(body) as ProtobufReader,
    outputs: {
      isFull: () => outputs.full,
      settled: async () => {
        await rows.settled();
        await until(() => outputs.open);
      },
    },
    newScoring: (all) =>
      createScoring(
        {
          options: options.engine,
          expectations: given.expectations,
          policy: { emitContent: false, sessionId: "plain" },
          telemetry: NO_TELEMETRY,
          rows,
          log: new JsonLog({ write: (text) => (written.log += text) }),
          quiet: quiet as Quiet,
        },
        all,
      ),
    quiet,
    onLost: () => undefined,
  });
  consumer.start();
  return {
    consumer,
    kill: client.kill,
    dead: client.dead,
    rows: () => lines(written.rows),
    log: () => lines(written.log),
    outputs,
  };
}

function lines<T>(text: string): T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Waits until something is so. @throws Error (rejects) where it is not after ten seconds */
export async function until(isSo: () => boolean, what = "nothing happened"): Promise<void> {
  const end = performance.now() + 10_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(what);
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits until consumers have read everything that there is, and nothing more comes of it. */
export async function allRead(kafka: MemoryKafka, consumers: readonly TestConsumer[]): Promise<void> {
  let still = 0;
  let before = -1;
  await until(() => {
    const written = [...kafka.logs.values()].flat().reduce((sum, log) => sum + log.length, 0);
    const partitions = consumers.flatMap(({ consumer }) => [...consumer.partitions()]);
    const read = partitions.every(
      ({ place, ledger }) => ledger.next === kafka.log(place.topic, place.partition).length,
    );
    const isReady = consumers.every(({ consumer }) => consumer.notReady() === undefined) && partitions.length > 0;
    const idle = consumers.every(({ consumer }) => consumer.waiting === 0);
    still = isReady && idle && read && written === before ? still + 1 : 0;
    before = written;
    return still >= 8;
  }, "not everything was read");
}

interface Spoken {
  readonly trace: string;
  readonly span: string;
  readonly parent?: string;
  readonly tool?: string;
  readonly agent?: string;
  readonly session?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** One request of one span, as a record of OTLP/JSON. */
export function request({ trace, span, parent = "", tool, agent, session, attributes = {} }: Spoken): string {
  const facts = {
    ...(tool === undefined ? {} : { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool }),
    ...(agent === undefined ? {} : { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent }),
    ...(session === undefined ? {} : { "session.id": session }),
    ...attributes,
  };
  const id = (text: string, length: number): string =>
    text === "" ? "" : Buffer.from(text).toString("hex").padStart(length, "0");
  const at = Number.parseInt(Buffer.from(span).toString("hex"), 16) % 1_000_000;
  return JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: "test" },
            spans: [
              {
                traceId: id(trace, 32),
                spanId: id(span, 16),
                parentSpanId: id(parent, 16),
                name: tool ?? agent ?? "span",
                startTimeUnixNano: `${1_700_000_000_000_000_000n + BigInt(at) * 1_000_000n}`,
                endTimeUnixNano: `${1_700_000_000_000_000_000n + BigInt(at + 1) * 1_000_000n}`,
                attributes: Object.entries(facts).map(([key, stringValue]) => ({ key, value: { stringValue } })),
              },
            ],
          },
        ],
      },
    ],
  });
}
