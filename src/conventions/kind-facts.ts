import { bareToolName } from "../model/names.ts";
import type { Kind, KindFacts, ReadOutput, SpanFacts, SpanView } from "../model/span.ts";
import { readArguments } from "./arguments.ts";
import { has, hasEvent, text } from "./attributes.ts";
import { bytesOf } from "./content.ts";
import type { Convention, KeepContent, OutputSource, ToolReading } from "./convention.ts";
import { saysTools } from "./finish-reason.ts";
import type { CompiledRule } from "./marker-table.ts";
import { MCP_METHOD } from "./mcp.ts";
import { toolNameOfSpan } from "./names.ts";

/** A span's kind with the facts that go with it. */
export interface KindReading {
  readonly kind: Kind | undefined;
  readonly facts: KindFacts | undefined;
  readonly convention: string;
  readonly failure: SpanFacts["failure"];
  readonly bytes: number;
}

const NO_KIND: KindReading = Object.freeze({
  kind: undefined,
  facts: undefined,
  convention: "none",
  failure: undefined,
  bytes: 0,
});

/** Asks the rules in order of precedence, then reads what the kind needs. `bits` are the conventions concerned. */
export function readKind(
  view: SpanView,
  bits: number,
  conventions: readonly Convention[],
  rules: readonly CompiledRule[],
  keep: KeepContent,
): KindReading {
  if (bits === 0) return NO_KIND;
  for (const rule of rules) {
    if ((rule.bit & bits) === 0) continue;
    const verdict = rule.decide(view);
    if (verdict === undefined) continue;
    if (verdict === "NONE") return excluded(view, rule.convention);
    const asked = conventions.filter((one, index) => (bits & (1 << index)) !== 0 && one !== rule.convention);
    return readFacts(view, verdict, [rule.convention, ...asked], keep);
  }
  return NO_KIND;
}

function excluded(view: SpanView, convention: Convention): KindReading {
  return { ...NO_KIND, convention: convention.name, failure: convention.failureReport?.(view) };
}

/** `asked` begins with the convention that decided, so that name and arguments come from one dialect where possible. */
function readFacts(view: SpanView, kind: Kind, asked: readonly Convention[], keep: KeepContent): KindReading {
  const reading = { kind, convention: asked[0]?.name ?? "", failure: undefined };
  if (kind === "TOOL") {
    const facts = toolFacts(view, asked, keep);
    return { ...reading, facts, bytes: 200 + bytesOf(facts.args) };
  }
  if (kind === "AGENT") return { ...reading, facts: agentFacts(view, asked), bytes: 200 };
  const sources = asked.flatMap((convention) => convention.outputs?.(view, keep) ?? []);
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 300);
  return { ...reading, facts: modelFacts(view, asked, sources), bytes };
}

function toolFacts(view: SpanView, asked: readonly Convention[], keep: KeepContent): KindFacts {
  const readings = asked.map((convention) => convention.tool?.(view, keep)).filter((one) => one !== undefined);
  const rawName =
    text(view.attributes, "aip.tool.name") ??
    readings.find((one) => one.name !== undefined)?.name ??
    toolNameOfSpan(view.name);
  const source: ToolReading | undefined =
    readings.find((one) => one.args !== undefined && !one.args.cut) ?? readings.find((one) => one.args !== undefined);
  return {
    ...BASE_FACTS,
    name: bareToolName(rawName),
    raw_name: rawName,
    call_id: readings.find((one) => one.callId !== undefined)?.callId ?? "",
    mcp: view.span_kind === "SERVER" || has(view.attributes, MCP_METHOD),
    failed: hasFailed(view, "TOOL", asked),
    ...(source?.args === undefined ? {} : { args: source.args, readArgs: source.readArgs ?? readArguments }),
  };
}

function agentFacts(view: SpanView, asked: readonly Convention[]): KindFacts {
  let identity = text(view.attributes, "aip.agent.name");
  for (const convention of asked) identity ??= convention.agent?.(view);
  const name = identity ?? view.name;
  const nameless = identity === undefined && asked.some((convention) => convention.nameless?.(view) === true);
  return { ...BASE_FACTS, name, raw_name: name, nameless, failed: hasFailed(view, "AGENT", asked) };
}

function modelFacts(view: SpanView, asked: readonly Convention[], sources: readonly OutputSource[]): KindFacts {
  return {
    ...BASE_FACTS,
    name: view.name,
    raw_name: view.name,
    failed: hasFailed(view, "LLM", asked),
    ...(sources.length === 0 ? {} : { readOutput: outputReader(sources) }),
    finished_for_tools: asked.some((convention) => saysTools(convention.finishReason?.(view))),
    output_tokens: asked.some((convention) => Number(convention.outputTokens?.(view)) > 0),
  };
}

const BASE_FACTS = {
  nameless: false,
  call_id: "",
  mcp: false,
  failed: false,
  finished_for_tools: false,
  output_tokens: false,
} as const;

/** Captures the sources alone, so that the span itself can be let go. */
function outputReader(sources: readonly OutputSource[]): () => ReadOutput {
  return () => {
    let empty = true;
    for (const source of sources) {
      const output = source.read();
      // The first place that shows a call is read; the others repeat it.
      if (output.calls.length > 0) return output;
      if (!output.empty) empty = false;
    }
    return { calls: [], has_output: true, empty };
  };
}

/** What the conventions say beats the general signs: an ERROR status, `error.type`, an `exception` event. */
function hasFailed(view: SpanView, kind: Kind, asked: readonly Convention[]): boolean {
  for (const convention of asked) {
    const failed = convention.failed?.(view, kind);
    if (failed !== undefined) return failed;
  }
  return view.status === "ERROR" || text(view.attributes, "error.type") !== undefined || hasEvent(view, "exception");
}
