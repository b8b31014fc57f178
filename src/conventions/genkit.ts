import type { Kind, SpanView } from "../model/span.ts";
import { has, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Genkit. `generate` spans nest and repeat the whole history: only the model actions are model calls.
// Source: @genkit-ai/core and ai 1.42.0; captured spans.
//
// | key                                  | meaning                                                |
// | ------------------------------------ | ------------------------------------------------------ |
// | genkit:type, genkit:metadata:subtype | kind: actions by the table below; the rest is no step  |
// | genkit:name                          | name of the tool or agent                              |
// | genkit:input                         | TOOL: arguments as JSON text                           |
// | genkit:output                        | LLM: message whose parts hold `toolRequest`            |
// | genkit:state                         | `error` is a failure                                   |
//
// Sessions are not recorded.

const TYPE = "genkit:type";

const SUBTYPES: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["tool", "TOOL"],
  ["tool.v2", "TOOL"],
  ["model", "LLM"],
  ["background-model", "LLM"],
  ["agent", "AGENT"],
]);

/** Genkit. */
export const genkit: Convention = {
  name: "genkit",
  markers: [TYPE],
  content: ["genkit:input", "genkit:output"],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
  tool: ({ attributes }, keep) => ({
    name: text(attributes, "genkit:name"),
    args: keep(own(attributes, "genkit:input")),
  }),
  agent: ({ attributes }) => text(attributes, "genkit:name"),
  outputs: outputsOf,
  failed: failedOf,
};

function kindOf({ attributes }: SpanView): Verdict | undefined {
  if (!has(attributes, TYPE)) return undefined;
  if (own(attributes, TYPE) !== "action") return "NONE";
  return SUBTYPES.get(own(attributes, "genkit:metadata:subtype")) ?? "NONE";
}

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "genkit:output"), keep);
  return source === undefined ? [] : [source];
}

function failedOf({ attributes }: SpanView, _kind: Kind): boolean | undefined {
  return own(attributes, "genkit:state") === "error" ? true : undefined;
}
