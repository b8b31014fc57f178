import type { SpanView } from "../model/span.ts";
import { has, own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// LangSmith in its OpenTelemetry mode. `gen_ai.operation.name` beside it is derived from the run type, and wrongly so
// for prompts and retrievers.
// Source: langsmith 0.12.0 (lib/experimental/otel); captured spans.
//
// | key                  | meaning                                                          |
// | -------------------- | ---------------------------------------------------------------- |
// | langsmith.span.kind  | run type: `llm`, `tool`; every other one is no step              |
// | langsmith.trace.name | TOOL: the run's name, where `gen_ai.tool.name` is not recorded   |
// | gen_ai.prompt        | TOOL: arguments; `{}` where inputs are hidden                    |
// | gen_ai.completion    | LLM: the provider's response (read by the GenAI convention)      |
//
// A failed run ends with status OK and an `exception` event. `langsmith.trace.session_id` is a project, no session.

const KIND = "langsmith.span.kind";

/** LangSmith. */
export const langsmith: Convention = {
  name: "langsmith",
  markers: [KIND],
  content: ["gen_ai.prompt"],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
  tool: ({ attributes }, keep) => {
    if (!has(attributes, KIND)) return undefined;
    const name = text(attributes, "gen_ai.tool.name") ?? text(attributes, "langsmith.trace.name");
    const hidden = HIDDEN.includes(own(attributes, "langsmith.metadata.LANGSMITH_HIDE_INPUTS"));
    return { name, args: hidden ? undefined : keep(own(attributes, "gen_ai.prompt")) };
  },
};

const HIDDEN: readonly unknown[] = [true, "true"];

function kindOf({ attributes }: SpanView): Verdict | undefined {
  const kind = text(attributes, KIND);
  if (kind === undefined) return undefined;
  return kind === "llm" ? "LLM" : kind === "tool" ? "TOOL" : "NONE";
}
