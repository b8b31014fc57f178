// OpenAI chat completions.
import { newId, pieces, sendEvents, sendJson, textOf } from "./events.mjs";

/** Reads the conversation out of a request. */
export function readChat(body) {
  const { messages, tools = [] } = body;
  const isSystem = ({ role }) => role === "system" || role === "developer";
  return {
    instructions: messages
      .filter(isSystem)
      .map(({ content }) => textOf(content))
      .join("\n"),
    question: textOf(messages.findLast(({ role }) => role === "user")?.content),
    calls: messages.flatMap(({ tool_calls }) => tool_calls ?? []).map((call) => call.function.name),
    tools: tools.map((tool) => ({ name: tool.function.name, schema: tool.function.parameters })),
    text: JSON.stringify(messages),
  };
}

/** Answers a request. */
export function answerChat(response, body, turn) {
  const base = { id: newId("chatcmpl"), created: Math.floor(Date.now() / 1_000), model: body.model };
  const usage = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 };
  const finish = turn.calls ? "tool_calls" : "stop";
  if (!body.stream) {
    const message = { role: "assistant", content: turn.text ?? null, refusal: null };
    if (turn.calls) message.tool_calls = turn.calls.map(toolCall);
    const choice = { index: 0, message, finish_reason: finish, logprobs: null };
    sendJson(response, { ...base, object: "chat.completion", choices: [choice], usage });
    return;
  }
  const chunk = (delta, finish_reason = null) => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  const events = [chunk({ role: "assistant", content: turn.calls ? null : "" }), ...deltas(turn).map((d) => chunk(d))];
  events.push(chunk({}, finish));
  if (body.stream_options?.include_usage) events.push({ ...chunk({}), choices: [], usage });
  sendEvents(response, [...events, "[DONE]"]);
}

function deltas(turn) {
  if (!turn.calls) return pieces(turn.text).map((content) => ({ content }));
  return turn.calls.flatMap((call, index) => {
    const { id, type, function: named } = toolCall(call);
    const first = { index, id, type, function: { name: named.name, arguments: "" } };
    const rest = pieces(named.arguments).map((part) => ({ index, function: { arguments: part } }));
    return [first, ...rest].map((piece) => ({ tool_calls: [piece] }));
  });
}

function toolCall({ id, name, args }) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
}
