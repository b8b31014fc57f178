// Agents of a real SDK under steady load, each of which sends its spans over the time that it takes.
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";

export const TOOLS = ["plan", "search", "read", "write", "check"];
/** How long an agent takes. */
export const TRACE_MILLIS = 2_000;

/**
 * @param {string} url of an OTLP/HTTP receiver
 * @param {{ perSecond: number, seconds?: number, going?: () => boolean, sessionOf?: (index: number) => string }}
 *   options for how many seconds, or while `going` holds
 * @returns {Promise<{ id: string, session?: string, started: number, ended: number }[]>} once all is sent: the traces,
 *   with milliseconds of the clock
 */
export async function load(url, { perSecond, seconds = Number.POSITIVE_INFINITY, going = () => true, sessionOf }) {
  const exporter = new OTLPTraceExporter({ url: `${url}/v1/traces` });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 100, maxQueueSize: 100_000 });
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer("load");
  const runs = [];
  const from = Date.now();
  for (let index = 0; index < perSecond * seconds && going(); index += 1) {
    await sleep(Math.max(0, from + (index * 1_000) / perSecond - Date.now()));
    runs.push(agent(tracer, sessionOf?.(index)));
  }
  const traces = await Promise.all(runs);
  await provider.shutdown();
  return traces;
}

async function agent(tracer, session) {
  const started = Date.now();
  const named = session === undefined ? {} : { "session.id": session };
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "load_agent", ...named };
  const root = tracer.startSpan("invoke_agent load_agent", { attributes, root: true });
  const within = trace.setSpan(ROOT_CONTEXT, root);
  for (const tool of TOOLS) {
    const call = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
    const span = tracer.startSpan(`execute_tool ${tool}`, { attributes: call }, within);
    await sleep(TRACE_MILLIS / TOOLS.length);
    span.end();
  }
  root.end();
  return { id: root.spanContext().traceId, session, started, ended: Date.now() };
}
