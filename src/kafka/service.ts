import { messageOf } from "../model/errors.ts";
import { VERSION } from "../model/version.ts";
import { isLoopback, urlOf } from "../serve/address.ts";
import type { ProtobufWriter } from "../serve/answers.ts";
import { tokenCheck } from "../serve/auth.ts";
import { logWordsTo } from "../serve/diag-words.ts";
import { HttpFront } from "../serve/http-front.ts";
import { JsonLog } from "../serve/json-log.ts";
import { DEFAULT_SERVE_LIMITS } from "../serve/options.ts";
import { loadPackages } from "../serve/packages.ts";
import { Quiet } from "../serve/quiet.ts";
import { RowOutput } from "../serve/row-output.ts";
import { createScoring, NOTHING_EXPECTED } from "../serve/scorer.ts";
import type { OutputOptions } from "../serve/service.ts";
import { createTelemetry } from "../serve/telemetry.ts";
import type { ProtobufReader } from "../wire/protobuf-scalars.ts";
import { observeConsumer } from "./consume-metrics.ts";
import { Consumer, type ConsumerOptions, scoresSessions, stagesOf } from "./consumer.ts";
import { deadLetterTopicOf } from "./dead-letters.ts";
import { type Connection, platformaticClient } from "./platformatic.ts";

export interface ConsumeServiceOptions extends ConsumerOptions, OutputOptions {
  readonly connection: Pick<Connection, "brokers" | "tls" | "sasl">;
  /** Where health, readiness and metrics are; port 0 is any that is free. */
  readonly host: string;
  readonly port: number;
  /** What whoever asks for metrics must bring; undefined: nothing. */
  readonly token: string | undefined;
}

/** A running service. */
export interface ConsumeService {
  /** Where health, readiness and metrics are, as `http://host:port`. */
  readonly url: string;
  /**
   * Reads nothing more, commits what is behind results that have been accepted, and leaves, within `drainTimeoutMillis`.
   * Gives whether no result was lost. Never rejects; later calls get the same promise.
   */
  stop(): Promise<boolean>;
}

/** The answers that say that a request itself is wrong: sent again, it will be as wrong. */
const HOPELESS: ReadonlySet<number> = new Set([400, 413, 422]);

/**
 * Starts the service.
 *
 * @throws TrajectoryError (rejects) for packages that are not installed
 * @throws Error (rejects) where no broker can be reached, a topic does not exist, or the address cannot be bound to
 */
export async function startConsumeService(options: ConsumeServiceOptions): Promise<ConsumeService> {
  const { limits } = options;
  const log = new JsonLog(options.log);
  const quiet = new Quiet(log);
  const packages = await loadPackages({ ...options, kafka: true });
  const { Reader, Writer } = packages.always.protobufjs;
  const kafka = (packages.kafka as NonNullable<typeof packages.kafka>)["@platformatic/kafka"];
  const client = platformaticClient(kafka, {
    ...options.connection,
    sessionTimeoutMillis: limits.memberTimeoutMillis,
    maxFetchBytes: limits.maxFetchBytes,
  });
  await client.check(topicsOf(options));
  let lost = 0;
  const telemetry = createTelemetry(packages, {
    maxExportQueue: limits.maxExportQueue,
    metricIntervalMillis: options.metricIntervalMillis,
    // Whoever has a wrong token or a wrong path mends it; until then nothing is committed, and nothing is lost.
    refuses: (status) => HOPELESS.has(status),
    onLost: (count, why) => {
      if (why === "shutdown") {
        quiet.warn("results were not exported before the end; they are not committed and will come again", { count });
        return;
      }
      lost += count;
      quiet.error("results could not be exported and are lost", { count, why });
    },
    onRetry: (signal) => quiet.warn("results cannot be exported now and are tried again", { signal }),
  });
  const words = logWordsTo(quiet);
  const rows = options.rows === undefined ? undefined : new RowOutput(options.rows);
  const writer = client.writer();
  const consumer = new Consumer({
    options,
    client,
    writer,
    newReader: (body) => Reader.create(body) as ProtobufReader,
    outputs: {
      isFull: () => telemetry.isFull() || rows?.isFull === true,
      settled: async () => void (await Promise.all([telemetry.settled(), rows?.settled()])),
    },
    newScoring: (all) =>
      createScoring(
        {
          options: options.engine,
          expectations: options.expectations,
          policy: options.policy,
          telemetry,
          rows,
          log,
          quiet,
        },
        all,
      ),
    quiet,
    onLost: (count) => {
      lost += count;
    },
  });
  observeConsumer(telemetry.meterProvider, {
    counts: consumer.counts,
    partitions: () => consumer.partitions(),
    deadLetters: () => consumer.deadLetters,
    replayed: () => consumer.replayed,
    waiting: () => telemetry.waiting() + consumer.waiting,
    lost: () => lost,
  });
  const front = new HttpFront(
    {
      notReady: () => consumer.notReady(),
      metrics: telemetry.prometheus,
      answered: () => undefined,
      problem: (error) => quiet.error("a request could not be answered", { what: messageOf(error) }),
      newWriter: () => Writer.create() as unknown as ProtobufWriter,
    },
    DEFAULT_SERVE_LIMITS,
    tokenCheck(options.token),
  );
  let url: string;
  try {
    const address = await front.listen(options.port, options.host);
    url = urlOf(address, false);
    if (options.token === undefined && !isLoopback(address.address)) {
      log.warn("everybody who reaches this address may see metrics: no token is set", { url });
    }
  } catch (error) {
    await Promise.all([consumer.stop(0), telemetry.shutdown(0), writer.close()]);
    words.end();
    throw error;
  }
  consumer.start();
  log.info("ready", { url, group: options.groupId, stage: options.stage, version: VERSION });
  if (!consumer.expects) log.warn(NOTHING_EXPECTED);

  async function end(): Promise<boolean> {
    const until = performance.now() + limits.drainTimeoutMillis;
    const left = (share = 1): number => Math.max(0, (until - performance.now()) * share);
    log.info("draining");
    await consumer.stop(left(3 / 4));
    await Promise.all([telemetry.shutdown(left()), rows?.flush(left()), writer.close()]);
    await front.drain(0);
    front.close();
    log[lost === 0 ? "info" : "error"]("ended", { results_lost: lost, ...consumer.counts });
    words.end();
    return lost === 0;
  }

  let ending: Promise<boolean> | undefined;
  return {
    url,
    stop: () => {
      ending ??= end().catch((error: unknown) => {
        log.error("the service did not end as it should", { error: String(error) });
        return false;
      });
      return ending;
    },
  };
}

/** The topics that have to be there: those that are read, and those that are written to. */
function topicsOf(options: ConsumerOptions): readonly string[] {
  const read = stagesOf(options).flatMap(({ topics }) => topics);
  const written = options.stage !== "sessions" && scoresSessions(options.engine) ? [options.sessionTopic] : [];
  const deadLetters = read.map((topic) => deadLetterTopicOf(topic, options.deadLetterTopic));
  return [...new Set([...read, ...written, ...deadLetters])];
}
