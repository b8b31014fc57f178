// The OpenTelemetry set-up of the examples. Everything goes to memory in place of a collector, so that an example can
// print what a backend would have received.
import { context, metrics, trace } from "@opentelemetry/api";
import { logs } from "@opentelemetry/api-logs";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";

/**
 * Registers tracer, logger and meter providers with a trajectory processor in front of the exporter's own.
 *
 * @param {import("otel-trajectory").TrajectorySpanProcessor} trajectory
 */
export function startTelemetry(trajectory) {
  const spanExporter = new InMemorySpanExporter();
  const logExporter = new InMemoryLogRecordExporter();
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [trajectory, new BatchSpanProcessor(spanExporter)],
  });
  const loggerProvider = new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: logExporter })] });
  const meterProvider = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(tracerProvider);
  logs.setGlobalLoggerProvider(loggerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    /** The evaluation events so far, oldest first. */
    events: () =>
      logExporter.getFinishedLogRecords().filter((record) => record.eventName === "gen_ai.evaluation.result"),
    /** The exported spans so far, in the order in which they ended. */
    spans: async () => {
      await tracerProvider.forceFlush();
      return spanExporter.getFinishedSpans();
    },
    /** The last values of every metric. */
    metrics: async () => {
      await meterProvider.forceFlush();
      return (
        metricExporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
      );
    },
    stop: async () => {
      await tracerProvider.shutdown();
      await loggerProvider.shutdown();
      await meterProvider.shutdown();
    },
  };
}
