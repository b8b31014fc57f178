import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Haystack's own tracing. From version 3 on every tool call has a span; before, one component span holds all tools of a
// turn and names none.
// Source: deepset-ai/haystack, haystack/components/agents/agent.py and its tests, MIGRATION notes of version 3.
//
// | key                                | meaning                                                              |
// | ---------------------------------- | -------------------------------------------------------------------- |
// | name `haystack.agent.step.tool`    | TOOL                                                                 |
// | name `haystack.agent.step.llm`     | LLM                                                                  |
// | other names `haystack.*`           | no step                                                              |
// | haystack.tool.name                 | TOOL: name                                                           |
// | haystack.agent.step.tool.input     | TOOL: arguments, when content is traced                              |
// | haystack.agent.step.llm.output     | LLM: the answer, when content is traced                              |
//
// `haystack.agent.run` names no agent. It is no AGENT here: in version 2 it would stand alone, and a run whose tools
// cannot be seen would look like one that called none.

const PREFIX = "haystack.";

const NAMES: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["haystack.agent.step.tool", "TOOL"],
  ["haystack.agent.step.llm", "LLM"],
]);

/** Haystack. */
export const haystack: Convention = {
  name: "haystack",
  markers: ["haystack.tool.name"],
  content: ["haystack.agent.step.tool.input", "haystack.agent.step.llm.output"],
  spanNames: [PREFIX],
  rules: [
    {
      precedence: PRECEDENCE.framework,
      decide: (span) => (span.name.startsWith(PREFIX) ? (NAMES.get(span.name) ?? "NONE") : undefined),
    },
  ],
  tool: ({ attributes }, keep) => ({
    name: text(attributes, "haystack.tool.name"),
    args: keep(own(attributes, "haystack.agent.step.tool.input")),
  }),
  outputs: outputsOf,
};

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "haystack.agent.step.llm.output"), keep);
  return source === undefined ? [] : [source];
}
