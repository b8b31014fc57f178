// The agent loop that people write by hand around an OpenAI client; the instrumentations under test bring the spans.

/**
 * Asks the model, runs the tools that it asks for, at the same time where it asks for several, until it answers.
 *
 * @param {{ client: object, instructions: string, prompt: string, stream?: boolean,
 *   tools: { name: string, description: string, schema: object, execute: (args: object) => Promise<unknown> }[] }} options
 *   `execute` is the instrumented function
 * @returns {Promise<string>} the answer
 */
export async function openaiLoop({ client, instructions, prompt, tools, stream = false }) {
  const messages = [
    { role: "system", content: instructions },
    { role: "user", content: prompt },
  ];
  const offered = tools.map(({ name, description, schema }) => {
    return { type: "function", function: { name, description, parameters: schema } };
  });
  for (let turn = 0; turn < 10; turn += 1) {
    const request = { model: "gpt-4.1-mini", messages, tools: offered };
    const message = stream ? await streamed(client, request) : await whole(client, request);
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    messages.push(...(await Promise.all(message.tool_calls.map((call) => runTool(call, tools)))));
  }
  throw new Error("the model did not come to an end");
}

async function runTool(call, tools) {
  const { name, arguments: text } = call.function;
  const tool = tools.find((candidate) => candidate.name === name);
  let content;
  try {
    content = JSON.stringify(await tool.execute(JSON.parse(text)));
  } catch (error) {
    content = `Error: ${error.message}`;
  }
  return { role: "tool", tool_call_id: call.id, content };
}

async function whole(client, request) {
  const completion = await client.chat.completions.create(request);
  return completion.choices[0].message;
}

async function streamed(client, request) {
  const stream = await client.chat.completions.create({ ...request, stream: true });
  const message = { role: "assistant", content: "" };
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta ?? {};
    message.content += delta.content ?? "";
    for (const piece of delta.tool_calls ?? []) {
      message.tool_calls ??= [];
      message.tool_calls[piece.index] ??= { id: piece.id, type: "function", function: { name: "", arguments: "" } };
      const { function: called } = message.tool_calls[piece.index];
      called.name += piece.function?.name ?? "";
      called.arguments += piece.function?.arguments ?? "";
    }
  }
  return message;
}
