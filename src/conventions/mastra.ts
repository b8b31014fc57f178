import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Mastra, as its bridge makes spans in the process and as its exporter sends them.
// Source: @mastra/core 1.71.0, @mastra/otel-bridge 1.5.4, @mastra/otel-exporter 1.4.0; captured spans of both.
//
// | key                           | meaning                                                                    |
// | ----------------------------- | -------------------------------------------------------------------------- |
// | mastra.span.type              | kind, by the table below; every other type is no step                      |
// | gen_ai.operation.name         | of `model_generation` and `model_inference` the one that says `chat` is LLM |
// | gen_ai.tool.*, gen_ai.agent.* | names, call id, arguments (read by the GenAI convention)                   |
// | mastra.metadata.args          | TOOL `client_tool_call`: arguments; its name is in the span's name only    |
// | mastra.model_inference.output | the model's answer with its calls, which the LLM span lacks (bridge)       |
// | mastra.model_step.output      | the same (exporter)                                                        |
//
// A sub-agent is the tool `agent-<name>` with the agent beneath it.

const TYPE = "mastra.span.type";

const TYPES: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["agent_run", "AGENT"],
  ["tool_call", "TOOL"],
  ["mcp_tool_call", "TOOL"],
  ["provider_tool_call", "TOOL"],
  ["client_tool_call", "TOOL"],
]);

/** Mastra. */
export const mastra: Convention = {
  name: "mastra",
  markers: [TYPE],
  content: ["mastra.metadata.args", "mastra.model_step.output", "mastra.model_inference.output"],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
  tool: ({ attributes }, keep) =>
    own(attributes, TYPE) === "client_tool_call" ? { args: keep(own(attributes, "mastra.metadata.args")) } : undefined,
  carriedOutputs,
};

function kindOf({ attributes }: SpanView): Verdict | undefined {
  const type = text(attributes, TYPE);
  if (type === undefined) return undefined;
  const operation = text(attributes, "gen_ai.operation.name");
  if (type === "model_generation") return operation === undefined || operation === "chat" ? "LLM" : "NONE";
  if (type === "model_inference") return operation === "chat" ? "LLM" : "NONE";
  return TYPES.get(type) ?? "NONE";
}

/** The span that stands for the model call shows the final text alone; the calls are on the steps around or in it. */
function carriedOutputs({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const type = own(attributes, TYPE);
  if (type !== "model_step" && type !== "model_inference") return [];
  const source = wholeOutput(own(attributes, `mastra.${type}.output`), keep);
  return source === undefined ? [] : [source];
}
