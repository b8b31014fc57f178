import type { ReadOutput } from "../model/span.ts";
import type { SpanNode } from "./tree.ts";

/**
 * What spans of no kind hold of the outputs of model calls: for each LLM span, in order of the walk. A carrier belongs
 * to the LLM span around it, with no other span with a kind between, else to those beneath it, likewise. Of carriers
 * within each other the outer one that shows calls is read; those inside repeat it. `order` is the walk; O(n).
 */
export function carriedOutputs(
  order: readonly SpanNode[],
  read: (node: SpanNode) => ReadOutput | undefined,
): ReadonlyMap<SpanNode, readonly ReadOutput[]> {
  const owned = new Map<SpanNode, ReadOutput[]>();
  /** The nearest carrier that shows calls, around each span. */
  const around = new Map<SpanNode, SpanNode>();
  for (const node of order) {
    const { parent } = node;
    const outer = parent === undefined || parent.span.kind !== undefined ? undefined : around.get(parent);
    if (outer !== undefined) around.set(node, outer);
    if (node.span.kind === "LLM" && outer !== undefined && outer.kindAbove?.span.kind !== "LLM") {
      append(owned, node, read(outer));
    }
    if (node.span.carried === undefined || outer !== undefined) continue;
    const output = read(node);
    if (output === undefined || output.calls.length === 0) continue;
    around.set(node, node);
    const owner = node.kindAbove;
    if (owner?.span.kind === "LLM") append(owned, owner, output);
  }
  return owned;
}

function append(owned: Map<SpanNode, ReadOutput[]>, owner: SpanNode, output: ReadOutput | undefined): void {
  if (output === undefined) return;
  const list = owned.get(owner);
  if (list === undefined) owned.set(owner, [output]);
  else list.push(output);
}
