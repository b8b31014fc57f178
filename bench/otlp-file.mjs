// Writes OTLP/JSON lines as a Collector's file exporter does: batches of spans of many traces that run at once, from
// an agent's service and from the services around it. The same seed gives the same file.
import { closeSync, openSync, writeSync } from "node:fs";

const SPANS_PER_LINE = 64;
/** Traces that run at the same time; their spans are mixed on every line. */
const RUNNING = 24;
const TRACES_PER_SESSION = 3;

const WORDS =
  "the agent looked up an order for customer and found that shipping was delayed because of weather, refund policy allows credit".split(
    " ",
  );
const TOOLS = ["authenticate", "fetch_order", "fetch_policy", "issue_refund"];

const DEFINITIONS = JSON.stringify(
  TOOLS.map((name) => ({
    type: "function",
    name,
    description: `Calls ${name} for one order of the customer and gives back what the shop knows of it.`,
    parameters: { type: "object", properties: { order_id: { type: "integer" }, currency: { type: "string" } } },
  })),
);

/** A generator of pseudo-random numbers with a fixed seed (mulberry32). */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Writes a file of about `bytes`; `around` multiplies what is not kept of a trace: spans of no kind, and inputs.
 *
 * @returns {{ traces: number, spans: number, steps: number }}
 */
export function writeOtlpFile(path, bytes, { around = 1 } = {}) {
  const random = randomFrom(7);
  const hex = (digits) => {
    let text = "";
    while (text.length < digits)
      text += Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, "0");
    return text.slice(0, digits);
  };
  const prose = (length) => {
    let text = "";
    while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)]} `;
    return text;
  };
  const attribute = (key, value) => {
    if (Array.isArray(value))
      return { key, value: { arrayValue: { values: value.map((one) => ({ stringValue: one })) } } };
    if (typeof value === "string") return { key, value: { stringValue: value } };
    return { key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
  };
  const attributes = (values) => Object.entries(values).map(([key, value]) => attribute(key, value));
  const counts = { traces: 0, spans: 0, steps: 0 };

  function* traceSpans() {
    const traceId = hex(32);
    const session = `session-${Math.floor(counts.traces / TRACES_PER_SESSION)}`;
    counts.traces += 1;
    let nanos = 1_780_000_000_000_000_000n + BigInt(counts.traces) * 137_000_000n;
    const span = (name, kind, parent, scope, values, status = {}) => {
      const start = nanos;
      nanos += BigInt(Math.floor(1_000_000 + random() * 40_000_000));
      counts.spans += 1;
      return {
        scope,
        span: {
          traceId,
          spanId: hex(16),
          parentSpanId: parent,
          flags: 257,
          name,
          kind,
          startTimeUnixNano: String(start),
          endTimeUnixNano: String(nanos),
          attributes: attributes(values),
          status,
        },
      };
    };
    const plain = (parent) =>
      random() < 0.7
        ? span("POST", 3, parent, "@opentelemetry/instrumentation-http", {
            "http.request.method": "POST",
            "url.full": `https://api.example.test/v1/items/${Math.floor(random() * 1e6)}?expand=lines`,
            "http.response.status_code": 200,
            "server.address": "api.example.test",
            "server.port": 443,
            "network.peer.address": "203.0.113.7",
            "network.peer.port": 443,
            "network.protocol.version": "1.1",
            "user_agent.original": "shop-agent/2.4 node",
          })
        : span("pg.query:SELECT shop", 3, parent, "@opentelemetry/instrumentation-pg", {
            "db.system.name": "postgresql",
            "db.namespace": "shop",
            "db.query.text": "SELECT id, total, state FROM orders WHERE customer_id = $1 ORDER BY created_at DESC",
            "server.address": "db.example.test",
            "server.port": 5432,
          });
    const rootSpan = span("POST /chat", 2, "", "@opentelemetry/instrumentation-http", {
      "http.request.method": "POST",
      "url.path": "/chat",
      "http.route": "/chat",
      "http.response.status_code": 200,
    });
    const agent = span("invoke_agent support_agent", 1, rootSpan.span.spanId, "agent-framework", {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "support_agent",
      "gen_ai.conversation.id": session,
      "gen_ai.provider.name": "openai",
    });
    const id = agent.span.spanId;
    for (const [turn, tool] of TOOLS.entries()) {
      if (random() < 0.1) continue;
      // Every call repeats the conversation so far.
      const input = [{ role: "user", parts: [{ type: "text", content: prose((2_000 + 1_500 * turn) * around) }] }];
      const callId = `call_${hex(12)}`;
      const args = { order_id: Math.floor(random() * 1e6), currency: "EUR", note: prose(60) };
      const parts = [
        { type: "text", content: prose(200) },
        { type: "tool_call", id: callId, name: tool, arguments: args },
      ];
      const model = span("chat gpt", 3, id, "agent-framework", {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt",
        "gen_ai.response.model": "gpt-2026-10-01",
        "gen_ai.response.id": `resp_${hex(16)}`,
        "gen_ai.request.temperature": 0.2,
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 120,
        "gen_ai.response.finish_reasons": ["tool_calls"],
        "gen_ai.conversation.id": session,
        "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: prose(2_000) }]),
        "gen_ai.tool.definitions": DEFINITIONS,
        "gen_ai.input.messages": JSON.stringify(input),
        "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts, finish_reason: "tool_call" }]),
      });
      yield plain(model.span.spanId);
      yield model;
      const act = span(`execute_tool ${tool}`, 1, id, "agent-framework", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": callId,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.arguments": JSON.stringify(args),
        "gen_ai.tool.call.result": JSON.stringify({ state: "ok", text: prose(500) }),
        "gen_ai.conversation.id": session,
      });
      counts.steps += 1;
      for (let index = 0; index < 5 * around; index += 1) yield plain(act.span.spanId);
      yield act;
    }
    yield agent;
    yield rootSpan;
  }

  const resource = {
    attributes: attributes({ "service.name": "shop-agent", "service.version": "2.4.1", "host.name": "pod-7" }),
  };
  const file = openSync(path, "w");
  const running = [];
  let written = 0;
  while (written < bytes || running.length > 0) {
    const scopes = new Map();
    for (let count = 0; count < SPANS_PER_LINE; count += 1) {
      while (running.length < RUNNING && written < bytes) running.push(traceSpans());
      if (running.length === 0) break;
      const place = Math.floor(random() * running.length);
      const { value, done } = running[place].next();
      if (done) {
        running.splice(place, 1);
        continue;
      }
      const spans = scopes.get(value.scope);
      if (spans === undefined) scopes.set(value.scope, [value.span]);
      else spans.push(value.span);
    }
    const scopeSpans = [...scopes].map(([name, spans]) => ({ scope: { name, version: "0.9.0" }, spans }));
    const line = `${JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })}\n`;
    written += line.length;
    writeSync(file, line);
  }
  closeSync(file);
  return counts;
}
