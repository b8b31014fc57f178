import type { SpanView } from "../model/span.ts";
import { own, text } from "./attributes.ts";
import type { OutputCollector } from "./calls.ts";
import { type Convention, type KeepContent, type OutputSource, PRECEDENCE } from "./convention.ts";
import { decodeJson, textMember } from "./json.ts";
import { wholeOutput } from "./output-sources.ts";

// OpenLIT. Its model calls follow OpenTelemetry GenAI; the tool attributes on them are the calls of the completion,
// recorded with content off too.
// Source: openlit 1.15.0 (JavaScript); captured spans.
//
// | key                                        | meaning                                                          |
// | ------------------------------------------ | ---------------------------------------------------------------- |
// | telemetry.sdk.name                         | `openlit`                                                        |
// | gen_ai.tool.name, gen_ai.tool.call.id      | LLM: names and ids of the calls, joined by commas when parallel  |
// | gen_ai.tool.args                           | LLM: their arguments, joined likewise                            |
//
// On the Responses API there are names without ids: these are the tools on offer, no calls.

const SDK = "telemetry.sdk.name";

/** OpenLIT. */
export const openLit: Convention = {
  name: "openlit",
  markers: [SDK],
  content: ["gen_ai.tool.args"],
  rules: [
    {
      // Tool attributes make no TOOL of a model call; a span that says neither is left to the rules below.
      precedence: PRECEDENCE.toolShape,
      decide: (span) =>
        isOpenLit(span) && text(span.attributes, "gen_ai.request.model") !== undefined ? "LLM" : undefined,
    },
  ],
  outputs: outputsOf,
};

function isOpenLit(span: SpanView): boolean {
  return own(span.attributes, SDK) === "openlit";
}

function outputsOf(span: SpanView, keep: KeepContent): readonly OutputSource[] {
  const { attributes } = span;
  const names = text(attributes, "gen_ai.tool.name");
  const ids = text(attributes, "gen_ai.tool.call.id");
  if (!isOpenLit(span) || names === undefined || ids === undefined) return [];
  const args = own(attributes, "gen_ai.tool.args");
  const source = wholeOutput({ names, ids, args: typeof args === "string" ? args : "" }, keep, readJoined);
  return source === undefined ? [] : [source];
}

function readJoined(decoded: unknown, into: OutputCollector): void {
  const names = listOf(textMember(decoded, "names"));
  const ids = listOf(textMember(decoded, "ids"));
  if (names.length !== ids.length) return;
  const args = decodeJson(`[${textMember(decoded, "args") ?? ""}]`);
  const known: readonly unknown[] = Array.isArray(args) && args.length === names.length ? args : [];
  for (const [index, name] of names.entries()) into.add(name, ids[index], known[index]);
}

function listOf(joined: string | undefined): readonly string[] {
  return joined === undefined ? [] : joined.split(",").map((part) => part.trim());
}
