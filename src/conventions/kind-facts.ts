import { bareToolName } from "../model/names.ts";
import type { Content, Kind, KindFacts, ReadOutput, SpanFacts, SpanView } from "../model/span.ts";
import { readArguments } from "./arguments.ts";
import { has, hasEvent, text } from "./attributes.ts";
import { bytesOf } from "./content.ts";
import type { Convention, KeepContent, OutputSource } from "./convention.ts";
import { saysTools } from "./finish-reason.ts";
import { type MappedSpan, mappedConvention } from "./map-span.ts";
import type { Plan } from "./marker-table.ts";
import { MCP_METHOD } from "./mcp.ts";
import { toolNameOfSpan } from "./names.ts";

/** A span's kind with the facts that go with it. */
export interface KindReading {
  readonly kind: Kind | undefined;
  readonly facts: KindFacts | undefined;
  readonly convention: string;
  readonly failure: SpanFacts["failure"];
  readonly carried: SpanFacts["carried"];
  readonly bytes: number;
}

/** For building facts field by field: copying objects by spread costs several times as much in this hot place. */
type Draft = { -readonly [Key in keyof KindFacts]: KindFacts[Key] };

export const NO_KIND: KindReading = Object.freeze({
  kind: undefined,
  facts: undefined,
  convention: "none",
  failure: undefined,
  carried: undefined,
  bytes: 0,
});

/** What facts of one kind occupy without their texts. */
const FACT_BYTES = 200;

/** Longest name of a tool or agent, and longest call id, in characters; the rest of a longer one is cut off. */
const MAX_NAME_LENGTH = 1_024;

/** Asks the rules in order of precedence, then reads what the kind needs. */
export function readKind(view: SpanView, plan: Plan, keep: KeepContent): KindReading {
  for (const rule of plan.rules) {
    const verdict = rule.decide(view);
    if (verdict === undefined) continue;
    const { convention } = rule;
    if (verdict === "NONE") return excluded(view, convention, keep);
    return readFacts(view, verdict, startingWith(convention, plan.conventions), keep);
  }
  return NO_KIND;
}

/** What the user's hook says of a span; what it leaves open is filled from the conventions. */
export function readMapped(
  view: SpanView,
  mapped: MappedSpan,
  conventions: readonly Convention[],
  keep: KeepContent,
): KindReading {
  const convention = mappedConvention(mapped);
  if (mapped.kind === "NONE") return { ...NO_KIND, convention: convention.name };
  const reading = readFacts(view, mapped.kind, startingWith(convention, conventions), keep);
  const { name } = mapped;
  if (name === undefined || reading.facts === undefined) return reading;
  // The hook's name goes before `aip.agent.name` and `aip.tool.name` on the span.
  const raw_name = shortened(name);
  const named = { name: mapped.kind === "TOOL" ? bareToolName(raw_name) : raw_name, raw_name, nameless: false };
  return { ...reading, facts: { ...reading.facts, ...named } };
}

/** The convention that decided comes first, so that name and arguments come from one dialect where possible. */
function startingWith(first: Convention, conventions: readonly Convention[]): readonly Convention[] {
  if (conventions[0] === first) return conventions;
  const asked = [first];
  for (const other of conventions) if (other !== first) asked.push(other);
  return asked;
}

function excluded(view: SpanView, convention: Convention, keep: KeepContent): KindReading {
  const failure = convention.failureReport?.(view);
  const sources = convention.carriedOutputs?.(view, keep) ?? [];
  const carried = sources.length === 0 ? undefined : outputReader(sources);
  let bytes = 0;
  for (const source of sources) bytes += source.bytes;
  return { kind: undefined, facts: undefined, convention: convention.name, failure, carried, bytes };
}

function readFacts(view: SpanView, kind: Kind, asked: readonly Convention[], keep: KeepContent): KindReading {
  const facts = draftOf(view, kind, asked);
  let bytes = FACT_BYTES;
  if (kind === "TOOL") bytes += readTool(view, asked, keep, facts);
  else if (kind === "AGENT") readAgent(view, asked, facts);
  else bytes += readModel(view, asked, keep, facts);
  return { kind, facts, convention: asked[0]?.name ?? "", failure: undefined, carried: undefined, bytes };
}

function draftOf(view: SpanView, kind: Kind, asked: readonly Convention[]): Draft {
  return {
    name: shortened(view.name),
    raw_name: shortened(view.name),
    nameless: false,
    call_id: "",
    mcp: false,
    failed: hasFailed(view, kind, asked),
    finished_for_tools: false,
    output_tokens: false,
  };
}

/** Fills in a TOOL span's facts; gaps of one convention are filled from the next. Returns the bytes held. */
function readTool(view: SpanView, asked: readonly Convention[], keep: KeepContent, facts: Draft): number {
  let name = text(view.attributes, "aip.tool.name");
  let args: Content | undefined;
  for (const convention of asked) {
    const reading = convention.tool?.(view, keep);
    if (reading === undefined) continue;
    name ??= reading.name;
    if (facts.call_id === "" && reading.callId !== undefined) facts.call_id = shortened(reading.callId);
    // Content that was cut gives way to content that is whole.
    if (reading.args === undefined || (args !== undefined && (!args.cut || reading.args.cut))) continue;
    args = reading.args;
    facts.args = reading.args;
    facts.readArgs = reading.readArgs ?? readArguments;
  }
  facts.raw_name = shortened(name ?? toolNameOfSpan(view.name));
  facts.name = bareToolName(facts.raw_name);
  facts.mcp = view.span_kind === "SERVER" || has(view.attributes, MCP_METHOD);
  return bytesOf(args);
}

/** A text of sane length. The part of a longer one is a copy, which does not hold on to the whole. */
function shortened(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : ` ${name.slice(0, MAX_NAME_LENGTH)}`.slice(1);
}

function readAgent(view: SpanView, asked: readonly Convention[], facts: Draft): void {
  let identity = text(view.attributes, "aip.agent.name");
  for (const convention of asked) identity ??= convention.agent?.(view);
  for (const convention of asked) identity ??= convention.agentId?.(view);
  facts.nameless = identity === undefined && asked.some((convention) => convention.nameless?.(view) === true);
  facts.name = shortened(identity ?? view.name);
  facts.raw_name = facts.name;
}

/** Fills in an LLM span's facts; its output is parsed when asked for. Returns the bytes held. */
function readModel(view: SpanView, asked: readonly Convention[], keep: KeepContent, facts: Draft): number {
  const sources: OutputSource[] = [];
  let bytes = 0;
  for (const convention of asked) {
    for (const source of convention.outputs?.(view, keep) ?? []) {
      sources.push(source);
      bytes += source.bytes;
    }
    if (saysTools(convention.finishReason?.(view))) facts.finished_for_tools = true;
    if (isPositive(convention.outputTokens?.(view))) facts.output_tokens = true;
  }
  if (sources.length > 0) facts.readOutput = outputReader(sources);
  return bytes;
}

/** Looks at numbers and texts only: converting an object would run its code. */
function isPositive(count: unknown): boolean {
  return (typeof count === "number" || typeof count === "string") && Number(count) > 0;
}

/** Captures the sources alone, so that the span itself can be let go. */
function outputReader(sources: readonly OutputSource[]): () => ReadOutput {
  return () => {
    let empty = true;
    let finishedForTools = false;
    for (const source of sources) {
      const output = source.read();
      // The first place that shows a call is read; the others repeat it.
      if (output.calls.length > 0) return output;
      if (!output.empty) empty = false;
      if (output.finished_for_tools === true) finishedForTools = true;
    }
    return { calls: [], has_output: true, empty, finished_for_tools: finishedForTools };
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
