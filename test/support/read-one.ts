import { createSpanReader, type SpanReaderOptions } from "../../src/conventions/read-span.ts";
import type { ReadOutput, SpanFacts } from "../../src/model/span.ts";
import { type Sketch, viewOf } from "./spans.ts";

/** Reads one span. */
export function readOne(sketch: Partial<Sketch>, options: SpanReaderOptions = {}): SpanFacts {
  return createSpanReader(options).read(viewOf({ id: "s", ...sketch }), 0);
}

/** A span's kind and name in short: `TOOL search`, or `none`. */
export function kindAndName(facts: SpanFacts): string {
  return facts.kind === undefined ? "none" : `${facts.kind} ${facts.facts?.name}`;
}

/** The arguments of a TOOL span as its reader gives them. */
export function argumentsOf(facts: SpanFacts): unknown {
  const content = facts.facts?.args;
  if (content === undefined) return "absent";
  return content.cut ? "cut" : facts.facts?.readArgs?.(content.value);
}

/** The output of an LLM span; calls as `name(arguments)`. */
export function outputOf(
  facts: SpanFacts,
): { readonly calls: readonly string[]; readonly output: ReadOutput } | undefined {
  const output = facts.facts?.readOutput?.();
  if (output === undefined) return undefined;
  const calls = output.calls.map(
    ({ name, args, args_status }) => `${name}(${args_status === "ok" ? JSON.stringify(args) : args_status})`,
  );
  return { calls, output };
}
