import Anthropic from "@anthropic-ai/sdk";
import { AnthropicInstrumentation } from "@arizeai/openinference-instrumentation-anthropic";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  provider.register();
  new AnthropicInstrumentation({ tracerProvider: provider }).manuallyInstrument(Anthropic);
  return provider;
}
