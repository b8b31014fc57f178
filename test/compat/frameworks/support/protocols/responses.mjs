// OpenAI responses.
import { newId, pieces, sendEvents, sendJson, textOf } from "./events.mjs";

/** Reads the conversation out of a request. `items` holds what earlier answers said, for clients that refer to it by id. */
export function readResponses(body, items) {
  const given = typeof body.input === "string" ? [{ role: "user", content: body.input }] : body.input;
  const input = given.map((item) => (item.type === "item_reference" ? (items.get(item.id) ?? item) : item));
  const isSystem = ({ role }) => role === "system" || role === "developer";
  const system = input.filter(isSystem).map(({ content }) => textOf(content));
  return {
    instructions: [body.instructions ?? "", ...system].join("\n"),
    question: textOf(input.findLast(({ role }) => role === "user")?.content),
    calls: input.filter(({ type }) => type === "function_call").map(({ name }) => name),
    tools: (body.tools ?? []).map((tool) => ({ name: tool.name, schema: tool.parameters })),
    text: JSON.stringify(input),
  };
}

/** Answers a request. */
export function answerResponses(response, body, turn, items) {
  const output = turn.calls ? turn.calls.map(callItem) : [messageItem(turn.text)];
  for (const item of output) items.set(item.id, item);
  const whole = answerOf(body, output);
  if (!body.stream) {
    sendJson(response, whole);
    return;
  }
  const opening = { ...whole, status: "in_progress", output: [], usage: null };
  const events = [{ type: "response.created", response: opening }];
  for (const [output_index, item] of output.entries()) {
    events.push(...(item.type === "message" ? messageEvents(item, output_index) : callEvents(item, output_index)));
  }
  events.push({ type: "response.completed", response: whole });
  sendEvents(
    response,
    events.map((event, sequence_number) => ({ ...event, sequence_number })),
    { named: true },
  );
}

function answerOf(body, output) {
  return {
    id: newId("resp"),
    object: "response",
    created_at: Math.floor(Date.now() / 1_000),
    status: "completed",
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    metadata: {},
    model: body.model,
    output,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 30,
    },
  };
}

function callItem({ id, name, args }) {
  return {
    type: "function_call",
    id: newId("fc"),
    call_id: id,
    name,
    arguments: JSON.stringify(args),
    status: "completed",
  };
}

function messageItem(text) {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: newId("msg"), role: "assistant", status: "completed", content };
}

function callEvents(item, output_index) {
  const place = { item_id: item.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, arguments: "", status: "in_progress" } },
    ...pieces(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
    { type: "response.output_item.done", output_index, item },
  ];
}

function messageEvents(item, output_index) {
  const [part] = item.content;
  const place = { item_id: item.id, output_index, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, content: [], status: "in_progress" } },
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...pieces(part.text).map((delta) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] })),
    { type: "response.output_text.done", ...place, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...place, part },
    { type: "response.output_item.done", output_index, item },
  ];
}
