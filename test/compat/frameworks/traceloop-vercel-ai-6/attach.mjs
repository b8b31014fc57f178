import { NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createSpanProcessor, forceFlush, initialize } from "@traceloop/node-server-sdk";

const settings = { traceloopSyncEnabled: false, silenceInitializationMessage: true };

export function attach(trajectory, exporter, { vendorFirst = false } = {}) {
  if (vendorFirst) {
    // The usual way: `initialize` makes Traceloop's own processor, and puts the one that it is given behind it.
    initialize({ ...settings, exporter, processor: trajectory });
    return { forceFlush };
  }
  // Beside an OpenTelemetry set-up of your own.
  const vendor = createSpanProcessor({ exporter, allowedInstrumentationLibraries: "all" });
  const provider = new NodeTracerProvider({ spanProcessors: [trajectory, vendor] });
  provider.register();
  return provider;
}
