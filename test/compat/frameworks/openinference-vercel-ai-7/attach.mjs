import { OpenTelemetry } from "@ai-sdk/otel";
import { OpenInferenceBatchSpanProcessor } from "@arizeai/openinference-vercel";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { registerTelemetry } from "ai";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  // Rewrites the SDK's attributes as OpenInference, on the span itself: ours reads the span before or after that.
  const vendor = new OpenInferenceBatchSpanProcessor({ exporter });
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  provider.register();
  registerTelemetry(new OpenTelemetry({ runtimeContext: true })); // the session id travels in it
  return provider;
}
