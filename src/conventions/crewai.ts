import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import { type Convention, PRECEDENCE } from "./convention.ts";

// CrewAI as OpenLLMetry instruments it. Kinds are those of `traceloop.span.kind`. Through OpenInference an agent is
// told by `graph.node.id`, which is read there.
// Source: traceloop/openllmetry packages/opentelemetry-instrumentation-crewai (instrumentation.py at 00d044f).
//
// | key                    | meaning                                                             |
// | ---------------------- | ------------------------------------------------------------------- |
// | name `crewai.workflow` | the crew's run: no step                                             |
// | crewai.agent.role      | AGENT: identity; the span's name is `<role>.agent`                  |
//
// Tools have no spans. The spans of model calls (`<model>.llm`) say neither kind nor output.

const ROLE = "crewai.agent.role";
const WORKFLOW = "crewai.workflow";

/** CrewAI. */
export const crewAi: Convention = {
  name: "crewai",
  markers: [ROLE],
  content: [],
  spanNames: [WORKFLOW],
  rules: [{ precedence: PRECEDENCE.framework, decide: (span) => (span.name === WORKFLOW ? "NONE" : undefined) }],
  agent: (span: SpanView) =>
    own(span.attributes, "traceloop.span.kind") === "agent" ? text(span.attributes, ROLE) : undefined,
};
