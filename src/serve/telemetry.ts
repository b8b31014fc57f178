import type { IncomingMessage, ServerResponse } from "node:http";
import type { MeterProvider, TracerProvider } from "@opentelemetry/api";
import { SCOPE_NAME } from "../model/version.ts";
import type { LoggerProviderLike } from "../otel/span-like.ts";
import { ExportQueue, type Sent } from "./export-queue.ts";
import { loadPackages, needed } from "./packages.ts";

export interface TelemetryOptions {
  /** Results leave over OTLP, to where `OTEL_EXPORTER_OTLP_*` says. */
  readonly otlp: boolean;
  /** Evaluation spans leave too. */
  readonly spans: boolean;
  readonly maxExportQueue: number;
  readonly metricIntervalMillis: number;
  readonly onLost: (count: number, why: string) => void;
  readonly onRetry: (signal: string) => void;
}

/** Where results go: providers of OpenTelemetry, and what a service has to know of them. */
export interface Telemetry {
  readonly loggerProvider: LoggerProviderLike;
  readonly meterProvider: MeterProvider;
  readonly tracerProvider: TracerProvider | undefined;
  /** Results that wait to be exported. */
  readonly waiting: () => number;
  readonly isFull: () => boolean;
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

/** Builds providers out of OpenTelemetry's own SDKs and exporters. @throws TrajectoryError (rejects) for missing packages */
export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { prometheus, metrics, resources } = await loadPackages({
    prometheus: needed("@opentelemetry/exporter-prometheus", () => import("@opentelemetry/exporter-prometheus")),
    metrics: needed("@opentelemetry/sdk-metrics", () => import("@opentelemetry/sdk-metrics")),
    resources: needed("@opentelemetry/resources", () => import("@opentelemetry/resources")),
  });
  const resource = resources
    .defaultResource()
    .merge(resources.resourceFromAttributes({ "service.name": SCOPE_NAME }))
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const scraped = new prometheus.PrometheusExporter({ preventServerStart: true });
  const answer = (request: IncomingMessage, response: ServerResponse): void =>
    scraped.getMetricsRequestHandler(request, response);
  if (!options.otlp) {
    const meterProvider = new metrics.MeterProvider({ resource, readers: [scraped] });
    return {
      loggerProvider: NO_EVENTS,
      meterProvider,
      tracerProvider: undefined,
      waiting: () => 0,
      isFull: () => false,
      prometheus: answer,
      shutdown: (millis) => settled([() => meterProvider.shutdown()], millis),
    };
  }
  const { logs, logExporter, metricExporter } = await loadPackages({
    logs: needed("@opentelemetry/sdk-logs", () => import("@opentelemetry/sdk-logs")),
    logExporter: needed(
      "@opentelemetry/exporter-logs-otlp-proto",
      () => import("@opentelemetry/exporter-logs-otlp-proto"),
    ),
    metricExporter: needed(
      "@opentelemetry/exporter-metrics-otlp-proto",
      () => import("@opentelemetry/exporter-metrics-otlp-proto"),
    ),
  });
  const queues: ExportQueue<never>[] = [];
  const shutdowns: (() => Promise<unknown>)[] = [];
  const events = new logExporter.OTLPLogExporter();
  const eventQueue = queueTo(events, "logs");
  const loggerProvider = new logs.LoggerProvider({
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
    exporter: new metricExporter.OTLPMetricExporter(),
    exportIntervalMillis: options.metricIntervalMillis,
    exportTimeoutMillis: Math.min(options.metricIntervalMillis, 10_000),
  });
  const meterProvider = new metrics.MeterProvider({ resource, readers: [scraped, periodic] });
  shutdowns.push(() => meterProvider.shutdown());
  const tracerProvider = options.spans ? await spansTo() : undefined;

  async function spansTo(): Promise<TracerProvider> {
    const { trace, traceExporter } = await loadPackages({
      trace: needed("@opentelemetry/sdk-trace", () => import("@opentelemetry/sdk-trace")),
      traceExporter: needed(
        "@opentelemetry/exporter-trace-otlp-proto",
        () => import("@opentelemetry/exporter-trace-otlp-proto"),
      ),
    });
    const exporter = new traceExporter.OTLPTraceExporter();
    const queue = queueTo(exporter, "traces");
    shutdowns.push(() => exporter.shutdown());
    return new trace.TracerProvider({
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
            const sent = sentOf(result);
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
function sentOf({ code, error }: ExportResult): Sent {
  if (code === 0) return "sent";
  const status = error?.code;
  const refused = typeof status === "number" && status >= 400 && status < 500 && status !== 408 && status !== 429;
  return refused ? "refused" : "again";
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
