import type { SpanEvent, SpanView } from "../model/span.ts";
import { eventAttributes, firstValue, own } from "./attributes.ts";
import type { OutputCollector } from "./calls.ts";
import type { KeepContent, OutputSource } from "./convention.ts";
import { isRecord, member } from "./json.ts";
import { type FlatEntry, flatEntries, flatOutput, indexOf, wholeOutput } from "./output-sources.ts";

// Where OpenTelemetry GenAI spans record what the model answered, best first.
//
// | place                                               | shape                                                      |
// | --------------------------------------------------- | ---------------------------------------------------------- |
// | gen_ai.output.messages                              | messages of parts; a call is `type: tool_call`             |
// | gen_ai.completion.N.*                               | flattened messages of OpenLLMetry up to 0.22; N is a choice |
// | event gen_ai.choice                                 | `message`, `tool_calls`, `content` (1.28 to 1.36, Strands)  |
// | event gen_ai.client.inference.operation.details     | `gen_ai.output.messages` (1.37, Strands)                   |
// | event gen_ai.content.completion, gen_ai.completion  | up to 1.27                                                 |

const MESSAGES = "gen_ai.output.messages";
const FLAT = "gen_ai.completion.";
const STOP_KEYS = ["gen_ai.response.finish_reasons", "gen_ai.response.stop_reason"] as const;

/** Every place of the span that holds output. */
export function outputsOf(span: SpanView, keep: KeepContent): readonly OutputSource[] {
  const { attributes } = span;
  const sources: OutputSource[] = [];
  const add = (source: OutputSource | undefined): void => {
    if (source !== undefined) sources.push(source);
  };
  add(wholeOutput(own(attributes, MESSAGES), keep, readMessages));
  const flat = flatEntries(attributes, FLAT, keep);
  if (flat.length > 0) add(flatOutput(flat, readFlat));
  for (const event of span.events) addEvent(event, keep, add);
  add(wholeOutput(own(attributes, "gen_ai.completion"), keep));
  return sources;
}

/** The recorded reason, on the span, else on its choice event. */
export function finishReasonOf(span: SpanView): unknown {
  const recorded = firstValue(span.attributes, STOP_KEYS) ?? own(span.attributes, `${FLAT}0.finish_reason`);
  if (recorded !== undefined) return recorded;
  for (const event of span.events) {
    if (event?.name === "gen_ai.choice") return own(eventAttributes(event), "finish_reason");
  }
  return undefined;
}

function addEvent(
  event: SpanEvent | undefined,
  keep: KeepContent,
  add: (source: OutputSource | undefined) => void,
): void {
  const name = event?.name;
  if (name === "gen_ai.choice") {
    const attributes = eventAttributes(event);
    const index = own(attributes, "index");
    if (typeof index === "number" && index > 0) return;
    for (const key of ["message", "tool_calls", "content"]) add(wholeOutput(own(attributes, key), keep));
  } else if (name === "gen_ai.client.inference.operation.details") {
    add(wholeOutput(own(eventAttributes(event), MESSAGES), keep, readMessages));
  } else if (name === "gen_ai.content.completion") {
    add(wholeOutput(own(eventAttributes(event), "gen_ai.completion"), keep));
  }
}

/**
 * Several messages that each say why they ended are alternatives of one completion: the first is what the agent went
 * on with. Without finish reasons they are one answer in several messages.
 */
function readMessages(decoded: unknown, into: OutputCollector): void {
  const messages: readonly unknown[] = Array.isArray(decoded) ? decoded : [decoded];
  const alternatives = messages.every((message) => member(message, "finish_reason") !== undefined);
  into.walk(alternatives ? messages[0] : messages);
}

interface FlatCall {
  name?: string;
  id?: string;
  args?: unknown;
  cut?: boolean;
}

/** `gen_ai.completion.0.tool_calls.K.{id,name,arguments}`, and the older `gen_ai.completion.0.function_call.*`. */
function readFlat(entries: readonly FlatEntry[], into: OutputCollector): void {
  const calls = new Map<number, FlatCall>();
  for (const { key, content } of entries) {
    const path = key.slice(FLAT.length).split(".");
    if (indexOf(path[0]) !== 0 || content === undefined) continue;
    if (path[1] === "content") into.walk(content.value);
    const index = path[1] === "function_call" ? -1 : path[1] === "tool_calls" ? indexOf(path[2]) : undefined;
    if (index === undefined || (index === -1 && path[1] === "tool_calls")) continue;
    const call = calls.get(index) ?? {};
    calls.set(index, call);
    setMember(call, path.at(-1), content.value, content.cut);
  }
  for (const [, call] of [...calls].sort(([a], [b]) => a - b)) {
    if (call.name !== undefined) into.add(call.name, call.id, call.args, call.cut);
  }
}

function setMember(call: FlatCall, key: string | undefined, value: unknown, cut: boolean): void {
  if (key === "arguments") {
    call.args = isRecord(value) || typeof value === "string" ? value : undefined;
    call.cut = cut;
  } else if (typeof value === "string" && (key === "name" || key === "id")) call[key] = value;
}
