import { createSpanReader } from "../../src/conventions/read-span.ts";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import type { SpanFacts, SpanView } from "../../src/model/span.ts";
import { type AssembleOptions, assembleTrace } from "../../src/trajectory/assemble.ts";
import { readOtlpRequest } from "../../src/wire/from-otlp-json.ts";

/** Reads views in the order in which they are handed over and assembles each trace, in order of appearance. */
export function tracesOfViews(views: readonly SpanView[], options: AssembleOptions = {}): readonly AssembledTrace[] {
  const reader = createSpanReader();
  const byTrace = new Map<string, SpanFacts[]>();
  views.forEach((view, seq) => {
    const facts = reader.read(view, seq);
    const trace = byTrace.get(view.trace_id);
    if (trace === undefined) byTrace.set(view.trace_id, [facts]);
    else trace.push(facts);
  });
  return [...byTrace.values()].map((spans) => assembleTrace(spans, options));
}

/** The views of a text with one OTLP/JSON request a line; throws where anything was reported as a problem. */
export function viewsOfOtlp(text: string): readonly SpanView[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const { views, problems } = readOtlpRequest(JSON.parse(line));
      if (problems.length > 0) throw new Error(problems.join("\n"));
      return views;
    });
}
