import type { SpanFacts } from "../../src/model/span.ts";

/**
 * A deliberately plain reading of the contract's rules for span-born steps, straight from their wording: recursive,
 * quadratic, no shared code with the product. Takes forests without rings and without duplicate ids.
 */
export function naiveTrajectory(spans: readonly SpanFacts[]): { steps: readonly string[]; tools: readonly string[] } {
  const parent = (span: SpanFacts): SpanFacts | undefined => spans.find((one) => one.span_id === span.parent_id);
  const above = (span: SpanFacts): readonly SpanFacts[] => {
    const up = parent(span);
    return up === undefined ? [] : [up, ...above(up)];
  };
  const norm = (span: SpanFacts): string => (span.facts?.name ?? "").toLowerCase().split(/[-_]/).join("");
  const isAct = (span: SpanFacts): boolean => span.kind === "TOOL" || span.kind === "AGENT";
  const nearestKind = (span: SpanFacts): SpanFacts | undefined => above(span).find((one) => one.kind !== undefined);
  const nearestAct = (span: SpanFacts): SpanFacts | undefined => above(span).find(isAct);

  const order = preOrder(spans, parent);
  const byTime = (list: readonly SpanFacts[]): SpanFacts[] =>
    [...list].sort((a, b) => a.start_n - b.start_n || order.indexOf(a) - order.indexOf(b));

  // One call id: the outermost, else the earliest.
  const counts = (tool: SpanFacts): boolean => {
    const id = tool.facts?.call_id ?? "";
    if (id === "") return true;
    const group = spans.filter((one) => one.kind === "TOOL" && one.facts?.call_id === id);
    const outermost = group.filter((one) => !above(one).some((up) => group.includes(up)));
    return byTime(outermost)[0] === tool;
  };
  const tools = byTime(spans.filter((span) => span.kind === "TOOL" && counts(span)));
  const countedOf = (tool: SpanFacts): SpanFacts =>
    tools.find((one) => one === tool || (one.facts?.call_id !== "" && one.facts?.call_id === tool.facts?.call_id)) ??
    tool;

  const parentless = spans.filter((span) => span.kind === "AGENT" && span.parent_id === "");
  const outermost = spans.filter(
    (span) => (span.kind === "AGENT" || tools.includes(span)) && nearestAct(span) === undefined,
  );
  const oneIdentity =
    outermost.every((span) => span.kind === "AGENT") && new Set(outermost.map((span) => span.facts?.name)).size === 1;
  const roots = parentless.length === 1 ? parentless : oneIdentity ? outermost : [];

  const agents = spans.filter((span) => {
    const up = nearestKind(span);
    const collapsed = up?.kind === "AGENT" && up.facts?.name === span.facts?.name;
    return span.kind === "AGENT" && !collapsed && !roots.includes(span);
  });
  const folded = agents.flatMap((agent) => {
    const tool = nearestAct(agent);
    return tool?.kind === "TOOL" && norm(countedOf(tool)) === norm(agent) ? [countedOf(tool)] : [];
  });
  const steps = byTime([...agents, ...tools.filter((tool) => !folded.includes(tool))]);
  return { steps: steps.map((span) => span.span_id), tools: tools.map((span) => span.span_id) };
}

/** Siblings by start; quick ones first, by scope, then as observed; then by span name, and by span id. */
function preOrder(
  spans: readonly SpanFacts[],
  parent: (span: SpanFacts) => SpanFacts | undefined,
): readonly SpanFacts[] {
  const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const quick = (span: SpanFacts): number => (span.end_n - span.start_n < 1e6 ? 0 : 1);
  const visit = (up: SpanFacts | undefined): readonly SpanFacts[] =>
    spans
      .filter((span) => parent(span) === up)
      .sort(
        (a, b) =>
          a.start_n - b.start_n ||
          quick(a) - quick(b) ||
          (quick(a) === 0
            ? text(a.scope_name, b.scope_name) || a.seq - b.seq
            : text(a.name, b.name) || text(a.span_id, b.span_id)),
      )
      .flatMap((span) => [span, ...visit(span)]);
  return visit(undefined);
}
