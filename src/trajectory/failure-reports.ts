import { compareNodes, type SpanNode } from "./tree.ts";

/**
 * The TOOL spans whose failure another span reports: a child, or a later event of the same act beneath the same
 * parent. Each such event marks the latest TOOL of its name that is not marked yet. `order` is the walk; O(n log n).
 */
export function reportedFailures(order: readonly SpanNode[]): ReadonlySet<SpanNode> {
  const failed = new Set<SpanNode>();
  if (!order.some((node) => node.span.failure !== undefined)) return failed;
  const open = new Map<string, SpanNode[]>();
  for (const node of [...order].sort(compareNodes)) {
    const { facts, failure, kind, parent_id } = node.span;
    if (kind === "TOOL" && facts !== undefined) {
      const key = JSON.stringify([parent_id, facts.raw_name]);
      const started = open.get(key);
      if (started === undefined) open.set(key, [node]);
      else started.push(node);
    }
    if (failure === undefined) continue;
    const marked = failure.of === "parent" ? node.parent : open.get(JSON.stringify([parent_id, failure.name]))?.pop();
    if (marked !== undefined) failed.add(marked);
  }
  return failed;
}
