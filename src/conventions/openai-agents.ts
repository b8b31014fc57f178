import type { SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import { type Convention, PRECEDENCE } from "./convention.ts";

// OpenAI Agents SDK as OpenInference instruments it. The SDK has no OpenTelemetry spans of its own; names, arguments
// and answers are OpenInference's.
// Source: @arizeai/openinference-instrumentation-openai-agents 0.2.15 (src/processor.ts).
//
// | key                             | meaning                                                                 |
// | ------------------------------- | ----------------------------------------------------------------------- |
// | graph.node.id                   | AGENT: identity; only the root of a run has none and names no agent     |
// | name `mcp_tools`                | asks a server for its tools: no step, although its kind is TOOL         |
// | tool.name `handoff_to_X`        | TOOL: a hand-off; what becomes of it says `trajectory.delegations`      |

const SCOPES = [
  "@arizeai/openinference-instrumentation-openai-agents",
  "openinference.instrumentation.openai_agents",
] as const;

/** OpenAI Agents SDK through OpenInference. */
export const openAiAgents: Convention = {
  name: "openai-agents",
  markers: [],
  content: [],
  scopes: SCOPES,
  rules: [
    {
      precedence: PRECEDENCE.exclusion,
      decide: (span) => (isOpenAiAgents(span) && span.name === "mcp_tools" ? "NONE" : undefined),
    },
  ],
  nameless: (span) => isOpenAiAgents(span) && own(span.attributes, "graph.node.id") === undefined,
};

function isOpenAiAgents(span: SpanView): boolean {
  return SCOPES.some((scope) => scope === span.scope_name);
}
