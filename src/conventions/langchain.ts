import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE } from "./convention.ts";
import { scanTextMember } from "./json.ts";

// LangChain and LangGraph agents as OpenInference instruments them. LangChain has no spans of its own; Langfuse and
// Traceloop mark them in their own dialects (langfuse.ts, traceloop.ts).
// Source: @arizeai/openinference-instrumentation-langchain 4.1.1; captured spans of createAgent and deepagents.
//
// | key                     | meaning                                                                      |
// | ----------------------- | ---------------------------------------------------------------------------- |
// | metadata: lc_agent_name | AGENT where it equals the name of a CHAIN span; every span beneath carries it |
//
// createReactAgent and langgraph-supervisor set no such key: their agents are spans of no kind.

/** LangChain through OpenInference. */
export const langChain: Convention = {
  name: "langchain",
  markers: ["metadata"],
  content: [],
  rules: [{ precedence: PRECEDENCE.observation, decide: (span) => (isAgent(span) ? "AGENT" : undefined) }],
  agent: (span) => (isAgent(span) ? span.name : undefined),
};

/** LangChain names the agent in the metadata of every span beneath it; the agent's own span has that name. */
function isAgent(span: SpanView): boolean {
  if (own(span.attributes, "openinference.span.kind") !== "CHAIN") return false;
  const metadata = text(span.attributes, "metadata");
  return metadata !== undefined && scanTextMember(metadata, "lc_agent_name") === span.name;
}
