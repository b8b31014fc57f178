import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import OpenAI from "openai";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  provider.register();
  new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI);
  return provider;
}
