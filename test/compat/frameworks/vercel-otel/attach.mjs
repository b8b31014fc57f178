import { trace } from "@opentelemetry/api";
import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { registerOTel } from "@vercel/otel";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  registerOTel({
    serviceName: "app",
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  return trace.getTracerProvider().getDelegate();
}
