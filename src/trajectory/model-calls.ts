import type { EmbeddedCall, SpanFacts } from "../model/span.ts";
import type { Notes } from "./notes.ts";
import { compareNodes, compareStarts, type SpanNode } from "./tree.ts";

/** A completion as it counts: its span, its calls, and what is missing. */
export interface Completion {
  readonly node: SpanNode;
  readonly calls: readonly EmbeddedCall[];
  /** It ended because of tool calls, and none can be read. */
  readonly gap: boolean;
  /** Neither text nor call was recorded, although tokens were spent. */
  readonly blank: boolean;
  /** Something was recorded that is not empty. */
  readonly filled: boolean;
  /** An output was recorded at all; an empty text is one. */
  readonly has_output: boolean;
}

/** A model call with what is nested in it, reduced to the completions that count. */
interface Settled {
  readonly top: SpanNode;
  readonly members: readonly Completion[];
}

/**
 * Counts each model call once. Two LLM spans are one call when one is nested in the other with no other span with a
 * kind between, or when they are overlapping siblings from different scopes. The side that shows more calls is read;
 * of equals the inner one, or the scope with fewer gaps, or that which comes first. `all` is in order of the walk;
 * O(n log n), without recursion.
 */
export function countOnce(all: readonly Completion[], notes?: Notes): Completion[] {
  const nested = new Map<SpanNode, Settled[]>();
  const tops: Settled[] = [];
  // From the last to the first, so that what is nested is settled before what it is nested in.
  for (const one of all.toReversed()) {
    const settled = { top: one.node, members: settle(one, nested.get(one.node) ?? [], notes) };
    const outer = one.node.kindAbove;
    if (outer?.span.kind !== "LLM") tops.push(settled);
    else append(nested, outer, settled);
  }
  return joinSiblings(tops, notes);
}

/** A call and those nested in it: whichever side shows more calls. */
function settle(outer: Completion, nested: readonly Settled[], notes: Notes | undefined): readonly Completion[] {
  if (nested.length === 0) return [outer];
  const inner = joinSiblings(nested, notes);
  const shown = countCalls(inner);
  if (shown > 0 && outer.calls.length <= shown) {
    note(notes, [outer], inner[0]);
    return inner;
  }
  note(notes, inner, outer);
  return outer.calls.length > shown ? [outer] : [merged(outer.node, [outer, ...inner])];
}

/** Writes down that some spans show a model call that another one shows as well, or better. */
function note(notes: Notes | undefined, dropped: readonly Completion[], kept: Completion | undefined): void {
  if (notes === undefined) return;
  for (const { node } of dropped) {
    if (node !== kept?.node) notes.add(node.span.span_id, "same_model_call", kept?.node.span.span_id);
  }
}

function joinSiblings(calls: readonly Settled[], notes: Notes | undefined): Completion[] {
  const byParent = new Map<SpanNode | string, Settled[]>();
  for (const call of calls) append(byParent, call.top.parent ?? call.top.span.parent_id, call);
  const kept: Completion[] = [];
  for (const siblings of byParent.values()) {
    siblings.sort((a, b) => compareNodes(a.top, b.top));
    for (const cluster of clusters(siblings)) for (const one of fromOneScope(cluster, notes)) kept.push(one);
  }
  return kept;
}

/** Runs of siblings that overlap, one after the other. */
function clusters(siblings: readonly Settled[]): Settled[][] {
  const found: Settled[][] = [];
  let last: SpanFacts | undefined;
  for (const call of siblings) {
    const { span } = call.top;
    const overlaps = last !== undefined && (startsBefore(span, last) || sameStart(span, found.at(-1)));
    if (overlaps) found.at(-1)?.push(call);
    else found.push([call]);
    if (last === undefined || !overlaps || endsAfter(span, last)) last = span;
  }
  return found;
}

function fromOneScope(cluster: readonly Settled[], notes: Notes | undefined): readonly Completion[] {
  const byScope = new Map<string, Completion[]>();
  for (const { top, members } of cluster) {
    const scope = byScope.get(top.span.scope_name);
    if (scope === undefined) byScope.set(top.span.scope_name, [...members]);
    else for (const member of members) scope.push(member);
  }
  const everything = cluster.flatMap(({ members }) => members);
  if (byScope.size < 2) return everything;
  let best: readonly Completion[] = [];
  for (const scope of byScope.values()) {
    const more = countCalls(scope) - countCalls(best);
    if (best.length === 0 || more > 0 || (more === 0 && countGaps(scope) < countGaps(best))) best = scope;
  }
  const first = cluster[0];
  const kept = countCalls(best) > 0 || first === undefined ? best : [merged(first.top, everything)];
  if (notes !== undefined)
    note(
      notes,
      everything.filter((one) => !best.includes(one) || kept !== best),
      kept[0],
    );
  return kept;
}

/** One call that no side shows: it is a gap when any side says so, and blank only when no side holds something. */
function merged(node: SpanNode, sides: readonly Completion[]): Completion {
  const filled = sides.some((one) => one.filled);
  return {
    node,
    calls: [],
    gap: sides.some((one) => one.gap),
    blank: !filled && sides.some((one) => one.blank),
    filled,
    has_output: sides.some((one) => one.has_output),
  };
}

function countCalls(completions: readonly Completion[]): number {
  return completions.reduce((sum, one) => sum + one.calls.length, 0);
}

function countGaps(completions: readonly Completion[]): number {
  return completions.reduce((sum, one) => sum + (one.gap ? 1 : 0), 0);
}

function append<K>(lists: Map<K, Settled[]>, key: K, value: Settled): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function startsBefore(span: SpanFacts, end: SpanFacts): boolean {
  return (span.start_s - end.end_s || span.start_n - end.end_n) < 0;
}

function endsAfter(a: SpanFacts, b: SpanFacts): boolean {
  return (a.end_s - b.end_s || a.end_n - b.end_n) > 0;
}

/** Spans of no duration that start together overlap. */
function sameStart(span: SpanFacts, cluster: readonly Settled[] | undefined): boolean {
  const last = cluster?.at(-1);
  return last !== undefined && compareStarts(span, last.top.span) === 0;
}
