import type { Sliced } from "../align/sliced.ts";
import { normalizeName } from "../model/names.ts";
import type { Notes } from "./notes.ts";
import { compareNodes, isBeneath, SLICE_NODES, type SpanNode } from "./tree.ts";

/** One act and the spans that recorded it. */
export interface Act {
  /** The span that counts. */
  readonly counted: SpanNode;
  /** Its echoes in execution order; arguments and failure that it lacks are taken from them. */
  readonly echoes: readonly SpanNode[];
}

/**
 * Joins the TOOL spans of one act: those with one call id, and a TOOL in a same-named TOOL with no span with a kind
 * between where one of the two is an MCP client or server span. The outermost counts, else the earliest. `order` is
 * the walk; O(n log n), in slices.
 */
export function* joinEchoes(order: readonly SpanNode[], notes?: Notes): Sliced<ReadonlyMap<SpanNode, Act>> {
  const tools = order.filter((node) => node.span.kind === "TOOL");
  const groups = new DisjointSets();
  const byCallId = new Map<string, SpanNode>();
  for (const [index, node] of tools.entries()) {
    if (index % SLICE_NODES === SLICE_NODES - 1) yield;
    const id = node.span.facts?.call_id ?? "";
    const first = byCallId.get(id);
    if (id !== "" && first !== undefined) groups.join(first, node);
    else if (id !== "") byCallId.set(id, node);
    if (node.kindAbove !== undefined && isProtocolEcho(node, node.kindAbove)) groups.join(node.kindAbove, node);
  }
  const acts = new Map<SpanNode, Act>();
  if (groups.areSingle) {
    for (const [index, node] of tools.entries()) {
      if (index % SLICE_NODES === SLICE_NODES - 1) yield;
      acts.set(node, { counted: node, echoes: NO_ECHOES });
    }
    return acts;
  }
  for (const members of groups.of(tools)) {
    const act = actOf(members);
    for (const member of members) acts.set(member, act);
    for (const echo of act.echoes) notes?.add(echo.span.span_id, "echo", act.counted.span.span_id);
  }
  return acts;
}

const NO_ECHOES: readonly SpanNode[] = Object.freeze([]);

function isProtocolEcho(inner: SpanNode, outer: SpanNode): boolean {
  const innerFacts = inner.span.facts;
  const outerFacts = outer.span.facts;
  if (outer.span.kind !== "TOOL" || innerFacts === undefined || outerFacts === undefined) return false;
  return (innerFacts.mcp || outerFacts.mcp) && normalizeName(innerFacts.name) === normalizeName(outerFacts.name);
}

/** `members` come in order of the walk, so that a member is nested in another exactly when in the last outer one. */
function actOf(members: readonly SpanNode[]): Act {
  let counted: SpanNode | undefined;
  let outer: SpanNode | undefined;
  for (const node of members) {
    if (outer !== undefined && isBeneath(node, outer)) continue;
    outer = node;
    if (counted === undefined || compareNodes(node, counted) < 0) counted = node;
  }
  if (counted === undefined) throw new RangeError("an act has at least one span");
  return { counted, echoes: members.filter((node) => node !== counted).sort(compareNodes) };
}

/** Union-find with path halving; sets keep the order in which their members are listed. */
class DisjointSets {
  readonly #above = new Map<SpanNode, SpanNode>();

  /** Nothing has been joined. */
  get areSingle(): boolean {
    return this.#above.size === 0;
  }

  join(a: SpanNode, b: SpanNode): void {
    const rootA = this.#root(a);
    const rootB = this.#root(b);
    if (rootA !== rootB) this.#above.set(rootB, rootA);
  }

  of(members: readonly SpanNode[]): Iterable<readonly SpanNode[]> {
    const sets = new Map<SpanNode, SpanNode[]>();
    for (const member of members) {
      const root = this.#root(member);
      const set = sets.get(root);
      if (set === undefined) sets.set(root, [member]);
      else set.push(member);
    }
    return sets.values();
  }

  #root(node: SpanNode): SpanNode {
    let current = node;
    for (let above = this.#above.get(current); above !== undefined; above = this.#above.get(current)) {
      const next = this.#above.get(above);
      if (next !== undefined) this.#above.set(current, next);
      current = above;
    }
    return current;
  }
}
