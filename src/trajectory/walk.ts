import type { Sliced } from "../align/sliced.ts";
import type { SpanFacts } from "../model/span.ts";
import { compareStarts, compareText, type Forest, SLICE_NODES, type SpanNode } from "./tree.ts";

/** Spans shorter than this are ordered by their observed end: JavaScript starts spans on whole milliseconds. */
const QUICK_NANOSECONDS = 1_000_000;

/** The name of a step that a span is, or undefined for a span that is none. */
export type StepName = (node: SpanNode) => string | undefined;

/** The first step of a subtree, for breaking ties. */
interface FirstStep {
  readonly name: string;
  readonly span: SpanFacts;
}

/** The nodes in the order of the walk. */
export interface Walk {
  readonly order: readonly SpanNode[];
  /** Whether step names, or span ids after them, decided a tie. */
  readonly usedStepNames: boolean;
}

/**
 * Gives every node its place in the pre-order walk. Siblings, roots among them,
 * are taken by start. On a tie those that lasted under 1 ms come first: across scopes by scope name, within one by
 * observed end. Then the others: by span name by code unit, by step name (a span that is no step: of the first step
 * beneath it), by span id. Rings of parents come last, earliest first. O(n log n), without recursion, in slices.
 */
export function* walk(forest: Forest, stepName: StepName): Sliced<Walk> {
  const ties = new Ties();
  yield* sortChildren(forest, stepName, ties);
  const roots = [...[...forest.roots].sort((a, b) => ties.compare(a, b)), ...forest.ringRoots];
  const order: SpanNode[] = [];
  const stack = roots.reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    node.place = order.length;
    order.push(node);
    if (order.length % SLICE_NODES === 0) yield;
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child !== undefined) stack.push(child);
    }
  }
  yield* closeIntervals(order);
  return { order, usedStepNames: ties.usedStepNames };
}

/** Sorts children bottom-up, since a tie may be decided by what is beneath. */
function* sortChildren(forest: Forest, stepName: StepName, ties: Ties): Sliced<undefined> {
  for (let index = forest.nodes.length - 1; index >= 0; index -= 1) {
    if (index % SLICE_NODES === SLICE_NODES - 1) yield;
    const node = forest.nodes[index];
    if (node === undefined) continue;
    if (node.children.length > 1) node.children.sort((a, b) => ties.compare(a, b));
    ties.settle(node, stepName(node));
  }
  return undefined;
}

/** Compares siblings, knowing the first step of every subtree that has been settled. */
class Ties {
  usedStepNames = false;
  readonly #first = new Map<SpanNode, FirstStep>();

  settle(node: SpanNode, name: string | undefined): void {
    let best: FirstStep | undefined = name === undefined ? undefined : { name, span: node.span };
    if (best === undefined) {
      for (const child of node.children) {
        const candidate = this.#first.get(child);
        if (candidate === undefined) continue;
        if (best === undefined || compareStarts(candidate.span, best.span) < 0) best = candidate;
      }
    }
    if (best !== undefined) this.#first.set(node, best);
  }

  compare(a: SpanNode, b: SpanNode): number {
    const byStart = compareStarts(a.span, b.span);
    if (byStart !== 0) return byStart;
    const quick = isQuick(a.span);
    if (quick !== isQuick(b.span)) return quick ? -1 : 1;
    if (quick) return compareText(a.span.scope_name, b.span.scope_name) || a.span.seq - b.span.seq;
    const byName = compareText(a.span.name, b.span.name);
    if (byName !== 0) return byName;
    this.usedStepNames = true;
    return compareText(this.#name(a), this.#name(b)) || compareText(a.span.span_id, b.span.span_id);
  }

  #name(node: SpanNode): string {
    return this.#first.get(node)?.name ?? "";
  }
}

function isQuick(span: SpanFacts): boolean {
  return (span.end_s - span.start_s) * 1e9 + (span.end_n - span.start_n) < QUICK_NANOSECONDS;
}

/** The last place beneath each node: bottom-up, in reverse order of the walk. */
function* closeIntervals(order: readonly SpanNode[]): Sliced<undefined> {
  for (const node of order) node.lastPlace = node.place;
  for (let index = order.length - 1; index >= 0; index -= 1) {
    if (index % SLICE_NODES === SLICE_NODES - 1) yield;
    const node = order[index];
    if (node?.parent !== undefined) node.parent.lastPlace = Math.max(node.parent.lastPlace, node.lastPlace);
  }
  return undefined;
}
