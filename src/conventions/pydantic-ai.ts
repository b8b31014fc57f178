import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// Pydantic AI and Logfire. From version 3 of its instrumentation on it follows OpenTelemetry GenAI; before, tools had
// no operation.
// Source: pydantic/pydantic-ai, _instrumentation.py (InstrumentationNames) and the Instrumentation capability.
//
// | key                                                 | meaning                                               |
// | --------------------------------------------------- | ----------------------------------------------------- |
// | names `agent run`, `running tool`                   | AGENT, TOOL (versions 1 and 2)                        |
// | name `running output function`                      | TOOL: a structured answer, asked for as a call        |
// | names `running tools`, `running N tools`            | the round around the calls: no step                   |
// | agent_name                                          | AGENT: identity                                       |
// | tool_arguments                                      | TOOL: arguments                                       |
// | pydantic_ai.all_messages, all_messages_events       | AGENT: the whole history; never read for calls        |

const AGENT_RUN = "agent run";
const ROUND_PREFIX = "running ";

/** Pydantic AI. */
export const pydanticAi: Convention = {
  name: "pydantic-ai",
  markers: ["agent_name", "tool_arguments"],
  content: [],
  spanNames: [AGENT_RUN, ROUND_PREFIX],
  rules: [
    { precedence: PRECEDENCE.exclusion, decide: (span) => (isRound(span) ? "NONE" : undefined) },
    { precedence: PRECEDENCE.rare, decide: kindOf },
  ],
  tool: ({ attributes }, keep) => ({ args: keep(own(attributes, "tool_arguments")) }),
  agent: (span) => (isAgentRun(span) ? text(span.attributes, "agent_name") : undefined),
  nameless: (span) => span.name === AGENT_RUN,
};

function kindOf(span: SpanView): Verdict | undefined {
  if (isAgentRun(span)) return "AGENT";
  const named = text(span.attributes, "gen_ai.tool.name") !== undefined;
  return named && (span.name === "running tool" || span.name === "running output function") ? "TOOL" : undefined;
}

/** Newer versions name the span after the operation, and every span beneath carries the agent's name. */
function isAgentRun(span: SpanView): boolean {
  return span.name === AGENT_RUN && text(span.attributes, "agent_name") !== undefined;
}

function isRound({ name, attributes }: SpanView): boolean {
  if (!name.startsWith(ROUND_PREFIX) || !name.endsWith("tools")) return false;
  return text(attributes, "gen_ai.tool.name") === undefined;
}
