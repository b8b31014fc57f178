import type { Content, SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Google Agent Development Kit, JavaScript and Python. Agents and tools follow OpenTelemetry GenAI; `call_llm` has no
// operation and is told by its attributes.
// Source: @google/adk 2.0.0 (telemetry/tracing.js), google/adk-python src/google/adk/telemetry/tracing.py.
//
// | key                            | meaning                                                                |
// | ------------------------------ | ---------------------------------------------------------------------- |
// | gen_ai.tool.name               | `(merged tools)` is the record of a parallel round: no step (gen-ai.ts) |
// | names `call_llm`, `invocation` | LLM; the run around everything: no step                                |
// | gcp.vertex.agent.tool_call_args | TOOL: arguments; `{}` when content is off, `N/A` when merged          |
// | gcp.vertex.agent.llm_response  | LLM: content whose parts hold `functionCall` or `function_call`        |
// | gcp.vertex.agent.session_id    | session (session-keys.ts)                                              |

const SCOPE = "gcp.vertex.agent";
const ARGUMENTS = "gcp.vertex.agent.tool_call_args";
const RESPONSE = "gcp.vertex.agent.llm_response";

const KINDS: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["call_llm", "LLM"],
  ["invocation", "NONE"],
]);

/** Google Agent Development Kit. */
export const googleAdk: Convention = {
  name: "google-adk",
  markers: [ARGUMENTS, RESPONSE],
  content: [],
  scopes: [SCOPE],
  rules: [
    {
      precedence: PRECEDENCE.framework,
      decide: (span) => (span.scope_name === SCOPE ? KINDS.get(span.name) : undefined),
    },
  ],
  tool: ({ attributes }, keep) => ({ args: recorded(own(attributes, ARGUMENTS), keep) }),
  outputs: outputsOf,
};

/** A call without arguments cannot be told from one whose arguments were left out: neither is compared. */
function recorded(value: unknown, keep: KeepContent): Content | undefined {
  return value === "N/A" || value === "{}" ? undefined : keep(value);
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, RESPONSE), keep);
  return source === undefined ? [] : [source];
}
