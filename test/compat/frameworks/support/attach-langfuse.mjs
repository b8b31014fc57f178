import { LangfuseSpanProcessor } from "@langfuse/otel";
import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  // Without `exporter` Langfuse sends to its own server, as LANGFUSE_PUBLIC_KEY and the like say.
  const langfuse = new LangfuseSpanProcessor({ exporter });
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [langfuse, trajectory] : [trajectory, langfuse],
  });
  provider.register();
  return provider;
}
