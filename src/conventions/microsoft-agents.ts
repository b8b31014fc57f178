import type { SpanView } from "../model/span.ts";
import { has } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// Microsoft Agent Framework and Semantic Kernel. Agents, model calls and tools follow OpenTelemetry GenAI and are read
// there; the machinery of workflows is no step.
// Source: microsoft/agent-framework python/packages/core/agent_framework/observability.py, microsoft/semantic-kernel
// model_diagnostics/gen_ai_attributes.py.
//
// | key                                                             | meaning                              |
// | --------------------------------------------------------------- | ------------------------------------ |
// | executor.id, edge_group.id, message.source_id, workflow.id      | machinery of a workflow, with a name |
// | names `workflow.run`, `executor.process X`, `message.send`, …   | of these: no step                    |
//
// Semantic Kernel records no arguments; its messages are log records.

const NAMES: readonly string[] = ["workflow.build", "workflow.run", "executor.process", "edge_group.process"];

/** Microsoft Agent Framework, Semantic Kernel. */
export const microsoftAgents: Convention = {
  name: "microsoft-agents",
  markers: ["executor.id", "workflow.id", "edge_group.type"],
  content: [],
  spanNames: [...NAMES, "message.send"],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
};

function kindOf({ name, attributes }: SpanView): Verdict | undefined {
  // A span that says what it does is not machinery, whatever it is called.
  if (has(attributes, "gen_ai.operation.name")) return undefined;
  const space = name.indexOf(" ");
  const word = space === -1 ? name : name.slice(0, space);
  return NAMES.includes(word) || word === "message.send" ? "NONE" : undefined;
}
