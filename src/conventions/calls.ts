import type { EmbeddedCall, ReadOutput } from "../model/span.ts";
import { readArguments } from "./arguments.ts";
import { saysTools } from "./finish-reason.ts";
import { isRecord, member, textMember } from "./json.ts";

/** Types of message parts that are tool calls. */
const CALL_TYPES: ReadonlySet<unknown> = new Set([
  "tool_call",
  "tool-call",
  "tool_use",
  "function_call",
  "function",
  "custom_tool_call",
  "server_tool_call",
  "server_tool_use",
  "mcp_tool_use",
  "toolUse",
]);

/** Types of message parts that say nothing about what the model answered. */
const SILENT_TYPES: ReadonlySet<unknown> = new Set([
  "reasoning",
  "thinking",
  "redacted_thinking",
  "tool_call_response",
  "server_tool_call_response",
  "tool_result",
  "tool-result",
  "toolResult",
]);

/** Members in which messages hold their parts, in the order in which they are read. */
const PART_KEYS = ["message", "output", "text", "content", "parts", "tool_calls", "toolCalls", "generations", "kwargs"];

/** Lists of alternatives: the first one is what the agent went on with. */
const CHOICE_KEYS = ["choices", "candidates"];

/** Members in which messages and choices say why the model stopped. */
const FINISH_KEYS = ["finish_reason", "finishReason", "stop_reason"];

const MAX_DEPTH = 12;
const MAX_CALLS = 1_000;

/** Collects what completions hold: tool calls in completion order, and whether there was text. */
export class OutputCollector {
  readonly #calls: EmbeddedCall[] = [];
  readonly #seen = new Set<string>();
  #text = false;
  #finishedForTools = false;

  /** Adds one call; a second record of one call id (some emitters write each call twice) is left out. */
  add(name: string, callId: string | undefined, rawArguments: unknown, cut = false): void {
    if (this.#calls.length >= MAX_CALLS) return;
    if (callId !== undefined) {
      const key = JSON.stringify([callId, name]);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
    }
    this.#calls.push(embeddedCall(name, callId, rawArguments, cut));
  }

  addText(value: unknown): void {
    if (typeof value === "string" && value.trim() !== "") this.#text = true;
  }

  /** Walks a decoded completion of any provider's shape. */
  walk(value: unknown, depth = 0): void {
    if (depth > MAX_DEPTH) return;
    if (typeof value === "string") this.addText(value);
    else if (Array.isArray(value)) for (const item of value) this.walk(item, depth + 1);
    else if (isRecord(value)) this.#walkRecord(value, depth);
  }

  /** What was collected, for an output that was recorded. */
  result(): ReadOutput {
    const empty = this.#calls.length === 0 && !this.#text;
    return { calls: this.#calls, has_output: true, empty, finished_for_tools: this.#finishedForTools };
  }

  #walkRecord(record: Readonly<Record<string, unknown>>, depth: number): void {
    const found = callIn(record);
    if (found !== undefined) this.add(found.name, found.callId, found.args);
    if (found !== undefined || SILENT_TYPES.has(record.type)) return;
    if (record.type !== undefined && ["blob", "file", "uri", "image"].includes(String(record.type))) this.#text = true;
    for (const key of FINISH_KEYS) if (saysTools(member(record, key))) this.#finishedForTools = true;
    for (const key of CHOICE_KEYS) {
      const choices = member(record, key);
      if (Array.isArray(choices)) this.walk(choices[0], depth + 1);
    }
    for (const key of PART_KEYS) if (Object.hasOwn(record, key)) this.walk(record[key], depth + 1);
  }
}

interface FoundCall {
  readonly name: string;
  readonly callId: string | undefined;
  readonly args: unknown;
}

/** Recognises one tool call in the shapes of the providers and frameworks. */
function callIn(record: Readonly<Record<string, unknown>>): FoundCall | undefined {
  for (const key of ["toolUse", "toolRequest", "functionCall", "function_call"]) {
    const inner = member(record, key);
    if (isRecord(inner)) return named(inner, record);
  }
  const inner = member(record, "function");
  if (isRecord(inner)) return named(inner, record);
  if (textMember(record, "toolName") !== undefined && member(record, "result") === undefined) {
    return record.type === "tool-result" ? undefined : named(record, record);
  }
  return CALL_TYPES.has(record.type) ? named(record, record) : undefined;
}

function named(
  inner: Readonly<Record<string, unknown>>,
  outer: Readonly<Record<string, unknown>>,
): FoundCall | undefined {
  const name = textMember(inner, "name", "toolName");
  if (name === undefined) return undefined;
  const callId =
    textMember(inner, "id", "toolCallId", "toolUseId", "call_id", "ref") ?? textMember(outer, "id", "call_id");
  return { name, callId, args: argumentsIn(inner) };
}

function argumentsIn(record: Readonly<Record<string, unknown>>): unknown {
  for (const key of ["arguments", "args", "input"]) if (Object.hasOwn(record, key)) return record[key];
  const server = member(record, "server_tool_call");
  if (!isRecord(server)) return undefined;
  return Object.fromEntries(Object.entries(server).filter(([key]) => key !== "type"));
}

function embeddedCall(name: string, callId: string | undefined, raw: unknown, cut: boolean): EmbeddedCall {
  const id = callId === undefined ? {} : { call_id: callId };
  if (cut) return { name, ...id, args_status: "truncated" };
  const { value, status } = readArguments(raw);
  return status === "absent" ? { name, ...id, args_status: status } : { name, ...id, args: value, args_status: status };
}
