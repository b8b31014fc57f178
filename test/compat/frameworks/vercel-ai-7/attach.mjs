import { OpenTelemetry } from "@ai-sdk/otel";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { registerTelemetry } from "ai";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  provider.register();
  registerTelemetry(new OpenTelemetry({ runtimeContext: true })); // the session id travels in it
  return provider;
}
