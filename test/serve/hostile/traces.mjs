// Traces of an agent that does what it is expected to do, in the encodings of OTLP.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import protobuf from "protobufjs";

const schema = protobuf.parse(readFileSync(new URL("../../support/otlp.proto", import.meta.url), "utf8")).root;
const REQUEST = schema.lookupType("otlp.ExportTraceServiceRequest");

/** gRPC's path of OTLP. */
export const GRPC_PATH = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
export const JSON_TYPE = "application/json";
export const PROTOBUF_TYPE = "application/x-protobuf";
const TOOLS = ["look", "act"];
/** From one span to the next, in nanoseconds. */
const STEP = 10_000_000n;

const attributes = (given) => Object.entries(given).map(([key, value]) => ({ key, value: { stringValue: value } }));

/** The spans of one run: its tools, and its root. `times`: start and end of the root, in nanoseconds; 0: of no span. */
export function agentRun(times) {
  const id = randomBytes(16).toString("hex");
  const rootId = randomBytes(8).toString("hex");
  const now = BigInt(Date.now()) * 1_000_000n;
  const span = (spanId, index, name, given) => {
    const [start, end] = (times ?? [now, now + 500_000n]).map((time) => time && time + BigInt(index) * STEP);
    const time = { startTimeUnixNano: String(start), endTimeUnixNano: String(end) };
    return { traceId: id, spanId, name, kind: 1, ...time, attributes: attributes(given), status: {} };
  };
  const root = span(rootId, 0, "invoke_agent guest", {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "guest",
    "aip.expected_steps": JSON.stringify(TOOLS),
  });
  const tools = TOOLS.map((tool, index) => ({
    ...span(randomBytes(8).toString("hex"), index + 1, `execute_tool ${tool}`, {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
    }),
    parentSpanId: rootId,
  }));
  return { id, tools, root };
}

export const requestOf = (spans) => ({
  resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: "hostile" }, spans }] }],
});

const IDS = new Set(["traceId", "spanId", "parentSpanId"]);
export function protobufOf(request) {
  const bytes = (key, value) => (IDS.has(key) ? Buffer.from(value, "hex").toString("base64") : value);
  return Buffer.from(REQUEST.encode(REQUEST.fromObject(JSON.parse(JSON.stringify(request, bytes)))).finish());
}
