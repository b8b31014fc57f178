import type { AddressInfo } from "node:net";
import { VERSION } from "../model/version.ts";
import type { EmissionPolicy } from "../otel/evaluation-attributes.ts";
import type { ResolvedEngineOptions } from "../pipeline/options.ts";
import type { ProtobufReader } from "../wire/protobuf-scalars.ts";
import { isLoopback, urlOf } from "./address.ts";
import type { ProtobufWriter } from "./answers.ts";
import { tokenCheck } from "./auth.ts";
import { logWordsTo } from "./diag-words.ts";
import { GrpcFront } from "./grpc-front.ts";
import { type AnsweredRequest, HttpFront, type Intake, type Tls } from "./http-front.ts";
import { JsonLog, type LineOutput } from "./json-log.ts";
import type { ServeLimits } from "./options.ts";
import { loadPackages } from "./packages.ts";
import { Quiet } from "./quiet.ts";
import { Receiver, RequestReader } from "./receiver.ts";
import { RowOutput, type StreamOutput } from "./row-output.ts";
import { createScorer, NOTHING_EXPECTED } from "./scorer.ts";
import { ServiceMetrics } from "./service-metrics.ts";
import { createTelemetry } from "./telemetry.ts";
import { Turnstile } from "./turnstile.ts";

/** What a service is told of what is expected, and of where its results and words go, wherever its spans come from. */
export interface OutputOptions {
  readonly expectations: string | undefined;
  readonly policy: EmissionPolicy;
  /** Results leave over OTLP, to where `OTEL_EXPORTER_OTLP_*` says. */
  readonly otlp: boolean;
  /** Evaluation spans leave over OTLP too. */
  readonly spans: boolean;
  readonly metricIntervalMillis: number;
  /** Where rows go; undefined: nowhere. */
  readonly rows: StreamOutput | undefined;
  readonly log: LineOutput;
}

export interface ServiceOptions extends OutputOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Where OTLP/gRPC is taken too; 0: any that is free. undefined: nowhere. */
  readonly grpcPort: number | undefined;
  /** What every request with spans must bring; undefined: nothing. */
  readonly token: string | undefined;
  readonly tls: Tls | undefined;
  readonly engine: ResolvedEngineOptions;
  readonly limits: ServeLimits;
}

/** A request waits at most so long for its turn: senders give up after ten seconds, by custom. */
const LONGEST_TURN_MILLIS = 5_000;

/** A running service. */
export interface Service {
  /** Where it listens, as `http://host:port`. */
  readonly url: string;
  /** The port of OTLP/gRPC, where that is taken. */
  readonly grpcPort: number | undefined;
  /**
   * Takes nothing more, scores what is held, exports it, and ends, within `drainTimeoutMillis`. Gives whether everything
   * was scored and exported. Never rejects; later calls get the same promise.
   */
  stop(): Promise<boolean>;
}

/**
 * Starts the service.
 *
 * @throws TrajectoryError (rejects) for packages that are not installed
 * @throws Error (rejects) where the address cannot be bound to
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { limits } = options;
  const log = new JsonLog(options.log);
  const quiet = new Quiet(log);
  const packages = await loadPackages({ ...options, grpc: options.grpcPort !== undefined });
  const { Reader, Writer } = packages.always.protobufjs;
  let lost = 0;
  const telemetry = createTelemetry(packages, {
    maxExportQueue: limits.maxExportQueue,
    metricIntervalMillis: options.metricIntervalMillis,
    onLost: (count, why) => {
      lost += count;
      quiet.error("results could not be exported and are lost", { count, why });
    },
    onRetry: (signal) => quiet.warn("results cannot be exported now and are tried again", { signal }),
  });
  // The words of the exporters and of gRPC, on lines like ours.
  const words = logWordsTo(quiet);
  packages.grpc?.["@grpc/grpc-js"].setLogger({ ...words, log: words.info });
  const rows = options.rows === undefined ? undefined : new RowOutput(options.rows);
  const { engine, resolver, expects } = createScorer({
    options: options.engine,
    expectations: options.expectations,
    policy: options.policy,
    telemetry,
    rows,
    log,
    quiet,
  });
  const receiver = new Receiver(
    engine,
    new RequestReader((body) => Reader.create(body) as ProtobufReader, limits.maxInflatedBytes),
  );
  const metrics = new ServiceMetrics(telemetry.meterProvider, {
    active: () => front.active,
    droppedConnections: () => front.dropped + (grpc?.dropped ?? 0),
    received: () => receiver.counts,
    waiting: telemetry.waiting,
    lost: () => lost,
  });
  const full = (bytes: number): string | undefined => {
    if (telemetry.isFull() || rows?.isFull === true) return "results cannot be exported as fast as spans come";
    return engine.hasRoom(bytes) ? undefined : "as much is held as may be; traces that go quiet will make room";
  };
  const turnstile = new Turnstile(
    () => engine.behindMillis,
    Math.min(LONGEST_TURN_MILLIS, limits.requestTimeoutMillis / 2),
  );
  const intake: Intake = {
    turn: () => turnstile.turn(),
    take: (body, encoding) => receiver.take(body, encoding),
    full: (bytes) => {
      const why = full(bytes);
      if (why !== undefined) quiet.warn("requests are turned away for now", { why });
      return why;
    },
  };
  const backend = {
    intake,
    notReady: () => resolver.notReady(),
    metrics: telemetry.prometheus,
    answered: (request: AnsweredRequest) => metrics.answered(request),
    problem: (error: unknown) => engine.problem("request", error),
    called: (code: number) => metrics.called(code),
    newWriter: () => Writer.create() as unknown as ProtobufWriter,
  };
  const token = tokenCheck(options.token);
  const front = new HttpFront(backend, limits, token, options.tls);
  const grpc =
    packages.grpc &&
    new GrpcFront(packages.grpc["@grpc/grpc-js"], { ...backend, ...intake }, limits, token, options.tls);
  let address: AddressInfo;
  let grpcPort: number | undefined;
  try {
    address = await front.listen(options.port, options.host);
    grpcPort = await grpc?.listen(options.grpcPort ?? 0, options.host);
  } catch (error) {
    await front.drain(0);
    await Promise.all([engine.shutdown(0), telemetry.shutdown(0)]);
    words.end();
    throw error;
  }
  const url = urlOf(address, options.tls !== undefined);
  log.info("ready", { url, grpc_port: grpcPort, version: VERSION, token: options.token !== undefined });
  if (!expects) log.warn(NOTHING_EXPECTED);
  if (options.token === undefined && !isLoopback(address.address)) {
    log.warn("everybody who reaches this address may send spans: no token is set", { url });
  }

  async function end(): Promise<boolean> {
    const until = performance.now() + limits.drainTimeoutMillis;
    const left = (share = 1): number => Math.max(0, (until - performance.now()) * share);
    const { spans, traces, sessions } = engine.stats();
    log.info("draining", { spans_held: spans.held, traces: traces.open, sessions: sessions.open });
    turnstile.open();
    await Promise.all([front.drain(left(1 / 4)), grpc?.drain(left(1 / 4))]);
    await engine.shutdown(left(1 / 2));
    front.close();
    await Promise.all([telemetry.shutdown(left()), rows?.flush(left())]);
    const { held } = engine.stats().spans;
    const whole = held === 0 && lost === 0;
    log[whole ? "info" : "error"]("ended", { spans_held: held, results_lost: lost, ...receiver.counts });
    words.end();
    return whole;
  }

  let ending: Promise<boolean> | undefined;
  return {
    url,
    grpcPort,
    stop: () => {
      ending ??= end().catch((error: unknown) => {
        log.error("the service did not end as it should", { error: String(error) });
        return false;
      });
      return ending;
    },
  };
}
