import { own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// Datadog LLM Observability, where its tags reach OpenTelemetry as attributes. Its APM spans use
// `gen_ai.operation.name` with words of their own (`llm`, `tool`, `agent`, `task`), which the GenAI convention reads.
// Source: dd-trace 6.21.0.
//
// | key                    | meaning                                          |
// | ---------------------- | ------------------------------------------------ |
// | _ml_obs.meta.span.kind | kind, by the table below                         |
// | _ml_obs.name           | the tool's or agent's name                       |
// | _ml_obs.session_id     | session (session-keys.ts)                        |

const KIND = "_ml_obs.meta.span.kind";

const KINDS: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["llm", "LLM"],
  ["tool", "TOOL"],
  ["agent", "AGENT"],
  ["workflow", "NONE"],
  ["task", "NONE"],
  ["embedding", "NONE"],
  ["retrieval", "NONE"],
  ["experiment", "NONE"],
]);

/** Datadog LLM Observability. */
export const datadog: Convention = {
  name: "datadog",
  markers: [KIND],
  content: [],
  rules: [{ precedence: PRECEDENCE.rare, decide: (span) => KINDS.get(own(span.attributes, KIND)) }],
  tool: ({ attributes }) => ({ name: text(attributes, "_ml_obs.name") }),
  agent: ({ attributes }) => text(attributes, "_ml_obs.name"),
};
