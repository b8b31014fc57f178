import { BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { consume } from "./support.mjs";

const exporter = {
  export: (spans, done) => {
    consume(spans.length);
    done({ code: 0 });
  },
  shutdown: async () => undefined,
};

/**
 * OpenTelemetry's batch processor. A round's spans fit into its queue, so that none is dropped and none is exported while
 * we measure.
 */
export function idleBatch() {
  return new BatchSpanProcessor(exporter, {
    maxQueueSize: 100_000,
    maxExportBatchSize: 100_000,
    scheduledDelayMillis: 3_600_000,
  });
}
