import { finish, type Sliced } from "../align/sliced.ts";
import type { AssembledTrace, PlacedStep, SpanRef } from "../model/assembled.ts";
import type { AttributeMap, Kind, SpanAnnotation, SpanFacts } from "../model/span.ts";
import type { Egress, IncompleteReason, TrajectoryOptions } from "../model/trajectory.ts";
import { type Act, joinEchoes } from "./echoes.ts";
import { egressOf, worstEgress } from "./egress.ts";
import { type EmbeddedSteps, embeddedIn, membersOf, Outputs, readCompletions } from "./embedded.ts";
import { applyFailedCalls } from "./failed.ts";
import { reportedFailures } from "./failure-reports.ts";
import type { Notes } from "./notes.ts";
import { findRoots, isAct, type Roots } from "./roots.ts";
import { resolveSession } from "./session.ts";
import { chooseSteps, type StepSpans, stepOf, withoutHandOffs } from "./steps.ts";
import { buildForest, compareStarts, type Forest, type SpanNode } from "./tree.ts";
import { walk } from "./walk.ts";

export interface AssembleOptions extends TrajectoryOptions {
  /** Spans of the trace that have started and not ended; they are parents that are not missing. */
  readonly openSpanIds?: ReadonlySet<string> | undefined;
  /** Stands for spans that do not say whether their content may leave. @defaultValue "unknown" */
  readonly defaultEgress?: Egress | undefined;
  /** Counts the trace's LLM calls as members, which takes reading their outputs. @defaultValue false */
  readonly members?: boolean | undefined;
}

/**
 * Turns the ended spans of one trace into its trajectory. Never throws; takes any forest (rings, missing parents,
 * duplicate ids). O(n log n), without recursion. `notes` are written where somebody wants it explained.
 */
export function assembleTrace(spans: readonly SpanFacts[], options?: AssembleOptions, notes?: Notes): AssembledTrace {
  return finish(assembleInSlices(spans, options, notes));
}

/** The same, as work that pauses between its parts and after every few hundred steps. */
export function* assembleInSlices(
  spans: readonly SpanFacts[],
  options: AssembleOptions = {},
  notes?: Notes,
): Sliced<AssembledTrace> {
  const forest = yield* buildForest(spans);
  yield;
  const read = yield* readTrace(forest, options, notes);
  yield;
  const lists = yield* listsOf(read, options, notes);
  const localRoots = read.order.filter((node) => isLocalRoot(node, options));
  yield;
  const session = resolveSession(read.order);
  yield;
  const egress = egressOfTrace(read.order, options.defaultEgress ?? "unknown");
  yield;
  const entry = entryRef(read.roots);
  const first = localRoots[0];
  const start = earliest(localRoots.length > 0 ? localRoots : read.order);
  yield;
  const reasons = reasonsOf(read.order, localRoots, forest, session.conflict, options);
  return {
    trace_id: spans[0]?.trace_id ?? "",
    ...lists,
    kinds: KINDS.filter((kind) => read.order.some((node) => node.span.kind === kind)),
    session_id: session.session_id,
    session_conflict: session.conflict,
    session_end: read.order.some((node) => node.span.session_end),
    egress,
    entry_agent: entry,
    local_root: first === undefined ? undefined : refOf(first, first.span.name),
    root_start_s: start?.start_s ?? 0,
    root_start_n: start?.start_n ?? 0,
    root_attributes: first?.span.attributes ?? NO_ATTRIBUTES,
    agent_attributes: read.roots.entry?.runs[0]?.span.attributes ?? NO_ATTRIBUTES,
    resource: first?.span.resource ?? read.order[0]?.span.resource ?? NO_ATTRIBUTES,
    annotations: read.order.map((node) => node.span.annotation).filter(isPresent),
    reasons,
    span_count: read.order.length,
    ...(forest.duplicates > 0 ? { duplicate_count: forest.duplicates } : {}),
  };
}

const KINDS: readonly Kind[] = ["TOOL", "AGENT", "LLM"];
const NO_ATTRIBUTES: AttributeMap = Object.freeze({});

interface ReadTrace {
  readonly order: readonly SpanNode[];
  readonly outputs: Outputs;
  readonly acts: ReadonlyMap<SpanNode, Act>;
  readonly roots: Roots;
  readonly chosen: StepSpans;
}

/**
 * Which spans are steps decides ties of the walk, and the walk decides which of tied spans is earliest. So the first
 * walk takes every TOOL and AGENT for a step, and where names decided a tie a second one takes those that were chosen.
 */
function* readTrace(forest: Forest, options: AssembleOptions, notes: Notes | undefined): Sliced<ReadTrace> {
  const outputs = new Outputs();
  const provisional = yield* walk(forest, (node) => (isAct(node) ? stepName(node) : undefined));
  yield;
  const first = yield* choose(provisional.order, outputs, options, notes);
  if (!provisional.usedStepNames) return first;
  yield;
  const steps = new Set(first.chosen.steps);
  const embedded = !isSpanBorn(first, options);
  const settled = yield* walk(forest, (node) => {
    if (steps.has(node)) return stepName(node);
    return embedded ? outputs.firstCallName(node) : undefined;
  });
  yield;
  return yield* choose(settled.order, outputs, options, notes);
}

function* choose(
  order: readonly SpanNode[],
  outputs: Outputs,
  options: AssembleOptions,
  notes: Notes | undefined,
): Sliced<ReadTrace> {
  notes?.restart(order);
  const acts = yield* joinEchoes(order, notes);
  yield;
  const roots = findRoots(order, acts);
  yield;
  return { order, outputs, acts, roots, chosen: chooseSteps(order, acts, roots, options, notes) };
}

function stepName(node: SpanNode): string {
  return node.span.facts?.name ?? node.span.name;
}

/** Whether the step list holds spans; to the letter any TOOL or AGENT span, the root included, keeps calls out. */
function isSpanBorn({ order, chosen }: ReadTrace, options: AssembleOptions): boolean {
  return chosen.steps.length > 0 || (options.root === "trace" && order.some(isAct));
}

type Lists = Pick<AssembledTrace, "steps" | "tools" | "unread" | "members" | "before_failed_calls">;

function* listsOf(read: ReadTrace, options: AssembleOptions, notes: Notes | undefined): Sliced<Lists> {
  const { order, outputs, acts, chosen } = read;
  const reported = reportedFailures(order);
  yield;
  const spanSteps = isSpanBorn(read, options);
  const spanTools = order.some((node) => node.span.kind === "TOOL");
  const falls = !spanSteps || !spanTools;
  const completions = falls || options.members ? readCompletions(order, outputs, falls ? notes : undefined) : [];
  const embedded: EmbeddedSteps = falls ? embeddedIn(completions, notes) : NOTHING_EMBEDDED;
  const members = options.members ? { members: membersOf(completions, options.defaultEgress ?? "unknown") } : {};
  yield;
  const built = yield* stepsOf([...chosen.steps, ...chosen.tools], (node) => stepOf(node, acts.get(node), reported));
  const stepAt = (node: SpanNode): PlacedStep => built.get(node) as PlacedStep;
  const steps = spanSteps ? withoutHandOffs(chosen.steps.map(stepAt), options, notes) : embedded.steps;
  const tools = spanTools ? chosen.tools.map(stepAt) : embedded.steps;
  const unread: ("steps" | "tools")[] = [];
  if (!spanSteps && embedded.unread) unread.push("steps");
  if (!spanTools && embedded.unread) unread.push("tools");
  const option = options.failedCalls;
  if (option === undefined || option === "count") return { steps, tools, unread, ...members };
  return {
    ...members,
    steps: applyFailedCalls(steps, option, notes),
    tools: applyFailedCalls(tools, option),
    unread,
    before_failed_calls: { option, steps, tools },
  };
}

/** Most steps are in both lists; each is built once. */
function* stepsOf(
  nodes: readonly SpanNode[],
  build: (node: SpanNode) => PlacedStep,
): Sliced<ReadonlyMap<SpanNode, PlacedStep>> {
  const built = new Map<SpanNode, PlacedStep>();
  for (const node of nodes) {
    if (built.has(node)) continue;
    built.set(node, build(node));
    if (built.size % SLICE_STEPS === 0) yield;
  }
  return built;
}

/** Steps that are built at a time: reading their arguments is what takes longest. */
const SLICE_STEPS = 32;

const NOTHING_EMBEDDED: EmbeddedSteps = { steps: [], unread: false };

/** A span whose parent is not held: neither among the ended spans nor among the open ones. */
function isLocalRoot(node: SpanNode, options: AssembleOptions): boolean {
  return node.parent === undefined && !isHeldOpen(node, options) && !node.inRing;
}

function isHeldOpen(node: SpanNode, options: AssembleOptions): boolean {
  return options.openSpanIds?.has(node.span.parent_id) === true;
}

function reasonsOf(
  order: readonly SpanNode[],
  localRoots: readonly SpanNode[],
  forest: Forest,
  conflict: boolean,
  options: AssembleOptions,
): readonly IncompleteReason[] {
  const orphans = forest.roots.filter((node) => node.span.parent_id !== "" && !isHeldOpen(node, options));
  const reasons: IncompleteReason[] = [];
  const ended = localRoots.filter((node) => options.openSpanIds?.has(node.span.span_id) !== true);
  if (order.length > 0 && ended.length === 0) reasons.push("no_root");
  if (orphans.some((node) => !node.span.remote_parent)) reasons.push("parent_missing");
  if (orphans.some((node) => node.span.remote_parent)) reasons.push("remote_parent");
  if (conflict) reasons.push("session_conflict");
  return reasons;
}

function entryRef(roots: Roots): SpanRef | undefined {
  const run = roots.entry?.runs[0];
  return run === undefined || roots.entry === undefined ? undefined : refOf(run, roots.entry.name);
}

function refOf({ span }: SpanNode, name: string): SpanRef {
  return { trace_id: span.trace_id, span_id: span.span_id, trace_flags: span.trace_flags, name };
}

function earliest(nodes: readonly SpanNode[]): SpanFacts | undefined {
  let first: SpanFacts | undefined;
  for (const { span } of nodes) if (first === undefined || compareStarts(span, first) < 0) first = span;
  return first;
}

function egressOfTrace(order: readonly SpanNode[], fallback: Egress): Egress {
  return worstEgress(
    order.filter((node) => node.span.kind !== undefined).map(({ span }) => egressOf(span.egress, fallback)),
  );
}

function isPresent(annotation: SpanAnnotation | undefined): annotation is SpanAnnotation {
  return annotation !== undefined;
}
