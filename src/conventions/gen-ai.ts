import type { Kind, SpanView } from "../model/span.ts";
import { eventAttributes, firstValue, has, own, text } from "./attributes.ts";
import {
  type Convention,
  type KeepContent,
  type KindRule,
  PRECEDENCE,
  type ToolReading,
  type Verdict,
} from "./convention.ts";
import { finishReasonOf, outputsOf } from "./gen-ai-outputs.ts";

// OpenTelemetry GenAI semantic conventions, current and older shapes, and the emitters that follow them to the letter:
// Vercel AI SDK 7, the OpenAI instrumentations of OpenTelemetry and Elastic. Emitters that follow them and add to them
// have files of their own.
// Source: open-telemetry/semantic-conventions-genai docs/gen-ai, semantic-conventions v1.27 to v1.41.
//
// | key                                        | meaning                                           |
// | ------------------------------------------ | ------------------------------------------------- |
// | gen_ai.operation.name                      | kind, by the table below                          |
// | gen_ai.tool.name, .call.id                 | TOOL: name, call id (`<not specified>` is absent) |
// | gen_ai.tool.call.arguments                 | TOOL: arguments, object or JSON text              |
// | event gen_ai.tool.message: content         | TOOL: arguments (1.28 to 1.36, Strands)           |
// | gen_ai.agent.name, .id                     | AGENT: identity; never makes an AGENT             |
// | gen_ai.response.finish_reasons             | LLM: why it stopped                               |
// | gen_ai.usage.output_tokens                 | LLM: tokens that it answered with                 |
// | gen-ai-outputs.ts                          | LLM: what it answered                             |

const OPERATION = "gen_ai.operation.name";
const MODEL = "gen_ai.request.model";
const TOOL_NAME = "gen_ai.tool.name";
const CALL_ID = "gen_ai.tool.call.id";
const FLAT_COMPLETION = "gen_ai.completion.";

const OPERATIONS: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ...["chat", "text_completion", "generate_content", "completion", "generate", "response", "responses", "llm"].map(
    (name) => [name, "LLM"] as const,
  ),
  ...["execute_tool", "tool"].map((name) => [name, "TOOL"] as const),
  ...["invoke_agent", "agent"].map((name) => [name, "AGENT"] as const),
  ...[
    // Creating an agent is no act of it; workflows, plans and look-ups are no steps; the rest are frameworks' wrappers.
    ...["create_agent", "invoke_workflow", "plan", "retrieval", "embeddings", "embedding", "rerank", "search_memory"],
    ...["create_memory", "update_memory", "upsert_memory", "delete_memory", "create_memory_store"],
    ...["delete_memory_store", "agent_step", "execute_node", "invoke_graph", "invoke_swarm", "workflow", "task"],
    ...["model_step", "model_inference", "model_chunk", "decide", "evaluate", "guardrail.run", "guard"],
    ...["classification"],
  ].map((name) => [name, "NONE"] as const),
]);

const MODEL_KEYS = [MODEL, "gen_ai.response.model", "llm.model_name", "llm.request.type"] as const;

const RULES: readonly KindRule[] = [
  {
    // The Agent Development Kit's record of a parallel round; the calls have spans of their own.
    precedence: PRECEDENCE.exclusion,
    decide: (span) => (own(span.attributes, TOOL_NAME) === "(merged tools)" ? "NONE" : undefined),
  },
  { precedence: PRECEDENCE.operation, decide: (span) => OPERATIONS.get(own(span.attributes, OPERATION)) },
  {
    precedence: PRECEDENCE.toolShape,
    decide: ({ attributes }) =>
      (has(attributes, TOOL_NAME) || has(attributes, CALL_ID)) && !has(attributes, MODEL) ? "TOOL" : undefined,
  },
  { precedence: PRECEDENCE.modelShape, decide: (span) => (isModelShaped(span) ? "LLM" : undefined) },
  { precedence: PRECEDENCE.spanName, decide: kindOfSpanName },
];

/** OpenTelemetry GenAI. */
export const genAi: Convention = {
  name: "gen-ai",
  markers: [
    ...[OPERATION, TOOL_NAME, CALL_ID, "gen_ai.tool.call.arguments", "gen_ai.agent.name", "gen_ai.agent.id"],
    ...[...MODEL_KEYS, "gen_ai.system", "gen_ai.provider.name", "gen_ai.output.messages"],
  ],
  markerPrefixes: [FLAT_COMPLETION],
  content: ["gen_ai.completion", "message", "tool_calls", "content"],
  events: [
    "gen_ai.tool.message",
    "gen_ai.choice",
    "gen_ai.client.inference.operation.details",
    "gen_ai.content.completion",
  ],
  spanNames: ["execute_tool", "invoke_agent", "chat"],
  rules: RULES,
  tool: readTool,
  agent: (span) => text(span.attributes, "gen_ai.agent.name"),
  agentId: (span) => text(span.attributes, "gen_ai.agent.id"),
  nameless: isNameless,
  outputs: outputsOf,
  finishReason: finishReasonOf,
  outputTokens: (span) => firstValue(span.attributes, ["gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"]),
};

function readTool(span: SpanView, keep: KeepContent): ToolReading {
  const { attributes } = span;
  const callId = text(attributes, CALL_ID);
  return {
    name: text(attributes, TOOL_NAME),
    callId: callId === "<not specified>" ? undefined : callId,
    args: keep(own(attributes, "gen_ai.tool.call.arguments")) ?? keep(argumentsOfEvents(span)),
  };
}

function argumentsOfEvents(span: SpanView): unknown {
  for (const event of span.events) {
    if (event?.name === "gen_ai.tool.message") return own(eventAttributes(event), "content");
  }
  return undefined;
}

function isModelShaped({ attributes }: SpanView): boolean {
  for (const key of MODEL_KEYS) if (has(attributes, key)) return own(attributes, key) !== "rerank";
  for (const part of ["role", "content", "finish_reason", "tool_calls.0.name"]) {
    if (has(attributes, `${FLAT_COMPLETION}0.${part}`)) return true;
  }
  return has(attributes, "llm.output_messages.0.message.role");
}

function kindOfSpanName({ name }: SpanView): Kind | undefined {
  const space = name.indexOf(" ");
  const word = space === -1 ? name : name.slice(0, space);
  if (word === "execute_tool") return "TOOL";
  if (word === "invoke_agent") return "AGENT";
  return word === "chat" ? "LLM" : undefined;
}

function isNameless(span: SpanView): boolean {
  if (span.name === "invoke_agent") return true;
  const model = text(span.attributes, MODEL);
  return model !== undefined && span.name.startsWith("invoke_agent ") && span.name.slice(13) === model;
}
