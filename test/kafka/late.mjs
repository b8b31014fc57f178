// Traces whose last tool is told late: when they have been scored, and the consumer that scored them has been killed.
import { randomBytes } from "node:crypto";
import { TOOLS } from "../support/load.mjs";
import { until } from "../support/processes.mjs";

const TRACES = 12;

const attributesOf = (pairs) => Object.entries(pairs).map(([key, stringValue]) => ({ key, value: { stringValue } }));

/** A trace as the load's agents make it: its root first, then its tools. */
function trace() {
  const traceId = randomBytes(16).toString("hex");
  const rootId = randomBytes(8).toString("hex");
  const at = (millis) => String(BigInt(Date.now() + millis) * 1_000_000n);
  const span = (spanId, name, from, to, attributes) => ({
    ...{ traceId, spanId, name, kind: 1, startTimeUnixNano: at(from), endTimeUnixNano: at(to) },
    ...(spanId === rootId ? {} : { parentSpanId: rootId }),
    attributes: attributesOf(attributes),
  });
  const agent = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "load_agent" };
  const tools = TOOLS.map((tool, index) =>
    span(randomBytes(8).toString("hex"), `execute_tool ${tool}`, index * 10 + 1, index * 10 + 9, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
    }),
  );
  return [span(rootId, "invoke_agent load_agent", 0, 100, agent), ...tools];
}

async function send(url, spans) {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const headers = { "content-type": "application/json" };
  const { status } = await fetch(`${url}/v1/traces`, { method: "POST", headers, body });
  if (status !== 200) throw new Error(`the Collector answers ${status}`);
}

export async function late({ url, rig, consumers }) {
  const traces = Array.from({ length: TRACES }, trace);
  const scored = (ids) => {
    const found = new Set(rig.rows().flatMap(({ trace_ids }) => trace_ids));
    return ids.every((id) => found.has(id));
  };
  await send(
    url,
    traces.flatMap((spans) => spans.slice(0, -1)),
  );
  await until("traces are scored", () => scored(traces.map(([{ traceId }]) => traceId)), 30);
  for (const consumer of consumers) await consumer.end("SIGKILL");
  for (const consumer of consumers) await consumer.start();
  await send(
    url,
    traces.map((spans) => spans.at(-1)),
  );
}
