import type { SpanView } from "../model/span.ts";
import { firstText, has, own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// VoltAgent. Its scope can be renamed, so its spans are told by `entity.type`, which every one of them has; Claude Code
// uses `span.type` with other words.
// Source: @voltagent/core 2.10.0 (dist/index.js); captured spans.
//
// | key                        | meaning                                                                 |
// | -------------------------- | ----------------------------------------------------------------------- |
// | span.type                  | kind: `tool`, `llm`; every other one is no step                         |
// | entity.type                | `agent` without a span.type is an agent's run; children inherit it      |
// | subagent.name, entity.name | AGENT: identity; beneath a sub-agent `entity.name` is its parent's name |
// | tool.name, tool.call.id    | TOOL: name, call id                                                     |
// | input                      | TOOL: arguments (`tool.parameters` is the schema)                       |
// | llm.finish_reason          | LLM: why it stopped; one span covers all model calls of a run           |
//
// The calls of a completion are not recorded.

const ENTITY = "entity.type";

/** VoltAgent. */
export const voltAgent: Convention = {
  name: "voltagent",
  markers: [ENTITY],
  content: ["input"],
  scopes: ["@voltagent/core"],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
  tool: ({ attributes }, keep) => {
    if (!has(attributes, ENTITY)) return undefined;
    const callId = text(attributes, "tool.call.id");
    return { name: text(attributes, "tool.name"), callId, args: keep(own(attributes, "input")) };
  },
  agent: ({ attributes }) =>
    has(attributes, ENTITY) ? firstText(attributes, ["subagent.name", "entity.name"]) : undefined,
  finishReason: ({ attributes }) => (has(attributes, ENTITY) ? own(attributes, "llm.finish_reason") : undefined),
  outputTokens: ({ attributes }) =>
    has(attributes, ENTITY) ? own(attributes, "llm.usage.completion_tokens") : undefined,
};

function kindOf({ attributes }: SpanView): Verdict | undefined {
  const entity = text(attributes, ENTITY);
  if (entity === undefined) return undefined;
  const type = own(attributes, "span.type");
  if (type === "tool") return "TOOL";
  if (type === "llm") return "LLM";
  if (type !== undefined && type !== null) return "NONE";
  return entity === "agent" ? "AGENT" : undefined;
}
