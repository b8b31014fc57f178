import type { PlacedStep } from "../model/assembled.ts";
import { bareToolName, normalizeName } from "../model/names.ts";
import type { EmbeddedCall, ReadOutput } from "../model/span.ts";
import type { Egress, Member, Step } from "../model/trajectory.ts";
import { carriedOutputs } from "./carriers.ts";
import { egressOf } from "./egress.ts";
import { type Completion, countOnce } from "./model-calls.ts";
import type { Notes } from "./notes.ts";
import { compareNodes, type SpanNode } from "./tree.ts";

/** The tool calls that a trace's completions hold. */
export interface EmbeddedSteps {
  readonly steps: readonly PlacedStep[];
  /** The model called tools, and not every call could be read. */
  readonly unread: boolean;
}

/** What the LLM spans of a trace answered, each parsed once and only when asked for. */
export class Outputs {
  readonly #read = new Map<SpanNode, ReadOutput | undefined>();

  of(node: SpanNode): ReadOutput | undefined {
    if (!this.#read.has(node)) this.#read.set(node, guarded(node.span.facts?.readOutput));
    return this.#read.get(node);
  }

  /** What a span of no kind holds of the output of a model call. */
  carriedBy(node: SpanNode): ReadOutput | undefined {
    if (!this.#read.has(node)) this.#read.set(node, guarded(node.span.carried));
    return this.#read.get(node);
  }

  /** The name of the first call of an LLM span, for breaking ties of the walk. */
  firstCallName(node: SpanNode): string | undefined {
    const call = this.of(node)?.calls[0];
    return call === undefined ? undefined : bareToolName(call.name);
  }
}

/** The model calls of a trace, each once, in execution order. */
export function readCompletions(order: readonly SpanNode[], outputs: Outputs, notes?: Notes): readonly Completion[] {
  const carried = carriedOutputs(order, (node) => outputs.carriedBy(node));
  const all = order.map((node) => completionOf(node, outputs, carried.get(node))).filter((one) => one !== undefined);
  return countOnce(all, notes).sort((a, b) => compareNodes(a.node, b.node));
}

/** The calls that completions hold; a call id that comes again is the same call. */
export function embeddedIn(completions: readonly Completion[], notes?: Notes): EmbeddedSteps {
  const seen = new Set<string>();
  const steps: PlacedStep[] = [];
  for (const { node, calls } of completions) {
    for (const call of calls) {
      if (call.call_id !== undefined) {
        const key = JSON.stringify([call.call_id, normalizeName(bareToolName(call.name))]);
        if (seen.has(key)) continue;
        seen.add(key);
      }
      steps.push(placedCall(node, call));
    }
  }
  const isUnread = (one: Completion): boolean => one.gap || (steps.length === 0 && one.blank);
  for (const one of notes === undefined ? [] : completions) {
    if (one.calls.length === 0) notes?.add(one.node.span.span_id, isUnread(one) ? "calls_not_recorded" : "no_calls");
  }
  return { steps, unread: completions.some(isUnread) };
}

function completionOf(
  node: SpanNode,
  outputs: Outputs,
  carried: readonly ReadOutput[] | undefined,
): Completion | undefined {
  const { kind, facts } = node.span;
  if (kind !== "LLM" || facts === undefined) return undefined;
  const output = outputs.of(node);
  const own = output?.calls ?? [];
  const calls = own.length > 0 || carried === undefined ? own : carried.flatMap((one) => one.calls);
  return {
    node,
    calls,
    gap: calls.length === 0 && (facts.finished_for_tools || output?.finished_for_tools === true),
    blank: output?.empty === true && facts.output_tokens,
    filled: (output !== undefined && !output.empty) || carried?.some((one) => !one.empty) === true,
    has_output: output?.has_output === true || carried?.some((one) => one.has_output) === true,
  };
}

/** Completions as the members of an aggregate unit. */
export function membersOf(completions: readonly Completion[], fallback: Egress): readonly Member[] {
  return completions.map(({ node: { span }, has_output }) => ({
    unit_id: `call:${span.trace_id}/${span.span_id}`,
    has_output,
    egress: egressOf(span.egress, fallback),
  }));
}

/** A reader of a custom convention may throw; then nothing could be read. */
function guarded(read: (() => ReadOutput) | undefined): ReadOutput | undefined {
  try {
    return read?.();
  } catch {
    return undefined;
  }
}

function placedCall(node: SpanNode, call: EmbeddedCall): PlacedStep {
  const name = bareToolName(call.name);
  const step: Step = {
    kind: "TOOL",
    name,
    ...(name === call.name ? {} : { raw_name: call.name }),
    ...(call.args === undefined ? {} : { args: call.args }),
    args_status: call.args_status,
    source: "completion",
    span_id: node.span.span_id,
    trace_id: node.span.trace_id,
  };
  return { step, start_s: node.span.start_s, start_n: node.span.start_n, place: node.place };
}
