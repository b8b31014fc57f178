import type { SpanView } from "../model/span.ts";
import { has, own } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE, type Verdict } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Laminar. Its model calls are spans of Traceloop instrumentations; `observe()` without a type makes spans of no kind.
// Source: @lmnr-ai/lmnr 0.8.44; captured spans.
//
// | key                                    | meaning                                            |
// | -------------------------------------- | -------------------------------------------------- |
// | lmnr.span.type                         | `TOOL`, `LLM`; the others say nothing              |
// | span name                              | the tool's name                                    |
// | lmnr.span.input                        | TOOL: arguments                                    |
// | lmnr.span.output                       | LLM: the answer                                    |
// | lmnr.association.properties.session_id | session (session-keys.ts)                          |
//
// A failure is an `exception` event; the status stays unset.

const TYPE = "lmnr.span.type";

const TYPES: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["TOOL", "TOOL"],
  ["LLM", "LLM"],
]);

/** Laminar. */
export const laminar: Convention = {
  name: "laminar",
  markers: [TYPE],
  content: ["lmnr.span.input", "lmnr.span.output"],
  rules: [{ precedence: PRECEDENCE.framework, decide: (span) => TYPES.get(own(span.attributes, TYPE)) }],
  tool: ({ attributes }, keep) =>
    has(attributes, TYPE) ? { args: keep(own(attributes, "lmnr.span.input")) } : undefined,
  outputs: outputsOf,
};

function outputsOf({ attributes }: SpanView, keep: KeepContent): readonly OutputSource[] {
  const source = wholeOutput(own(attributes, "lmnr.span.output"), keep);
  return source === undefined ? [] : [source];
}
