// JavaScript agents of two services, with real SDKs and exporters: the web server `front` calls the service `agent`, so
// each trace comes in two parts. `node test/collector/agents.mjs SESSIONS TURNS` with OTEL_EXPORTER_OTLP_ENDPOINT.
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { TrajectorySpanProcessor, withSession } from "otel-trajectory";
import { GOOD_PATH, LUCKY_PATH, supportAgent } from "../../examples/support/support-agent.mjs";

const [sessions, turns] = process.argv.slice(2).map(Number);

function service(name) {
  const stamp = new TrajectorySpanProcessor({ scorers: [], stampSession: true });
  const exporter = new BatchSpanProcessor(new OTLPTraceExporter(), { scheduledDelayMillis: 50 });
  const resource = resourceFromAttributes({ "service.name": name });
  return new BasicTracerProvider({ resource, spanProcessors: [stamp, exporter] });
}

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const front = service("front");
const agent = service("agent");
trace.setGlobalTracerProvider(agent);

async function turn(index) {
  const span = front.getTracer("front").startSpan("POST /chat");
  const path = index % 2 === 0 ? GOOD_PATH : LUCKY_PATH;
  await context.with(trace.setSpan(context.active(), span), () => supportAgent("Please refund order 1042.", { path }));
  span.end();
}

/** Half of the sessions are anonymous: traces that belong to none. */
async function session(index) {
  for (let count = 0; count < turns; count += 1) {
    if (index % 2 === 0) await withSession(`js-${index}`, () => turn(index + count));
    else await turn(index + count);
  }
}

await Promise.all(Array.from({ length: sessions }, (_, index) => session(index)));
await Promise.all([front.shutdown(), agent.shutdown()]);
