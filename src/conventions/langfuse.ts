import type { Kind, SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Langfuse SDK: observations set by hand, by its OpenAI wrapper and by its LangChain handler.
// Source: @langfuse/core, tracing, otel, langchain and openai 5.11.1; captured spans.
//
// | key                                         | meaning                                                      |
// | ------------------------------------------- | ------------------------------------------------------------ |
// | langfuse.observation.type                   | kind, by the table below; `span`, `chain`, `event` say nothing |
// | langfuse.observation.metadata.lc_agent_name | AGENT where it equals the span's name (LangChain agents)     |
// | span name                                   | the tool's or agent's name                                   |
// | langfuse.observation.input                  | TOOL: arguments                                              |
// | langfuse.observation.output                 | LLM: the provider's message                                  |
// | langfuse.observation.level                  | `ERROR` is a failure; the span's status may stay unset       |

const TYPE = "langfuse.observation.type";
const AGENT_NAME = "langfuse.observation.metadata.lc_agent_name";

const TYPES: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["tool", "TOOL"],
  ["agent", "AGENT"],
  ["generation", "LLM"],
  ["embedding", "NONE"],
  ["retriever", "NONE"],
  ["evaluator", "NONE"],
  ["guardrail", "NONE"],
]);

/** Langfuse. */
export const langfuse: Convention = {
  name: "langfuse",
  markers: [TYPE],
  content: ["langfuse.observation.input", "langfuse.observation.output"],
  rules: [{ precedence: PRECEDENCE.observation, decide: kindOf }],
  tool: ({ attributes }, keep) => ({ args: keep(own(attributes, "langfuse.observation.input")) }),
  outputs: outputsOf,
  failed: failedOf,
};

function kindOf(span: SpanView): Verdict | undefined {
  const type = own(span.attributes, TYPE);
  const said = TYPES.get(type);
  if (said !== undefined || (type !== "span" && type !== "chain")) return said;
  // Every span beneath the agent names it too; the agent's own span has that name.
  return text(span.attributes, AGENT_NAME) === span.name ? "AGENT" : undefined;
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "langfuse.observation.output"), keep);
  return source === undefined ? [] : [source];
}

function failedOf({ attributes }: SpanView, _kind: Kind): boolean | undefined {
  return own(attributes, "langfuse.observation.level") === "ERROR" ? true : undefined;
}
