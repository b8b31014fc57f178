import type { SpanView } from "../model/span.ts";
import { type Convention, type FailureReport, PRECEDENCE } from "./convention.ts";

// BeeAI as OpenInference instruments it: one span for every event of an act, made after the run.
// Source: @arizeai/openinference-instrumentation-beeai 1.5.30; captured spans.
//
// | key                                     | meaning                                                         |
// | --------------------------------------- | --------------------------------------------------------------- |
// | name `tool.<kind>.<name>.<event>-N`     | the start is the TOOL, an error marks the latest one of its name |
// | name `tool.<kind>.finalAnswer.*`        | the framework's own end of the run: no step                     |
// | name `backend.*.start-N`, `.finish-N`   | events of a model call: no step                                 |
// | names `agent.*`, `beeai-framework-main` | agents without a name                                           |
// | tool.parameters                         | TOOL: arguments (read by OpenInference)                         |

const SCOPE = "@arizeai/openinference-instrumentation-beeai";

/** BeeAI through OpenInference. */
export const beeAi: Convention = {
  name: "beeai",
  markers: [],
  content: [],
  scopes: [SCOPE],
  rules: [{ precedence: PRECEDENCE.exclusion, decide: (span) => (isBookkeeping(span) ? "NONE" : undefined) }],
  tool: (span) => ({ name: eventOf(span)?.name }),
  nameless: (span) =>
    span.scope_name === SCOPE && (span.name === "beeai-framework-main" || span.name.startsWith("agent.")),
  failureReport: reportOf,
};

/** Spans that are events of an act that has a span already. */
function isBookkeeping(span: SpanView): boolean {
  if (span.scope_name !== SCOPE) return false;
  if (span.name.startsWith("backend.")) return span.name.includes(".start-") || span.name.includes(".finish-");
  const event = eventOf(span);
  return event !== undefined && (event.event !== "start" || event.name === "finalAnswer");
}

function reportOf(span: SpanView): FailureReport | undefined {
  const event = eventOf(span);
  return event?.event === "error" ? { of: "earlier", name: event.name } : undefined;
}

/** N counts per event, so it does not join the events of one call. */
function eventOf(span: SpanView): { readonly name: string; readonly event: string } | undefined {
  if (span.scope_name !== SCOPE || !span.name.startsWith("tool.")) return undefined;
  const nameStart = span.name.indexOf(".", 5) + 1;
  const eventDot = span.name.lastIndexOf(".");
  const dash = span.name.lastIndexOf("-");
  if (nameStart === 0 || eventDot <= nameStart || dash < eventDot) return undefined;
  return { name: span.name.slice(nameStart, eventDot), event: span.name.slice(eventDot + 1, dash) };
}
