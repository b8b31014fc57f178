// Spans as hosts make them, for the benches.
import { ROOT_CONTEXT, SpanKind, trace } from "@opentelemetry/api";

const SPANS_PER_TRACE = 20;
const TRACES = 100;

/** Traces of 20 spans: a root of no kind, and leaves of one shape. */
export function makeTraces(tracer, shape) {
  for (let index = 0; index < TRACES; index += 1) {
    const root = tracer.startSpan("POST /chat", { attributes: plainAttributes(index) }, ROOT_CONTEXT);
    const within = trace.setSpan(ROOT_CONTEXT, root);
    for (let child = 1; child < SPANS_PER_TRACE; child += 1) {
      const { name, ...options } = shape(child);
      tracer.startSpan(name, options, within).end();
    }
    root.end();
  }
}

export function plainAttributes(index) {
  return {
    "http.request.method": "GET",
    "url.path": `/api/items/${index}`,
    "http.response.status_code": 200,
    "server.address": "example.test",
    "network.protocol.version": "1.1",
    "user_agent.original": "bench",
  };
}

const content = JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "x".repeat(1_500) }] }]);

/** Name and options by child. */
export const shapes = {
  "span of no kind, 6 attributes": (child) => ({ name: "GET", attributes: plainAttributes(child) }),
  "TOOL span, 8 attributes with JSON": (child) => ({
    name: "execute_tool search",
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.id": `call_${child}`,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.arguments": '{"query":"hotels in Paris","max_results":2}',
      "gen_ai.tool.call.result": '[{"id":"h1","name":"Hotel One","price":180}]',
      "gen_ai.agent.name": "assistant",
      "session.id": "s-1",
    },
  }),
  "LLM span, 14 attributes with JSON": (child) => ({
    name: "chat gpt",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt",
      "gen_ai.response.model": "gpt",
      "gen_ai.response.id": `resp_${child}`,
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.max_tokens": 800,
      "gen_ai.usage.input_tokens": 900,
      "gen_ai.usage.output_tokens": 120,
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.input.messages": content,
      "gen_ai.output.messages": content,
      "gen_ai.conversation.id": "s-1",
      "server.address": "example.test",
    },
  }),
};

/** Held for its context, which may come back to the process. */
export const client = (child) => ({ name: "GET", kind: SpanKind.CLIENT, attributes: plainAttributes(child) });
