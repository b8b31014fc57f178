import type { Kind, SpanView } from "../model/span.ts";
import { has, own } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// Strands Agents, TypeScript and Python, in its three modes: span events (default), GenAI attributes and the details
// event (`gen_ai_latest_experimental`), attributes alone. Kinds, names, arguments and calls follow OpenTelemetry GenAI
// and are read there, the events too. Scope and `gen_ai.system` are the service's name.
// Source: @strands-agents/sdk 1.19.0 (telemetry/tracer.js), strands-agents/sdk-python telemetry/tracer.py; captured.
//
// | key                                                      | meaning                                        |
// | -------------------------------------------------------- | ---------------------------------------------- |
// | agent_loop.cycle_id                                      | a round of the loop, which repeats the history |
// | gen_ai.tool.status                                       | TOOL: `error` is a failure; the status may be OK |
// | gen_ai.operation.name invoke_graph, _swarm, execute_node | no step: `gen_ai.agent.name` is a type there   |

const CYCLE = "agent_loop.cycle_id";
const STATUS = "gen_ai.tool.status";

/** Strands Agents. */
export const strands: Convention = {
  name: "strands",
  markers: [CYCLE, STATUS],
  content: [],
  rules: [
    {
      precedence: PRECEDENCE.framework,
      decide: (span): Verdict | undefined =>
        has(span.attributes, CYCLE) && !has(span.attributes, "gen_ai.operation.name") ? "NONE" : undefined,
    },
  ],
  failed: failedOf,
};

function failedOf({ attributes }: SpanView, kind: Kind): boolean | undefined {
  return kind === "TOOL" && own(attributes, STATUS) === "error" ? true : undefined;
}
