import type { SpanView } from "../model/span.ts";
import { has, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Sentry's AI instrumentations. They set `gen_ai.operation.name` too, except on spans of the Vercel AI SDK.
// Source: @sentry/core and node 10.78.0, @sentry/server-utils 11.12.0, @sentry/conventions 0.33.0; captured spans.
//
// | key                          | meaning                                                              |
// | ---------------------------- | -------------------------------------------------------------------- |
// | sentry.op                    | kind, by the table below, where it begins with `gen_ai.`             |
// | gen_ai.tool.input            | TOOL: arguments (version 10; later `gen_ai.tool.call.arguments`)     |
// | gen_ai.response.tool_calls   | LLM: the provider's calls (version 10; later `gen_ai.output.messages`) |
// | gen_ai.response.text         | LLM: the answer                                                      |
//
// LangChain tools have no span of their own.

const OP = "sentry.op";
const PREFIX = "gen_ai.";

const MARKERS = ["gen_ai.tool.input", "gen_ai.response.tool_calls", "gen_ai.response.text"] as const;

const OPS: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["gen_ai.invoke_agent", "AGENT"],
  ["gen_ai.execute_tool", "TOOL"],
  ["gen_ai.chat", "LLM"],
  ["gen_ai.generate_content", "LLM"],
  ["gen_ai.text_completion", "LLM"],
  ["gen_ai.responses", "LLM"],
]);

/** Sentry. */
export const sentry: Convention = {
  name: "sentry",
  // Every span of a Sentry host has `sentry.op`; as a marker it would make them all expensive. Where it alone says the
  // kind, GenAI's shapes and names of spans say the same, except of agents, which have a model too.
  markers: MARKERS,
  content: [],
  spanNames: ["invoke_agent"],
  rules: [{ precedence: PRECEDENCE.rare, decide: kindOf }],
  tool: ({ attributes }, keep) => ({ args: keep(own(attributes, "gen_ai.tool.input")) }),
  outputs: outputsOf,
};

function kindOf({ name, attributes }: SpanView): Verdict | undefined {
  const op = text(attributes, OP);
  if (op === undefined || !op.startsWith(PREFIX)) return undefined;
  if (!name.startsWith("invoke_agent") && !MARKERS.some((key) => has(attributes, key))) return undefined;
  return OPS.get(op) ?? "NONE";
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const sources: OutputSource[] = [];
  for (const key of ["gen_ai.response.tool_calls", "gen_ai.response.text"]) {
    const source = wholeOutput(own(attributes, key), keep);
    if (source !== undefined) sources.push(source);
  }
  return sources;
}
