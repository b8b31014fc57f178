// Anthropic messages.
import { newId, pieces, sendEvents, sendJson, textOf } from "./events.mjs";

/** Reads the conversation out of a request. */
export function readMessages(body) {
  const { messages, tools = [] } = body;
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  // Tool results come as a user's message too; only text is a question.
  const asked = messages.filter(({ role, content }) => role === "user" && textOf(content).trim() !== "");
  return {
    instructions: textOf(body.system),
    question: textOf(asked.at(-1)?.content),
    calls: blocks.filter(({ type }) => type === "tool_use").map(({ name }) => name),
    tools: tools.map((tool) => ({ name: tool.name, schema: tool.input_schema })),
    text: JSON.stringify(messages),
  };
}

/** Answers a request. */
export function answerMessages(response, body, turn) {
  const content = turn.calls
    ? turn.calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }))
    : [{ type: "text", text: turn.text }];
  const message = {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: body.model,
    content,
    stop_reason: turn.calls ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 20, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  if (!body.stream) {
    sendJson(response, message);
    return;
  }
  const { stop_reason, stop_sequence, usage } = message;
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null } },
    ...content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: usage.output_tokens } },
    { type: "message_stop" },
  ];
  sendEvents(response, events, { named: true });
}

function blockEvents(block, index) {
  const isText = block.type === "text";
  const opening = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const parts = pieces(isText ? block.text : JSON.stringify(block.input));
  return [
    { type: "content_block_start", index, content_block: opening },
    ...parts.map((part) => ({
      type: "content_block_delta",
      index,
      delta: isText ? { type: "text_delta", text: part } : { type: "input_json_delta", partial_json: part },
    })),
    { type: "content_block_stop", index },
  ];
}
