import type { SpanView } from "../model/span.ts";
import { eventAttributes, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE } from "./convention.ts";
import { wholeOutput } from "./output-sources.ts";

// Ax. Its model calls follow OpenTelemetry GenAI; its tools are told by their span name.
// Source: @ax-llm/ax 24.0.21; captured spans.
//
// | key                             | meaning                                                       |
// | ------------------------------- | ------------------------------------------------------------- |
// | scope `ax-llm`, name `Tool: X`  | TOOL                                                          |
// | tool.name, function.id          | TOOL: name, call id                                           |
// | event gen_ai.choice: tool_names | LLM: names of the calls, separated by commas, no arguments    |
//
// Arguments are never recorded, agents have no name (`AxGen` is no step). An unset session id is an empty text.

const SCOPE = "ax-llm";
const TOOL_PREFIX = "Tool: ";

/** Ax. */
export const ax: Convention = {
  name: "ax",
  markers: [],
  content: ["tool_names"],
  events: ["gen_ai.choice"],
  scopes: [SCOPE],
  rules: [
    { precedence: PRECEDENCE.framework, decide: (span) => (isTool(span) ? "TOOL" : undefined) },
    {
      precedence: PRECEDENCE.framework,
      decide: (span) => (span.scope_name === SCOPE && span.name === "AxGen" ? "NONE" : undefined),
    },
  ],
  tool: (span) =>
    isTool(span)
      ? { name: text(span.attributes, "tool.name"), callId: text(span.attributes, "function.id") }
      : undefined,
  outputs: outputsOf,
};

function isTool(span: SpanView): boolean {
  return span.scope_name === SCOPE && span.name.startsWith(TOOL_PREFIX);
}

function outputsOf(span: SpanView, keep: KeepContent): readonly OutputSource[] {
  if (span.scope_name !== SCOPE) return [];
  const sources: OutputSource[] = [];
  for (const event of span.events) {
    if (event?.name !== "gen_ai.choice") continue;
    const names = text(eventAttributes(event), "tool_names");
    // In braces, so that what follows is read as a list of names and not as an answer.
    const source = names === undefined ? undefined : wholeOutput({ names }, keep, readNames);
    if (source !== undefined) sources.push(source);
    else if (own(eventAttributes(event), "has_content") === true) sources.push(ANSWERED);
  }
  return sources;
}

/** There was a text, which is not recorded. */
const ANSWERED: OutputSource = Object.freeze({
  bytes: 0,
  read: () => ({ calls: [], has_output: true, empty: false }),
});

function readNames(decoded: unknown, into: { add(name: string, callId: undefined, args: undefined): void }): void {
  const { names } = decoded as { readonly names: string };
  for (const name of names.split(",")) if (name.trim() !== "") into.add(name.trim(), undefined, undefined);
}
