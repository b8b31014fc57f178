import type { Content, SpanView } from "../model/span.ts";
import { readArguments, readArgumentsUnlessSchema } from "./arguments.ts";
import { firstText, has, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, PRECEDENCE, type ToolReading, type Verdict } from "./convention.ts";
import { outputsOf } from "./openinference-outputs.ts";

// OpenInference (Arize). What single instrumentations do in their own way: beeai.ts, langchain.ts, openai-agents.ts.
// Source: @arizeai/openinference-semantic-conventions 2.12.0; spec/semantic_conventions.md, tool_calling.md.
//
// | key                                          | meaning                                                          |
// | -------------------------------------------- | ---------------------------------------------------------------- |
// | openinference.span.kind                      | kind; CHAIN and UNKNOWN say nothing                               |
// | tool.name, tool_call.id, tool.id             | TOOL: name, call id                                              |
// | input.value                                  | TOOL: arguments                                                  |
// | tool.parameters                              | TOOL: arguments, in some emitters the definition                 |
// | agent.name, graph.node.name, graph.node.id   | AGENT: identity                                                  |
// | llm.finish_reason                            | LLM: why it stopped                                              |
// | llm.token_count.completion                   | LLM: tokens that it answered with                                |
// | openinference-outputs.ts                     | LLM: what it answered                                            |
// | names `ClaudeAgent.query`, `.turn`           | AGENT without a name (Claude Agent SDK)                          |

const KIND = "openinference.span.kind";

const KINDS: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["LLM", "LLM"],
  ["TOOL", "TOOL"],
  ["AGENT", "AGENT"],
  ["RETRIEVER", "NONE"],
  ["RERANKER", "NONE"],
  ["EMBEDDING", "NONE"],
  ["GUARDRAIL", "NONE"],
  ["PROMPT", "NONE"],
]);

const NAMELESS_SPANS: ReadonlySet<string> = new Set(["ClaudeAgent.query", "ClaudeAgent.turn"]);

/** OpenInference. */
export const openInference: Convention = {
  name: "openinference",
  markers: [
    ...[KIND, "llm.model_name", "llm.finish_reason", "tool.name", "tool.parameters", "input.value", "output.value"],
    ...["agent.name", "graph.node.name", "graph.node.id"],
  ],
  markerPrefixes: ["llm.output_messages."],
  content: [],
  rules: [
    {
      precedence: PRECEDENCE.exclusion,
      decide: (span) => (own(span.attributes, KIND) === "EVALUATOR" ? "NONE" : undefined),
    },
    { precedence: PRECEDENCE.openInference, decide: (span) => KINDS.get(own(span.attributes, KIND)) },
  ],
  tool: readTool,
  agent: (span) => firstText(span.attributes, ["agent.name", "graph.node.name", "graph.node.id"]),
  nameless: (span) => NAMELESS_SPANS.has(span.name),
  outputs: outputsOf,
  finishReason: (span) => own(span.attributes, "llm.finish_reason"),
  outputTokens: (span) => own(span.attributes, "llm.token_count.completion"),
};

function readTool(span: SpanView, keep: KeepContent): ToolReading {
  const { attributes } = span;
  const input = keep(own(attributes, "input.value"));
  // VoltAgent records the schema of a tool under the same key.
  const parameters = has(attributes, KIND) ? keep(own(attributes, "tool.parameters")) : undefined;
  // The input may be the bare value of a single argument; parameters name it.
  const usesInput = input !== undefined && (parameters === undefined || looksLikeObject(input));
  return {
    name: text(attributes, "tool.name"),
    callId: firstText(attributes, ["tool_call.id", "tool.id"]),
    args: usesInput ? input : parameters,
    readArgs: usesInput ? readArguments : readArgumentsUnlessSchema,
  };
}

function looksLikeObject(content: Content): boolean {
  if (typeof content.value !== "string") return content.value !== undefined;
  const first = content.value.trimStart()[0];
  return first === "{" || first === '"';
}
