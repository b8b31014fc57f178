import type { AttributeMap, SpanView } from "../model/span.ts";
import { type ReadArguments, readArguments } from "./arguments.ts";
import { has, own, text } from "./attributes.ts";
import { type Convention, type KeepContent, PRECEDENCE, type ToolReading, type Verdict } from "./convention.ts";
import { decodeJson, isRecord, member, scanTextPath } from "./json.ts";

// Traceloop / OpenLLMetry: its decorators and its instrumentations of LangChain, MCP, LlamaIndex and CrewAI. Its model
// calls are OpenTelemetry GenAI, the flattened older shape too, and are read there. Its processor rewrites spans of the
// Vercel AI SDK as they start and end; both shapes are read, since `ai.operationId` stays.
// Source: @traceloop/node-server-sdk, instrumentation-langchain, -mcp, -utils and ai-semantic-conventions 0.27.0;
// traceloop/openllmetry packages/opentelemetry-instrumentation-llamaindex; captured spans.
//
// | key                          | meaning                                                                        |
// | ---------------------------- | ------------------------------------------------------------------------------ |
// | traceloop.span.kind          | `tool`, `agent`; `workflow`, `task`, `session` say nothing                     |
// | names `X.tool`, `X.agent`    | TOOL, AGENT, where another `traceloop.*` key is present                        |
// | traceloop.entity.name        | name; of LangChain's tools the class                                           |
// | traceloop.entity.input       | TOOL: `{args, kwargs}`, `{tool_name, arguments}` (MCP), or the arguments       |
// | traceloop.entity.output      | TOOL: LangChain's message with the tool's real name and call id                |

const KIND = "traceloop.span.kind";
const ENTITY = "traceloop.entity.name";
const WORKFLOW = "traceloop.workflow.name";
const INPUT = "traceloop.entity.input";
const OUTPUT = "traceloop.entity.output";
const TOOL_SUFFIX = ".tool";

const KINDS: ReadonlyMap<unknown, Verdict> = new Map<unknown, Verdict>([
  ["tool", "TOOL"],
  ["agent", "AGENT"],
]);

/** Traceloop. */
export const traceloop: Convention = {
  name: "traceloop",
  markers: [KIND, ENTITY, INPUT, WORKFLOW],
  content: [OUTPUT],
  rules: [
    { precedence: PRECEDENCE.traceloop, decide: (span) => KINDS.get(own(span.attributes, KIND)) },
    { precedence: PRECEDENCE.spanName, decide: kindOfSuffix },
  ],
  tool: readTool,
  agent: (span) => (own(span.attributes, KIND) === "agent" ? text(span.attributes, ENTITY) : undefined),
};

/** Instrumentations write other kinds than these two; a span with one is what it says. */
function kindOfSuffix({ name, attributes }: SpanView): Verdict | undefined {
  if (has(attributes, KIND) || !isTraceloop(attributes)) return undefined;
  if (name.endsWith(TOOL_SUFFIX)) return "TOOL";
  return name.endsWith(".agent") ? "AGENT" : undefined;
}

function readTool(span: SpanView, keep: KeepContent): ToolReading | undefined {
  const { name, attributes } = span;
  if (!isTraceloop(attributes)) return undefined;
  const args = keep(own(attributes, INPUT));
  const output = text(attributes, OUTPUT);
  // LangChain's tools are named after their class; the message that they return has the name.
  if (own(attributes, KIND) === "task" && output !== undefined) {
    const callId = scanTextPath(output, ["kwargs", "tool_call_id"]);
    return { name: scanTextPath(output, ["kwargs", "name"]), callId, args, readArgs: readWrapped };
  }
  const entity = text(attributes, ENTITY);
  const named = entity ?? (name.endsWith(TOOL_SUFFIX) ? name.slice(0, -TOOL_SUFFIX.length) : undefined);
  return { name: named, args, readArgs: readWrapped };
}

function isTraceloop(attributes: AttributeMap): boolean {
  return has(attributes, KIND) || has(attributes, ENTITY) || has(attributes, WORKFLOW);
}

/** Takes the arguments out of what decorators and instrumentations put around them. */
function readWrapped(value: unknown): ReadArguments {
  const decoded = decodeJson(value);
  const list = member(decoded, "args");
  const named = member(decoded, "kwargs");
  if (Array.isArray(list) && (named === undefined || isRecord(named))) {
    if (isRecord(named) && Object.keys(named).length > 0) return { value: named, status: "ok" };
    if (list.length === 0) return { value: named ?? {}, status: "ok" };
    return readArguments(list.length === 1 ? list[0] : list);
  }
  if (typeof member(decoded, "tool_name") === "string" && isRecord(decoded) && Object.hasOwn(decoded, "arguments")) {
    return readArguments(decoded.arguments);
  }
  return readArguments(value);
}
