import { createRequire } from "node:module";
import { enableTelemetry } from "genkit/tracing";

// Genkit brings OpenTelemetry SDK 1.x; the exporter and its processor must be of that line.
const { BatchSpanProcessor } = createRequire(import.meta.url)("@opentelemetry/sdk-trace-base");

export async function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  await enableTelemetry({ spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor] });
  return vendor;
}
