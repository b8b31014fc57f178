import { createSpanReader } from "../../src/conventions/read-span.ts";
import { SESSION_KEYS } from "../../src/conventions/session-keys.ts";
import { normalizeName } from "../../src/model/names.ts";
import type { SpanFacts } from "../../src/model/span.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { assembleTrace } from "../../src/trajectory/assemble.ts";
import { type Capture, captures, captureText } from "./captures.ts";
import { viewsOfOtlp } from "./read-traces.ts";

/** What an instrumentation leaves out, in words. Keys are folders, with or without their version. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "anthropic-sdk-native": "names of agents; content unless asked for",
  ax: "arguments, names of agents",
  "claude-code-native": "arguments, names of agents, calls of completions",
  "elastic-openai": "messages (they are log records)",
  genkit: "sessions; agents are tools or flows",
  laminar: "agents (`observe()` says no kind)",
  langsmith: "agents (they are chains); anything of LangChain without a span around it",
  "openinference-beeai": "names of agents; durations",
  "openinference-claude-agent-sdk": "names of agents, model calls",
  "openinference-langchain": "the name of a single argument; agents of createReactAgent and supervisors",
  openlit: "calls on the Responses API",
  "otel-contrib-openai": "messages (they are log records)",
  "sentry-langchain": "tools (read from completions)",
  "traceloop-langchain": "names of tools that failed, agents, calls of completions; parents outside of a workflow",
  "traceloop-llamaindex": "everything (no span of the framework)",
  "traceloop-openai": "calls on the Responses API; decorated tools that throw",
  "vercel-ai": "tools that the provider runs, where others ran too",
  "vercel-ai@7.0.173": "a session",
  voltagent: "calls of completions",
};

interface Row {
  readonly framework: string;
  readonly version: string;
  readonly read: readonly Read[];
}

/** One captured file as we read it. */
interface Read {
  readonly capture: Capture;
  readonly spans: readonly SpanFacts[];
  readonly steps: readonly Step[];
  readonly tools: readonly Step[];
  readonly named: boolean;
}

/** The table of docs/conventions.md, out of the captures. */
export function conventionsTable(): string {
  const lines = rows().map(({ framework, version, read }) => {
    const cells = [toolSteps(read), agentSteps(read), args(read), embedded(read), session(read), contentOff(read)];
    return `| ${framework} | ${version} | ${cells.join(" | ")} | ${LEFT_OUT[`${framework}@${version}`] ?? LEFT_OUT[framework] ?? ""} | ${read.length} |`;
  });
  const head =
    "tool steps | agent steps | arguments | embedded calls | session | content off | does not record | files";
  return [`| instrumentation | version | ${head} |`, `|${" --- |".repeat(10)}`, ...lines].join("\n");
}

/** Keys of {@link LEFT_OUT} that name no instrumentation. */
export function unknownRemarks(): readonly string[] {
  const known = new Set(rows().flatMap(({ framework, version }) => [framework, `${framework}@${version}`]));
  return Object.keys(LEFT_OUT).filter((name) => !known.has(name));
}

function rows(): readonly Row[] {
  const byFolder = new Map<string, Read[]>();
  for (const capture of captures()) {
    const folder = capture.file.slice(0, capture.file.indexOf("/"));
    const list = byFolder.get(folder);
    if (list === undefined) byFolder.set(folder, [readCapture(capture)]);
    else list.push(readCapture(capture));
  }
  return [...byFolder].map(([folder, read]) => {
    const at = folder.lastIndexOf("@");
    return { framework: folder.slice(0, at), version: folder.slice(at + 1), read };
  });
}

function readCapture(capture: Capture): Read {
  const reader = createSpanReader();
  const spans = viewsOfOtlp(captureText(capture)).map((view, seq) => reader.read(view, seq));
  const ids = [...new Set(spans.map((span) => span.trace_id))];
  const traces = ids.map((id) => assembleTrace(spans.filter((span) => span.trace_id === id)));
  return {
    capture,
    spans,
    steps: traces.flatMap((trace) => trace.steps.map(({ step }) => step)),
    tools: traces.flatMap((trace) => trace.tools.map(({ step }) => step)),
    named: spans.some((span) => span.kind === "AGENT" && span.facts?.nameless === false),
  };
}

const isContentOff = ({ capture }: Read): boolean => capture.file.includes(".nocontent.");
const withContent = (read: readonly Read[]): readonly Read[] => read.filter((one) => !isContentOff(one));

function toolSteps(read: readonly Read[]): string {
  const sources = new Set(read.flatMap(({ tools }) => tools.map(({ source }) => source)));
  if (sources.has("span")) return "spans";
  return sources.has("completion") ? "completions" : "none";
}

function agentSteps(read: readonly Read[]): string {
  if (read.some(({ steps }) => steps.some(({ kind }) => kind === "AGENT"))) return "yes";
  if (read.some(({ named }) => named)) return "entry agent";
  return read.some(({ spans }) => spans.some(({ kind }) => kind === "AGENT")) ? "unnamed" : "no";
}

/** Of the tools that the scenario has; what delegations are called with is the framework's own business. */
function args(read: readonly Read[]): string {
  const statuses = withContent(read).flatMap(({ capture, tools }) => {
    const names = new Set(capture.truth.filter(({ kind }) => kind === "tool").map(({ name }) => normalizeName(name)));
    return tools.filter(({ name }) => names.has(normalizeName(name))).map(({ args_status }) => args_status);
  });
  if (statuses.length === 0) return "-";
  const ok = statuses.filter((status) => status === "ok").length;
  return ok === statuses.length ? "yes" : ok === 0 ? "no" : "some";
}

function embedded(read: readonly Read[]): string {
  const spans = withContent(read).flatMap((one) => one.spans);
  if (spans.length === 0) return "-";
  if (!spans.some(({ kind }) => kind === "LLM")) return "no model calls";
  return spans.some(({ facts, carried }) => ((facts?.readOutput ?? carried)?.().calls.length ?? 0) > 0) ? "yes" : "no";
}

function session(read: readonly Read[]): string {
  const best = Math.min(...read.flatMap(({ spans }) => spans.map((span) => span.session?.rank ?? Number.MAX_VALUE)));
  const key = SESSION_KEYS[best];
  return key === undefined ? "-" : `\`${key}\``;
}

function contentOff(read: readonly Read[]): string {
  const off = read.filter(isContentOff);
  if (off.length === 0) return "not tried";
  if (!off.some(({ tools }) => tools.length > 0)) return "not recorded";
  return off.some(({ tools }) => tools.some(({ args_status }) => args_status === "ok")) ? "names, arguments" : "names";
}
