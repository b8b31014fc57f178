import type { Content, SpanView } from "../model/span.ts";
import { own } from "./attributes.ts";
import type { OutputCollector } from "./calls.ts";
import type { KeepContent, OutputSource } from "./convention.ts";
import { type FlatEntry, flatEntries, flatOutput, indexOf, wholeOutput } from "./output-sources.ts";

// Where OpenInference LLM spans record what the model answered, best first.
//
// | place                                                                       | shape                                |
// | --------------------------------------------------------------------------- | ------------------------------------ |
// | llm.output_messages.N.message.tool_calls.K.tool_call.{id,function.*}         | calls; indexes may have gaps         |
// | llm.output_messages.N.message.contents.K.tool_call.*                        | the same calls again (Anthropic)     |
// | llm.output_messages.N.message.{function_call_name,…_arguments_json}          | one call (legacy)                    |
// | llm.output_messages.N.message.content, .contents.K.message_content.text     | text                                 |
// | output.value                                                                | the provider's response, or text     |

const PREFIX = "llm.output_messages.";

/** Every place of the span that holds output. */
export function outputsOf(span: SpanView, keep: KeepContent): readonly OutputSource[] {
  const entries = flatEntries(span.attributes, PREFIX, keep);
  const sources: OutputSource[] = entries.length === 0 ? [] : [flatOutput(entries, readFlat)];
  // The raw response repeats the messages; it is held only where they show no call.
  if (!entries.some(({ key }) => key.includes("tool_call.") || key.includes("function_call"))) {
    const whole = wholeOutput(own(span.attributes, "output.value"), keep);
    if (whole !== undefined) sources.push(whole);
  }
  return sources;
}

interface FlatCall {
  name?: string;
  id?: string;
  args?: Content;
}

interface FlatMessage {
  /** By place: `tool_calls` come first, `contents` only count where there are none. */
  readonly calls: Map<number, FlatCall>;
  readonly contents: Map<number, FlatCall>;
  readonly legacy: FlatCall;
}

function readFlat(entries: readonly FlatEntry[], into: OutputCollector): void {
  const messages = new Map<number, FlatMessage>();
  for (const { key, content } of entries) {
    const path = key.slice(PREFIX.length).split(".");
    const index = indexOf(path[0]);
    if (index === -1 || content === undefined) continue;
    const message = messages.get(index) ?? { calls: new Map(), contents: new Map(), legacy: {} };
    messages.set(index, message);
    place(message, path.slice(2), content, into);
  }
  for (const [, message] of [...messages].sort(([a], [b]) => a - b)) {
    const calls = message.calls.size > 0 ? message.calls : message.contents;
    for (const [, call] of [...calls].sort(([a], [b]) => a - b)) addCall(call, into);
    addCall(message.legacy, into);
  }
}

/** `path` is what follows `N.message.`. */
function place(message: FlatMessage, path: readonly string[], content: Content, into: OutputCollector): void {
  const [list, position, ...rest] = path;
  if (list === "content") into.addText(content.cut ? "cut" : content.value);
  else if (list === "function_call_name") setMember(message.legacy, "name", content);
  else if (list === "function_call_arguments_json") setMember(message.legacy, "arguments", content);
  else if (list === "contents" && rest.join(".") === "message_content.text") into.addText(content.value);
  else if ((list === "tool_calls" || list === "contents") && rest[0] === "tool_call") {
    const index = indexOf(position);
    if (index === -1) return;
    const calls = list === "tool_calls" ? message.calls : message.contents;
    const call = calls.get(index) ?? {};
    calls.set(index, call);
    setMember(call, rest.at(-1), content);
  }
}

function setMember(call: FlatCall, key: string | undefined, content: Content): void {
  if (key === "arguments") call.args = content;
  else if (typeof content.value === "string" && (key === "name" || key === "id")) call[key] = content.value;
}

function addCall(call: FlatCall, into: OutputCollector): void {
  if (call.name !== undefined) into.add(call.name, call.id, call.args?.value, call.args?.cut);
}
