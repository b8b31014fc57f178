import type { SpanView } from "../model/span.ts";
import { has } from "./attributes.ts";
import { type Convention, PRECEDENCE, type Verdict } from "./convention.ts";

// AutoGen. `invoke_agent` and `execute_tool` follow OpenTelemetry GenAI (system `autogen`) and are read there; its
// runtime also traces the messages that agents send each other.
// Source: microsoft/autogen python/packages/autogen-core/src/autogen_core/_telemetry (_genai.py, _tracing_config.py).
//
// | key                                                       | meaning                                |
// | --------------------------------------------------------- | -------------------------------------- |
// | names `autogen <send, publish, process, …> <destination>` | messages of the runtime: no step       |
//
// Arguments are not recorded.

const PREFIX = "autogen ";

/** AutoGen. */
export const autoGen: Convention = {
  name: "autogen",
  markers: [],
  content: [],
  spanNames: [PREFIX],
  rules: [{ precedence: PRECEDENCE.framework, decide: kindOf }],
};

function kindOf({ name, attributes }: SpanView): Verdict | undefined {
  return name.startsWith(PREFIX) && !has(attributes, "gen_ai.operation.name") ? "NONE" : undefined;
}
