import type { Kind, SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// LiveKit Agents. Agents, model calls and tools follow OpenTelemetry GenAI; its own keys fill what is missing there.
// Source: @livekit/agents 1.9.0 (src/telemetry).
//
// | key                                               | meaning                                              |
// | ------------------------------------------------- | ---------------------------------------------------- |
// | name `realtime_metrics`                           | no step, although its operation is a model call's    |
// | name `llm_request_run`                            | one attempt at the model call around it: no step     |
// | name `function_tool`, lk.function_tool.name, .id  | TOOL: a constant span name; tool name, call id       |
// | lk.pii.function_tool.arguments                    | TOOL: arguments                                      |
// | lk.function_tool.is_error                         | TOOL: a failure                                      |
// | lk.agent_label                                    | AGENT: identity, where `gen_ai.agent.name` is absent |
// | lk.pii.response.function_calls                    | LLM: the calls of the completion                     |

const SCOPE = "livekit-agents";
const TOOL_NAME = "lk.function_tool.name";

/** Spans that repeat a model call, or count its tokens under the operation of one. */
const BOOKKEEPING: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["realtime_metrics", "NONE"],
  ["llm_request_run", "NONE"],
]);

/** LiveKit Agents. */
export const liveKit: Convention = {
  name: "livekit",
  markers: [TOOL_NAME, "lk.agent_label"],
  content: ["lk.pii.function_tool.arguments", "lk.pii.response.function_calls"],
  scopes: [SCOPE],
  rules: [
    {
      precedence: PRECEDENCE.exclusion,
      decide: (span) => (span.scope_name === SCOPE ? BOOKKEEPING.get(span.name) : undefined),
    },
    {
      precedence: PRECEDENCE.toolShape,
      decide: (span) => (text(span.attributes, TOOL_NAME) === undefined ? undefined : "TOOL"),
    },
  ],
  tool: ({ attributes }, keep) => ({
    name: text(attributes, TOOL_NAME),
    callId: text(attributes, "lk.function_tool.id"),
    args: keep(own(attributes, "lk.pii.function_tool.arguments")),
  }),
  agent: ({ attributes }) => text(attributes, "lk.agent_label"),
  outputs: outputsOf,
  failed: failedOf,
};

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "lk.pii.response.function_calls"), keep);
  return source === undefined ? [] : [source];
}

function failedOf({ attributes }: SpanView, kind: Kind): boolean | undefined {
  return kind === "TOOL" && own(attributes, "lk.function_tool.is_error") === true ? true : undefined;
}
