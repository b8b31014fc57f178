import type { PlacedStep } from "../model/assembled.ts";
import type { Content, KindFacts, SpanFacts } from "../model/span.ts";
import type { Step, TrajectoryOptions } from "../model/trajectory.ts";
import { dropHandOffs, foldedTools } from "./delegations.ts";
import type { Act } from "./echoes.ts";
import type { Notes } from "./notes.ts";
import { identity, type Roots } from "./roots.ts";
import { compareNodes, type SpanNode } from "./tree.ts";

/** The spans that are steps, and the spans that are tool calls, in execution order. */
export interface StepSpans {
  readonly steps: readonly SpanNode[];
  readonly tools: readonly SpanNode[];
}

/** Chooses among the spans of a trace, in order of the walk, those that count. */
export function chooseSteps(
  order: readonly SpanNode[],
  acts: ReadonlyMap<SpanNode, Act>,
  roots: Roots,
  options: TrajectoryOptions,
  notes?: Notes,
): StepSpans {
  const excluded = excludedRoots(order, roots, options, notes);
  const tools = order.filter((node) => acts.get(node)?.counted === node);
  const agents = order.filter((node) => isAgentStep(node, notes) && !excluded.has(node));
  const folded = foldedTools(agents, acts, options.delegations, notes);
  const steps = [...agents, ...tools.filter((node) => !folded.has(node) && !excluded.has(node))];
  return { steps: steps.sort(compareNodes), tools: tools.sort(compareNodes) };
}

/** The roots, which are no steps of their own trajectory. */
function excludedRoots(
  order: readonly SpanNode[],
  roots: Roots,
  options: TrajectoryOptions,
  notes: Notes | undefined,
): ReadonlySet<SpanNode> {
  if (options.root === "trace") {
    const parentless = order.filter((node) => node.span.parent_id === "");
    for (const { span } of parentless) if (isActKind(span)) notes?.add(span.span_id, "trace_root");
    return new Set(parentless);
  }
  for (const [top, named] of roots.standIns) notes?.add(top.span.span_id, "stands_for", named.span.span_id);
  // A top agent without a name and the agent that it stands for are one act: without an entry agent the named one
  // is its step.
  const excluded = new Set<SpanNode>(roots.standIns.keys());
  for (const run of roots.entry?.runs ?? []) {
    excluded.add(run);
    const standIn = roots.standIns.get(run);
    if (standIn === undefined) {
      notes?.add(run.span.span_id, "entry_agent");
      continue;
    }
    excluded.add(standIn);
    notes?.add(standIn.span.span_id, "stood_for", run.span.span_id);
  }
  return excluded;
}

/** An AGENT in an AGENT of the same identity is the same act; a nameless one beneath an act is named by that. */
function isAgentStep(node: SpanNode, notes: Notes | undefined): boolean {
  if (node.span.kind !== "AGENT") return false;
  if (node.transparent) {
    notes?.add(node.span.span_id, "nameless_agent", node.actAbove?.span.span_id);
    return false;
  }
  const above = node.kindAbove;
  if (above?.span.kind !== "AGENT" || identity(above) !== identity(node)) return true;
  notes?.add(node.span.span_id, "same_agent", above.span.span_id);
  return false;
}

function isActKind(span: SpanFacts): boolean {
  return span.kind === "TOOL" || span.kind === "AGENT";
}

/** Builds the step of a span; `reported` are spans whose failure another one reports. */
export function stepOf(node: SpanNode, act: Act | undefined, reported: ReadonlySet<SpanNode>): PlacedStep {
  const { span } = node;
  const facts = span.facts;
  const spans = [node, ...(act?.echoes ?? [])];
  const failed = spans.some((one) => one.span.facts?.failed === true || reported.has(one));
  const name = facts?.name ?? span.name;
  const rawName = facts?.raw_name ?? name;
  const step: Step = {
    kind: span.kind === "AGENT" ? "AGENT" : "TOOL",
    name,
    ...(rawName === name ? {} : { raw_name: rawName }),
    ...(span.kind === "TOOL" ? argumentsOf(spans) : {}),
    ...(failed ? { failed } : {}),
    source: "span",
    span_id: span.span_id,
    trace_id: span.trace_id,
  };
  return { step, start_s: span.start_s, start_n: span.start_n, place: node.place };
}

/** Hand-offs are dropped from finished step lists. */
export function withoutHandOffs(
  steps: readonly PlacedStep[],
  options: TrajectoryOptions,
  notes?: Notes,
): readonly PlacedStep[] {
  return options.delegations === "fold" ? dropHandOffs(steps, notes) : steps;
}

type StepArguments = Pick<Step, "args" | "args_status">;

/** The first readable arguments among a span and its echoes; else what the first of them that recorded any has. */
function argumentsOf(spans: readonly SpanNode[]): StepArguments {
  let found: StepArguments = { args_status: "absent" };
  for (const { span } of spans) {
    const read = readContent(span.facts?.args, span.facts?.readArgs);
    if (read.args_status === "ok") return read;
    if (found.args_status === "absent") found = read;
  }
  return found;
}

/** A reader of a custom convention may throw; then the arguments could not be read. */
function readContent(content: Content | undefined, reader: KindFacts["readArgs"]): StepArguments {
  if (content === undefined) return { args_status: "absent" };
  if (content.cut) return { args_status: "truncated" };
  try {
    const { value, status } = reader?.(content.value) ?? { value: content.value, status: "ok" as const };
    return status === "absent" ? { args_status: status } : { args: value, args_status: status };
  } catch {
    return { args_status: "unparsed" };
  }
}
