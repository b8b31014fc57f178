import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import type { SpanFacts, SpanView } from "../../src/model/span.ts";
import { type AssembleOptions, assembleTrace } from "../../src/trajectory/assemble.ts";

/** A span in few words; times are milliseconds. */
export interface Sketch {
  readonly id: string;
  readonly parent?: string;
  readonly name?: string;
  readonly start?: number;
  readonly end?: number;
  readonly scope?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly events?: SpanView["events"];
  readonly status?: SpanView["status"];
  readonly span_kind?: SpanView["span_kind"];
  readonly remote?: boolean;
  readonly trace?: string;
}

/** The view of a sketch. A span lasts 10 ms unless it says otherwise. */
export function viewOf(sketch: Sketch): SpanView {
  const start = Math.round((sketch.start ?? 0) * 1e6);
  const end = Math.round((sketch.end ?? (sketch.start ?? 0) + 10) * 1e6);
  return {
    trace_id: sketch.trace ?? "t",
    span_id: sketch.id,
    parent_id: sketch.parent ?? "",
    remote_parent: sketch.remote ?? false,
    trace_flags: 1,
    name: sketch.name ?? sketch.id,
    span_kind: sketch.span_kind ?? "INTERNAL",
    start_s: 1_000 + Math.floor(start / 1e9),
    start_n: start % 1e9,
    end_s: 1_000 + Math.floor(end / 1e9),
    end_n: end % 1e9,
    status: sketch.status ?? "UNSET",
    attributes: sketch.attributes ?? {},
    events: sketch.events ?? [],
    scope_name: sketch.scope ?? "test",
    scope_version: "",
    resource: {},
  };
}

/** A TOOL span. */
export function tool(
  id: string,
  more: Partial<Sketch> & { readonly named?: string; readonly call?: string } = {},
): Sketch {
  const { named = id, call, attributes, ...rest } = more;
  return {
    id,
    name: `execute_tool ${named}`,
    ...rest,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": named,
      ...(call === undefined ? {} : { "gen_ai.tool.call.id": call }),
      ...attributes,
    },
  };
}

/** An AGENT span; `named: ""` names no agent, as the emitter's constant span name does. */
export function agent(id: string, more: Partial<Sketch> & { readonly named?: string } = {}): Sketch {
  const { named = id, attributes, ...rest } = more;
  return {
    id,
    name: named === "" ? "invoke_agent" : `invoke_agent ${named}`,
    ...rest,
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      ...(named === "" ? {} : { "gen_ai.agent.name": named }),
      ...attributes,
    },
  };
}

/** One call in the output of an LLM span. */
export interface CallSketch {
  readonly name: string;
  readonly id?: string;
  readonly args?: unknown;
}

/** An LLM span with the calls of its completion, and why it stopped. */
export function llm(
  id: string,
  more: Partial<Sketch> & {
    readonly calls?: readonly CallSketch[];
    readonly stop?: string;
    readonly says?: string;
  } = {},
): Sketch {
  const { calls, stop, says, attributes, ...rest } = more;
  const parts = [
    ...(says === undefined ? [] : [{ type: "text", content: says }]),
    ...(calls ?? []).map((call) => ({ type: "tool_call", id: call.id, name: call.name, arguments: call.args })),
  ];
  const recorded = calls !== undefined || says !== undefined;
  return {
    id,
    name: "chat m",
    ...rest,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "m",
      ...(stop === undefined ? {} : { "gen_ai.response.finish_reasons": [stop] }),
      ...(recorded ? { "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts }]) } : {}),
      ...attributes,
    },
  };
}

/** The facts of sketches, in the order in which the spans ended as observed. */
export function factsOf(sketches: readonly Sketch[]): readonly SpanFacts[] {
  const reader = createSpanReader();
  return sketches.map((sketch, seq) => reader.read(viewOf(sketch), seq));
}

/** One trace of sketches, assembled. */
export function assembled(sketches: readonly Sketch[], options: AssembleOptions = {}): AssembledTrace {
  return assembleTrace(factsOf(sketches), options);
}

/** Steps in short: tools by name, agents in brackets, failed ones with an exclamation mark. */
export function shortSteps(trace: AssembledTrace): readonly string[] {
  return trace.steps.map(({ step }) => {
    const name = step.kind === "AGENT" ? `[${step.name}]` : step.name;
    return step.failed === true ? `${name}!` : name;
  });
}

/** Names of the tool list. */
export function shortTools(trace: AssembledTrace): readonly string[] {
  return trace.tools.map(({ step }) => (step.failed === true ? `${step.name}!` : step.name));
}
