import type { Act } from "./echoes.ts";
import { compareNodes, type SpanNode } from "./tree.ts";

/** The agent that owns a trace. */
export interface EntryAgent {
  /** Its runs, in execution order; the first one speaks for the trace. */
  readonly runs: readonly SpanNode[];
  readonly name: string;
}

/** What the root rule found. */
export interface Roots {
  readonly entry: EntryAgent | undefined;
  /** Agents without a name at the top -> the first named agent beneath, which they stand for. */
  readonly standIns: ReadonlyMap<SpanNode, SpanNode>;
}

/**
 * The entry agent: the only AGENT span with no parent id; otherwise the outermost AGENTs, when they share one identity
 * and no TOOL is outermost. Spans of no kind and LLM spans do not count. A top agent that names none stands for the
 * first named AGENT beneath it with no TOOL or LLM between, and has its identity. O(n log n).
 */
export function findRoots(order: readonly SpanNode[], acts: ReadonlyMap<SpanNode, Act>): Roots {
  const outermost = order.filter((node) => isOutermost(node, acts)).sort(compareNodes);
  const standIns = findStandIns(order);
  const nameOf = (node: SpanNode): string => identity(standIns.get(node) ?? node);
  const parentless = outermost.filter((node) => node.span.kind === "AGENT" && node.span.parent_id === "");
  const runs = parentless.length === 1 ? parentless : outermost;
  const [first] = runs;
  if (first === undefined) return { entry: undefined, standIns };
  const name = nameOf(first);
  const shared = runs.every((node) => node.span.kind === "AGENT" && nameOf(node) === name);
  return { entry: shared ? { runs, name } : undefined, standIns };
}

/** A TOOL span that merely echoes a call made elsewhere is not outermost: it is no act of its own. */
function isOutermost(node: SpanNode, acts: ReadonlyMap<SpanNode, Act>): boolean {
  if (node.actAbove !== undefined) return false;
  return node.span.kind === "AGENT" || acts.get(node)?.counted === node;
}

function findStandIns(order: readonly SpanNode[]): ReadonlyMap<SpanNode, SpanNode> {
  const standIns = new Map<SpanNode, SpanNode>();
  for (const node of order) {
    if (node.span.kind !== "AGENT" || node.span.facts?.nameless === true) continue;
    const top = node.kindAbove;
    if (top?.span.kind !== "AGENT" || top.span.facts?.nameless !== true) continue;
    const found = standIns.get(top);
    if (found === undefined || compareNodes(node, found) < 0) standIns.set(top, node);
  }
  return standIns;
}

/** A TOOL or AGENT span. */
export function isAct(node: SpanNode): boolean {
  return node.span.kind === "TOOL" || node.span.kind === "AGENT";
}

/** The identity of an AGENT, to the letter. */
export function identity(node: SpanNode): string {
  return node.span.facts?.name ?? node.span.name;
}
