// Quick start with the OpenTelemetry NodeSDK. `npm run build && node examples/node-sdk.mjs`
import { fileURLToPath } from "node:url";
import { InMemoryLogRecordExporter, SimpleLogRecordProcessor } from "@opentelemetry/sdk-logs";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { NodeSDK } from "@opentelemetry/sdk-node";
import { BatchSpanProcessor, InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import { stepAccuracy, TrajectorySpanProcessor, toolSelectionAccuracy } from "otel-trajectory";
import { printEvent } from "./support/print.mjs";
import { supportAgent } from "./support/support-agent.mjs";

// In place of your OTLP exporters, so that this example needs no collector.
const spanExporter = new InMemorySpanExporter();
const logExporter = new InMemoryLogRecordExporter();
const logProcessor = new SimpleLogRecordProcessor({ exporter: logExporter });
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);

const trajectory = new TrajectorySpanProcessor({
  scorers: [stepAccuracy({ threshold: 0.9 }), toolSelectionAccuracy({ threshold: 1 })],
  expectations: fileURLToPath(new URL("expectations.yaml", import.meta.url)),
});
const sdk = new NodeSDK({
  serviceName: "support",
  // NodeSDK takes `spanProcessors` as the whole list: the exporter's processor must be named beside ours,
  // because OTEL_TRACES_EXPORTER no longer adds one.
  spanProcessors: [trajectory, new BatchSpanProcessor(spanExporter)],
  // Without these two, evaluation events and metrics go nowhere.
  logRecordProcessors: [logProcessor],
  metricReaders: [new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 })],
});
sdk.start();

console.log(`answer: ${await supportAgent("Please refund order 1042.")}`);
await trajectory.drain();
await logProcessor.forceFlush();
console.log("\nEvents:");
for (const event of logExporter.getFinishedLogRecords()) {
  if (event.eventName === "gen_ai.evaluation.result") printEvent(event);
}
console.log(`\nNothing was lost: ${JSON.stringify(trajectory.stats())}`);

await sdk.shutdown();
console.log("\nMetrics:");
for (const metric of metricExporter
  .getMetrics()
  .at(-1)
  ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []) {
  if (metric.descriptor.name !== "trajectory.evaluation.score") continue;
  for (const point of metric.dataPoints) {
    console.log(`  ${metric.descriptor.name} ${JSON.stringify(point.attributes)} count=${point.value.count}`);
  }
}
