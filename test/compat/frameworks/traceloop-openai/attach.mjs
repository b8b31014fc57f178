import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import { createSpanProcessor, forceFlush, initialize } from "@traceloop/node-server-sdk";
import OpenAI from "openai";

const settings = { traceloopSyncEnabled: false, silenceInitializationMessage: true };

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  if (vendorFirst) {
    // The usual way: `initialize` makes Traceloop's own processor, and puts the one that it is given behind it.
    initialize({ ...settings, exporter, processor: trajectory, instrumentModules: { openAI: OpenAI } });
    return { forceFlush };
  }
  // Beside an OpenTelemetry set-up of your own.
  const provider = new NodeTracerProvider({ spanProcessors: [trajectory, createSpanProcessor({ exporter })] });
  provider.register();
  initialize({ ...settings, tracingEnabled: false });
  const instrumentation = new OpenAIInstrumentation();
  instrumentation.setTracerProvider(provider);
  instrumentation.manuallyInstrument(OpenAI);
  return provider;
}
