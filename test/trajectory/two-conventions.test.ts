import { describe, expect, test } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import type { SpanFacts, SpanView } from "../../src/model/span.ts";
import { captures, captureText } from "../support/captures.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";

/** How a second instrumentation of the same agent marks what the first one showed. */
type Dialect = (span: SpanFacts) => Readonly<Record<string, unknown>>;

const openInference: Dialect = ({ kind, facts }) => ({
  "openinference.span.kind": kind,
  ...(kind === "TOOL" ? { "tool.name": facts?.raw_name, "tool_call.id": facts?.call_id } : {}),
  ...(kind === "AGENT" ? { "agent.name": facts?.name } : {}),
});
const genAi: Dialect = ({ kind, facts }) => ({
  "gen_ai.operation.name": kind === "TOOL" ? "execute_tool" : kind === "AGENT" ? "invoke_agent" : "chat",
  ...(kind === "TOOL" ? { "gen_ai.tool.name": facts?.raw_name, "gen_ai.tool.call.id": facts?.call_id } : {}),
  ...(kind === "AGENT" ? { "gen_ai.agent.name": facts?.name } : {}),
});

/** The same spans, each with a kind twice: the second instrumentation's span lies within the first one's. */
function instrumentedTwice(views: readonly SpanView[], dialect: Dialect): readonly SpanView[] {
  const reader = createSpanReader();
  const more = views.flatMap((view, seq): SpanView[] => {
    const facts = reader.read(view, seq);
    // An agent that names none is one record more of what is around it; who doubles it would have to name it.
    if (facts.kind === undefined || facts.facts?.nameless === true) return [];
    const span_id = `${view.span_id}-2`;
    return [
      {
        ...view,
        span_id,
        parent_id: view.span_id,
        remote_parent: false,
        name: "second",
        scope_name: "second",
        // A converter marks spans as failed that were not (OpenInference on the AI SDK); the second one would not.
        status: facts.facts?.failed === true ? "ERROR" : "UNSET",
        attributes: dialect(facts),
        events: [],
      },
    ];
  });
  return [...more, ...views];
}

/** Traces by id: a session of theirs is no matter here. */
function read(views: readonly SpanView[]): readonly unknown[] {
  const short = ({ trace_id, steps, tools, unread }: AssembledTrace) => ({
    trace_id,
    steps: steps.map(({ step }) => [step.kind, step.name, step.failed, step.args, step.span_id]),
    tools: tools.map(({ step }) => [step.name, step.args, step.span_id]),
    unread,
  });
  return tracesOfViews(views)
    .map(short)
    .sort((a, b) => (a.trace_id < b.trace_id ? -1 : 1));
}

/** A call is told by its id; without ids nothing says whether two spans of one name are one call. */
function hasCallIds(views: readonly SpanView[]): boolean {
  const reader = createSpanReader();
  return views.every((view, seq) => {
    const { kind, facts } = reader.read(view, seq);
    return kind !== "TOOL" || facts?.call_id !== "";
  });
}

const CAPTURES = captures()
  .map((capture) => ({ file: capture.file, views: viewsOfOtlp(captureText(capture)) }))
  .filter(({ views }) => hasCallIds(views));

test("there is something to double", () => {
  expect(CAPTURES.length).toBeGreaterThan(120);
});

describe.each([
  ["OpenInference", openInference],
  ["OpenTelemetry GenAI", genAi],
] as const)("an agent that %s instruments too gives each step once", (_, dialect) => {
  test.each(CAPTURES.map(({ file, views }) => [file, views] as const))("%s", (_file, views) => {
    expect(read(instrumentedTwice(views, dialect))).toEqual(read(views));
  });
});
