import type { AssembledTrace, PlacedStep } from "../model/assembled.ts";
import type { Explanation, SpanExplanation, SpanReason } from "../model/explanation.ts";
import type { SpanFacts } from "../model/span.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { type AssembleOptions, assembleTrace } from "./assemble.ts";
import { Notes } from "./notes.ts";
import type { SpanNode } from "./tree.ts";

export interface ExplainOptions extends AssembleOptions {
  /** Spans of the trace that were let go when they ended, having no kind and no children. @defaultValue 0 */
  readonly letGo?: number | undefined;
}

/**
 * Explains one trace: assembles it as ever, and hands out what was decided about every span where it was decided.
 * Spans of the evaluation itself are listed and left out, as they are everywhere. Never throws; O(n log n).
 */
export function explainTrace(spans: readonly SpanFacts[], options: ExplainOptions = {}): Explanation {
  const notes = new Notes();
  const ours = spans.filter((span) => span.scope_name === SCOPE_NAME);
  const others = ours.length === 0 ? spans : spans.filter((span) => span.scope_name !== SCOPE_NAME);
  const trace = assembleTrace(others, options, notes);
  const steps = placesBySpan(trace.steps);
  const tools = placesBySpan(trace.tools);
  const failed = new Set(trace.steps.filter(({ step }) => step.failed === true).map(({ step }) => step.span_id));
  const walked = notes.order.map((node) => {
    const explained = explainNode(node, notes, steps, tools);
    // Another span may have reported the failure.
    return failed.has(node.span.span_id) ? { ...explained, failed: true as const } : explained;
  });
  const seen = new Set(notes.order.map((node) => node.span));
  const duplicates = others.filter((span) => !seen.has(span));
  return {
    trace_id: trace.trace_id === "" ? (spans[0]?.trace_id ?? "") : trace.trace_id,
    ...(trace.session_id === undefined ? {} : { session_id: trace.session_id }),
    options: {
      root: options.root ?? "entry-agent",
      delegations: options.delegations ?? "same-name",
      failedCalls: options.failedCalls ?? "count",
    },
    ...(trace.entry_agent === undefined ? {} : { entry_agent: trace.entry_agent.name }),
    ...listsOf(trace),
    spans: [
      ...walked,
      ...duplicates.map((span) => leftOut(span, "duplicate_id")),
      ...ours.map((span) => leftOut(span, "own_telemetry")),
    ],
    let_go: options.letGo ?? 0,
  };
}

function listsOf(trace: AssembledTrace): Pick<Explanation, "steps" | "tools" | "unread" | "incomplete"> {
  return {
    steps: trace.steps.map(({ step }) => step),
    tools: trace.tools.map(({ step }) => step),
    unread: trace.unread,
    incomplete: trace.reasons,
  };
}

/** Places from 1, by the span that a step came from. */
function placesBySpan(list: readonly PlacedStep[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, { step }] of list.entries()) {
    const id = step.span_id ?? "";
    const known = places.get(id);
    if (known === undefined) places.set(id, [index + 1]);
    else known.push(index + 1);
  }
  return places;
}

const NOWHERE: readonly number[] = Object.freeze([]);

function explainNode(
  node: SpanNode,
  notes: Notes,
  steps: ReadonlyMap<string, readonly number[]>,
  tools: ReadonlyMap<string, readonly number[]>,
): SpanExplanation {
  const { span } = node;
  const inSteps = steps.get(span.span_id) ?? NOWHERE;
  const inTools = tools.get(span.span_id) ?? NOWHERE;
  const listed = inSteps.length > 0 || (span.kind === "LLM" && inTools.length > 0);
  const note = listed ? undefined : notes.of(span.span_id);
  return {
    ...headOf(span, node.depth),
    reason: note?.reason ?? reasonOf(span, listed),
    ...(note?.of === undefined ? {} : { of: note.of }),
    steps: inSteps,
    tools: inTools,
  };
}

/** Where nothing was decided about a span, its kind says it all. */
function reasonOf(span: SpanFacts, listed: boolean): SpanReason {
  if (span.kind === "LLM") return listed ? "calls_are_steps" : "model_call";
  if (span.kind !== undefined) return "step";
  if (span.convention === "none") return "no_kind";
  return span.convention === "unreadable" ? "unreadable" : "no_act";
}

function leftOut(span: SpanFacts, reason: "duplicate_id" | "own_telemetry"): SpanExplanation {
  return { ...headOf(span, 0), reason, steps: NOWHERE, tools: NOWHERE };
}

function headOf(span: SpanFacts, depth: number): Omit<SpanExplanation, "reason" | "of" | "steps" | "tools"> {
  const { kind, facts } = span;
  return {
    span_id: span.span_id,
    parent_id: span.parent_id,
    depth,
    name: span.name,
    scope_name: span.scope_name,
    convention: span.convention,
    ...(kind === undefined ? {} : { kind }),
    ...(facts === undefined || kind === "LLM" ? {} : { read_as: facts.name }),
    ...(facts?.failed === true ? { failed: true as const } : {}),
  };
}
