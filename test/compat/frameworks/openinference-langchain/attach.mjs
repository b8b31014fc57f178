import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  const vendor = new BatchSpanProcessor(exporter);
  const provider = new NodeTracerProvider({
    spanProcessors: vendorFirst ? [vendor, trajectory] : [trajectory, vendor],
  });
  provider.register();
  new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbackManager);
  return provider;
}
