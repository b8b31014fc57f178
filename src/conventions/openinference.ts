import type { Content, SpanView } from "../model/span.ts";
import { readArguments, readArgumentsUnlessSchema } from "./arguments.ts";
import { firstText, own, text } from "./attributes.ts";
import {
  type Convention,
  type FailureReport,
  type KeepContent,
  PRECEDENCE,
  type ToolReading,
  type Verdict,
} from "./convention.ts";
import { scanTextMember } from "./json.ts";
import { outputsOf } from "./openinference-outputs.ts";

// OpenInference (Arize), with what its instrumentations of BeeAI, LangChain and OpenAI Agents do in their own way.
// Source: @arizeai/openinference-semantic-conventions 2.12.0; spec/semantic_conventions.md, tool_calling.md.
//
// | key                                          | meaning                                                          |
// | -------------------------------------------- | ---------------------------------------------------------------- |
// | openinference.span.kind                      | kind; CHAIN and UNKNOWN say nothing                               |
// | metadata: lc_agent_name                      | AGENT where it equals the name of a CHAIN span (LangChain agents) |
// | tool.name, tool_call.id, tool.id             | TOOL: name, call id                                              |
// | input.value                                  | TOOL: arguments                                                  |
// | tool.parameters                              | TOOL: arguments, in some emitters the definition                 |
// | agent.name, graph.node.name, graph.node.id   | AGENT: identity                                                  |
// | llm.finish_reason                            | LLM: why it stopped                                              |
// | llm.token_count.completion                   | LLM: tokens that it answered with                                |
// | openinference-outputs.ts                     | LLM: what it answered                                            |
// | span name `tool.<kind>.<name>.<event>-N`     | BeeAI: one span per event; the start counts, an error marks it   |

const KIND = "openinference.span.kind";
const BEEAI = "@arizeai/openinference-instrumentation-beeai";
const OPENAI_AGENTS = "@arizeai/openinference-instrumentation-openai-agents";

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

const NAMELESS_SPANS: ReadonlySet<string> = new Set(["ClaudeAgent.query", "ClaudeAgent.turn", "beeai-framework-main"]);

/** OpenInference. */
export const openInference: Convention = {
  name: "openinference",
  markers: [
    ...[KIND, "llm.model_name", "llm.finish_reason", "tool.name", "tool.parameters", "input.value", "output.value"],
    ...["agent.name", "graph.node.name", "graph.node.id"],
  ],
  markerPrefixes: ["llm.output_messages."],
  rules: [
    { precedence: PRECEDENCE.exclusion, decide: (span) => (isBookkeeping(span) ? "NONE" : undefined) },
    { precedence: PRECEDENCE.observation, decide: (span) => (isLangChainAgent(span) ? "AGENT" : undefined) },
    { precedence: PRECEDENCE.openInference, decide: (span) => KINDS.get(own(span.attributes, KIND)) },
  ],
  tool: readTool,
  agent: agentOf,
  nameless: isNameless,
  outputs: outputsOf,
  finishReason: (span) => own(span.attributes, "llm.finish_reason"),
  outputTokens: (span) => own(span.attributes, "llm.token_count.completion"),
  failureReport: reportOfEvent,
};

function readTool(span: SpanView, keep: KeepContent): ToolReading {
  const { attributes } = span;
  const input = keep(own(attributes, "input.value"));
  const parameters = keep(own(attributes, "tool.parameters"));
  // The input may be the bare value of a single argument; parameters name it.
  const usesInput = input !== undefined && (parameters === undefined || looksLikeObject(input));
  return {
    name: text(attributes, "tool.name") ?? beeAiEvent(span)?.name,
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

function agentOf(span: SpanView): string | undefined {
  const named = firstText(span.attributes, ["agent.name", "graph.node.name", "graph.node.id"]);
  return named ?? (isLangChainAgent(span) ? span.name : undefined);
}

/** LangChain names the agent in the metadata of every span beneath it; the agent's own span has that name. */
function isLangChainAgent(span: SpanView): boolean {
  if (own(span.attributes, KIND) !== "CHAIN") return false;
  const metadata = text(span.attributes, "metadata");
  return metadata !== undefined && scanTextMember(metadata, "lc_agent_name") === span.name;
}

function isNameless(span: SpanView): boolean {
  if (NAMELESS_SPANS.has(span.name)) return true;
  // Of the agents of this emitter only the root of a run has no node id.
  if (span.scope_name === OPENAI_AGENTS) return own(span.attributes, "graph.node.id") === undefined;
  return span.scope_name === BEEAI && span.name.startsWith("agent.");
}

/** Spans that are events of an act that has a span already, and evaluations. */
function isBookkeeping(span: SpanView): boolean {
  if (own(span.attributes, KIND) === "EVALUATOR") return true;
  if (span.scope_name !== BEEAI) return false;
  if (span.name.startsWith("backend.")) return span.name.includes(".start-") || span.name.includes(".finish-");
  const event = beeAiEvent(span);
  return event !== undefined && (event.event !== "start" || event.name === "finalAnswer");
}

function reportOfEvent(span: SpanView): FailureReport | undefined {
  const event = beeAiEvent(span);
  return event?.event === "error" ? { of: "earlier", name: event.name } : undefined;
}

/** `tool.<kind>.<name>.<event>-N`: N counts per event, so it does not join the events of one call. */
function beeAiEvent(span: SpanView): { readonly name: string; readonly event: string } | undefined {
  if (span.scope_name !== BEEAI || !span.name.startsWith("tool.")) return undefined;
  const nameStart = span.name.indexOf(".", 5) + 1;
  const eventDot = span.name.lastIndexOf(".");
  const dash = span.name.lastIndexOf("-");
  if (nameStart === 0 || eventDot <= nameStart || dash < eventDot) return undefined;
  return { name: span.name.slice(nameStart, eventDot), event: span.name.slice(eventDot + 1, dash) };
}
