import type { IncomingMessage, ServerResponse } from "node:http";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { SCOPE_NAME } from "../model/version.ts";
import type { LoggerProviderLike } from "../otel/span-like.ts";
import { ExportQueue, type Sent } from "./export-queue.ts";
import type { ServePackages } from "./packages.ts";

export interface TelemetryOptions {
  readonly maxExportQueue: number;
  readonly metricIntervalMillis: number;
  readonly onLost: (count: number, why: string) => void;
  readonly onRetry: (signal: string) => void;
  /**
   * Whether what was answered with this status, a 4xx but 408 and 429, is refused for good; else it is tried again.
   * @defaultValue always
   */
  readonly refuses?: ((status: number) => boolean) | undefined;
}

/** Where results go: providers of OpenTelemetry, and what a service has to know of them. */
export interface Telemetry {
  readonly loggerProvider: LoggerProviderLike;
  readonly meterProvider: MeterProvider;
  readonly tracerProvider: TracerProvider | undefined;
  /** Results that wait to be exported. */
  readonly waiting: () => number;
  readonly isFull: () => boolean;
  /** Resolves when all results so far have been taken, or refused for good; never, where they cannot be exported. */
  readonly settled: () => Promise<void>;
  /** Answers with metrics in Prometheus's text format. */
  readonly prometheus: (request: IncomingMessage, response: ServerResponse) => void;
  /** Exports what is waiting, for a limited time, and takes nothing more. */
  readonly shutdown: (millis: number) => Promise<void>;
}

const NO_EVENTS: LoggerProviderLike = { getLogger: () => ({ emit: () => undefined }) };

/** What an exporter calls back with: 0 is success. */
interface ExportResult {
  readonly code: number;
  readonly error?: (Error & { readonly code?: unknown }) | undefined;
}

/** Builds providers out of OpenTelemetry's own SDKs and exporters; results leave over OTLP where its packages are loaded. */
export function createTelemetry(packages: ServePackages, options: TelemetryOptions): Telemetry {
  const prometheus = packages.always["@opentelemetry/exporter-prometheus"];
  const metrics = packages.always["@opentelemetry/sdk-metrics"];
  const resources = packages.always["@opentelemetry/resources"];
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ "service.name": SCOPE_NAME }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const scraped = new prometheus.PrometheusExporter({ preventServerStart: true });
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    scraped.getMetricsRequestHandler(request, response);
  const { otlp, spans } = packages;
  if (otlp === undefined) {
    const meterProvider = new metrics.MeterProvider({ resource, readers: [scraped] });
    return {
      loggerProvider: NO_EVENTS,
      meterProvider,
      tracerProvider: undefined,
      waiting: () => 0,
      isFull: () => false,
      settled: () => Promise.resolve(),
      prometheus: answer,
      shutdown: (millis) => settled([() => meterProvider.shutdown()], millis),
    };
  }
  const queues: ExportQueue<never>[] = [];
  const shutdowns: (() => Promise<unknown>)[] = [];
  const events = new otlp["@opentelemetry/exporter-logs-otlp-proto"].OTLPLogExporter();
  const eventQueue = queueTo(events, "logs");
  const loggerProvider = new otlp["@opentelemetry/sdk-logs"].LoggerProvider({
    resource,
    processors: [
      {
        onEmit: (record: unknown) => eventQueue.add(record as never),
        forceFlush: () => Promise.resolve(),
        shutdown: () => Promise.resolve(),
      },
    ],
  });
  shutdowns.push(() => events.shutdown());
  const periodic = new metrics.PeriodicExportingMetricReader({
    exporter: new otlp["@opentelemetry/exporter-metrics-otlp-proto"].OTLPMetricExporter(),
    exportIntervalMillis: options.metricIntervalMillis,
    exportTimeoutMillis: Math.min(options.metricIntervalMillis, 10_000),
  });
  const meterProvider = new metrics.MeterProvider({ resource, readers: [scraped, periodic] });
  shutdowns.push(() => meterProvider.shutdown());
  const tracerProvider = spans === undefined ? undefined : spansTo(spans);

  function spansTo(loaded: NonNullable<ServePackages["spans"]>): TracerProvider {
    const exporter = new loaded["@opentelemetry/exporter-trace-otlp-proto"].OTLPTraceExporter();
    const queue = queueTo(exporter, "traces");
    shutdowns.push(() => exporter.shutdown());
    return new loaded["@opentelemetry/sdk-trace"].TracerProvider({
      resource,
      spanProcessors: [
        {
          onStart: () => undefined,
          onEnd: (span: unknown) => queue.add(span as never),
          forceFlush: () => Promise.resolve(),
          shutdown: () => Promise.resolve(),
        },
      ],
    });
  }

  function queueTo(
    exporter: { export(batch: never, done: (result: ExportResult) => void): void },
    signal: string,
  ): ExportQueue<never> {
    const queue = new ExportQueue<never>({
      maxWaiting: options.maxExportQueue,
      onLost: options.onLost,
      send: (batch) =>
        new Promise<Sent>((resolve) => {
          const done = (result: ExportResult): void => {
            const sent = sentOf(result, options.refuses);
            if (sent === "again") options.onRetry(signal);
            resolve(sent);
          };
          try {
            exporter.export(batch as never, done);
          } catch (error) {
            done({ code: 1, error: error as Error });
          }
        }),
    });
    queues.push(queue);
    return queue;
  }

  return {
    loggerProvider: loggerProvider as LoggerProviderLike,
    meterProvider,
    tracerProvider,
    waiting: () => queues.reduce((sum, queue) => sum + queue.size, 0),
    isFull: () => queues.some((queue) => queue.isFull),
    settled: async () => void (await Promise.all(queues.map((queue) => queue.settled()))),
    prometheus: answer,
    shutdown: async (millis) => {
      const until = performance.now() + millis;
      await Promise.all(queues.map((queue) => queue.flush(millis * FLUSH_SHARE)));
      for (const queue of queues) queue.close();
      await settled(shutdowns, until - performance.now());
    },
  };
}

/** Part of the time at the end that is for results; the rest is for the last metrics, which say what became of those. */
const FLUSH_SHARE = 3 / 4;

/** The exporter has tried several times where trying again makes sense. A 4xx but these two will be a 4xx next time too. */
function sentOf({ code, error }: ExportResult, refuses: TelemetryOptions["refuses"]): Sent {
  if (code === 0) return "sent";
  const status = error?.code;
  const fatal = typeof status === "number" && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return fatal && refuses?.(status) !== false ? "refused" : "again";
}

/** Waits for all of them, whatever becomes of each, for a limited time. */
async function settled(work: readonly (() => Promise<unknown>)[], millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, millis));
  });
  await Promise.race([Promise.allSettled(work.map((each) => each())), late]);
  clearTimeout(timer);
}
