import type { Kind, SpanView } from "../model/span.ts";
import { firstText, firstValue, has, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Vercel AI SDK 4 to 6, and the LegacyOpenTelemetry of 7 (scope `ai`). Version 7 itself follows OpenTelemetry GenAI.
// Source: ai 4.3.19, 5.0.277, 6.0.326 (dist/index.mjs), @ai-sdk/otel 1.0.173 (src/legacy-open-telemetry.ts).
//
// | key                                           | meaning                                                      |
// | --------------------------------------------- | ------------------------------------------------------------ |
// | ai.operationId, operation.name up to a space  | kind, by the table below                                     |
// | ai.toolCall.name, .id, .args (.input)         | TOOL: name, call id, arguments as JSON text                  |
// | ai.toolCall.result (.output)                  | TOOL: recorded only when the call succeeded                  |
// | ai.telemetry.metadata.agent, .agentName       | AGENT: identity set by the user                              |
// | ai.telemetry.functionId                       | AGENT: identity; version 7 exports it as gen_ai.agent.name   |
// | ai.response.toolCalls                         | LLM: calls, four shapes; also on outer spans (a repetition)  |
// | ai.response.text, .object                     | LLM: the answer                                              |
// | ai.response.finishReason                      | LLM: `tool-calls`                                            |
// | ai.usage.outputTokens, .completionTokens      | LLM: tokens that it answered with                            |

const OPERATION_ID = "ai.operationId";
const OUTER = ["ai.generateText", "ai.streamText", "ai.generateObject", "ai.streamObject"] as const;
const AGENT_KEYS = [
  "gen_ai.agent.name",
  "ai.telemetry.metadata.agent",
  "ai.telemetry.metadata.agentName",
  "ai.telemetry.functionId",
] as const;
const RESULT_KEYS = ["ai.toolCall.result", "ai.toolCall.output", "gen_ai.tool.call.result"] as const;
const ANSWER_KEYS = ["ai.response.text", "ai.response.object", "gen_ai.output.messages"] as const;

const OUTER_IDS: ReadonlySet<string> = new Set(OUTER);
const INNER_IDS: ReadonlySet<string> = new Set(OUTER.flatMap((id) => [`${id}.doGenerate`, `${id}.doStream`]));

/** Vercel AI SDK. */
export const vercelAi: Convention = {
  name: "vercel-ai",
  markers: [OPERATION_ID, "operation.name", "ai.toolCall.name", "ai.toolCall.args", "ai.telemetry.functionId"],
  content: ["ai.toolCall.input", "ai.response.toolCalls", "ai.response.text", "ai.response.object"],
  scopes: ["ai", "gen_ai"],
  rules: [
    { precedence: PRECEDENCE.operationId, decide: kindOfOperation },
    {
      precedence: PRECEDENCE.toolShape,
      decide: ({ attributes }) =>
        has(attributes, "ai.toolCall.name") && !has(attributes, "gen_ai.request.model") ? "TOOL" : undefined,
    },
  ],
  tool: ({ attributes }, keep) => ({
    name: text(attributes, "ai.toolCall.name"),
    callId: text(attributes, "ai.toolCall.id"),
    args: keep(own(attributes, "ai.toolCall.args")) ?? keep(own(attributes, "ai.toolCall.input")),
  }),
  agent: (span) => firstText(span.attributes, AGENT_KEYS),
  outputs: outputsOf,
  finishReason: (span) => own(span.attributes, "ai.response.finishReason"),
  outputTokens: (span) => firstValue(span.attributes, ["ai.usage.outputTokens", "ai.usage.completionTokens"]),
  failed: succeeded,
};

function kindOfOperation(span: SpanView): Verdict | undefined {
  const id = operationOf(span);
  if (id === undefined) return undefined;
  if (id === "ai.toolCall") return "TOOL";
  if (INNER_IDS.has(id)) return "LLM";
  // An outer span without an identity is a mere wrapper around model calls.
  return OUTER_IDS.has(id) && firstText(span.attributes, AGENT_KEYS) !== undefined ? "AGENT" : "NONE";
}

/** `operation.name` is the operation id and, after a space, the function id. */
function operationOf({ attributes }: SpanView): string | undefined {
  const id = text(attributes, OPERATION_ID);
  if (id !== undefined) return id;
  const name = text(attributes, "operation.name");
  if (name === undefined || !name.startsWith("ai.")) return undefined;
  const space = name.indexOf(" ");
  return space === -1 ? name : name.slice(0, space);
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const sources: OutputSource[] = [];
  for (const key of ["ai.response.toolCalls", "ai.response.text", "ai.response.object"]) {
    const source = wholeOutput(own(attributes, key), keep);
    if (source !== undefined) sources.push(source);
  }
  return sources;
}

/** A recorded result means success: a converter marks later spans of a run as errors after one failed call. */
function succeeded({ attributes }: SpanView, kind: Kind): boolean | undefined {
  const keys = kind === "TOOL" ? RESULT_KEYS : ANSWER_KEYS;
  return firstValue(attributes, keys) === undefined ? undefined : false;
}
