import type { Sliced } from "../align/sliced.ts";
import type { SpanFacts } from "../model/span.ts";

/** A span in the forest of its trace. */
export interface SpanNode {
  readonly span: SpanFacts;
  /** Its parent in the forest; rings are cut open, so following parents always ends. */
  parent: SpanNode | undefined;
  readonly children: SpanNode[];
  depth: number;
  /** Place in the pre-order walk; the nodes beneath are those with places up to `lastPlace`. */
  place: number;
  lastPlace: number;
  /** Nearest kind-bearing span above. Nameless agents beneath a TOOL or AGENT are looked through. */
  kindAbove: SpanNode | undefined;
  /** Nearest TOOL or AGENT above, looked through likewise. */
  actAbove: SpanNode | undefined;
  beneathTool: boolean;
  /** A nameless AGENT beneath a TOOL or AGENT: what is around it names the act. */
  transparent: boolean;
  /** It is where a ring of parents was cut open. */
  inRing: boolean;
}

/** The spans of one trace as trees. */
export interface Forest {
  /** Parents come before their children. */
  readonly nodes: readonly SpanNode[];
  readonly byId: ReadonlyMap<string, SpanNode>;
  /** Spans whose parent is not here. */
  readonly roots: readonly SpanNode[];
  /** Where rings of parents were cut open, earliest first. */
  readonly ringRoots: readonly SpanNode[];
  /** Spans left out because their id had come before. */
  readonly duplicates: number;
}

/** Spans between two pauses of work on all of them. */
export const SLICE_NODES = 256;

/**
 * Builds the forest in O(n log n), without recursion, in slices. Of several spans with one id the first stays. A ring of
 * parents is entered at its earliest span.
 */
export function* buildForest(spans: readonly SpanFacts[]): Sliced<Forest> {
  const byId = new Map<string, SpanNode>();
  for (const [index, span] of spans.entries()) {
    if (index % SLICE_NODES === SLICE_NODES - 1) yield;
    if (!byId.has(span.span_id)) byId.set(span.span_id, nodeOf(span));
  }
  const all = [...byId.values()];
  const roots: SpanNode[] = [];
  for (const [index, node] of all.entries()) {
    if (index % SLICE_NODES === SLICE_NODES - 1) yield;
    node.parent = node.span.parent_id === "" ? undefined : byId.get(node.span.parent_id);
    if (node.parent === undefined) roots.push(node);
    else node.parent.children.push(node);
  }
  const nodes: SpanNode[] = [];
  const reached = new Set<SpanNode>();
  for (const root of roots) yield* descend(root, nodes, reached);
  const ringRoots = nodes.length === all.length ? [] : yield* cutRings(all, nodes, reached);
  return { nodes, byId, roots, ringRoots, duplicates: spans.length - all.length };
}

function nodeOf(span: SpanFacts): SpanNode {
  return {
    span,
    parent: undefined,
    children: [],
    depth: 0,
    place: 0,
    lastPlace: 0,
    kindAbove: undefined,
    actAbove: undefined,
    beneathTool: false,
    transparent: false,
    inRing: false,
  };
}

function* cutRings(all: readonly SpanNode[], nodes: SpanNode[], reached: Set<SpanNode>): Sliced<readonly SpanNode[]> {
  const rest = all.filter((node) => !reached.has(node)).sort((a, b) => compareStarts(a.span, b.span) || byId(a, b));
  const ringRoots: SpanNode[] = [];
  for (const node of rest) {
    if (reached.has(node)) continue;
    const parent = node.parent;
    parent?.children.splice(parent.children.indexOf(node), 1);
    node.parent = undefined;
    node.inRing = true;
    ringRoots.push(node);
    yield* descend(node, nodes, reached);
  }
  return ringRoots;
}

/** Adds a tree, parents first, and fills in what each node inherits. */
function* descend(root: SpanNode, nodes: SpanNode[], reached: Set<SpanNode>): Sliced<undefined> {
  const stack: SpanNode[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (nodes.length % SLICE_NODES === SLICE_NODES - 1) yield;
    reached.add(node);
    inherit(node);
    nodes.push(node);
    for (const child of node.children) stack.push(child);
  }
  return undefined;
}

function inherit(node: SpanNode): void {
  const above = node.parent;
  if (above !== undefined) {
    const { kind } = above.span;
    const counts = kind !== undefined && !above.transparent;
    node.depth = above.depth + 1;
    node.kindAbove = counts ? above : above.kindAbove;
    node.actAbove = counts && kind !== "LLM" ? above : above.actAbove;
    node.beneathTool = above.beneathTool || kind === "TOOL";
  }
  node.transparent = node.span.kind === "AGENT" && node.span.facts?.nameless === true && node.actAbove !== undefined;
}

/** By start time. */
export function compareStarts(a: SpanFacts, b: SpanFacts): number {
  return a.start_s - b.start_s || a.start_n - b.start_n;
}

/** Execution order: start time, then place in the walk. */
export function compareNodes(a: SpanNode, b: SpanNode): number {
  return compareStarts(a.span, b.span) || a.place - b.place;
}

/** True when `below` is beneath `above`; both have their places. */
export function isBeneath(below: SpanNode, above: SpanNode): boolean {
  return below.place > above.place && below.place <= above.lastPlace;
}

/** By code unit. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function byId(a: SpanNode, b: SpanNode): number {
  return compareText(a.span.span_id, b.span.span_id);
}
