// The agent loop that people write by hand around an Anthropic client; the instrumentations under test bring the spans.

/**
 * Asks the model, runs the tools that it asks for, at the same time where it asks for several, until it answers.
 *
 * @param {{ client: object, instructions: string, prompt: string, stream?: boolean,
 *   tools: { name: string, description: string, schema: object, execute: (args: object) => Promise<unknown> }[] }} options
 *   `execute` is the instrumented function
 * @returns {Promise<string>} the answer
 */
export async function anthropicLoop({ client, instructions, prompt, tools, stream = false }) {
  const messages = [{ role: "user", content: prompt }];
  const offered = tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
  for (let turn = 0; turn < 10; turn += 1) {
    const request = { model: "claude-scripted", max_tokens: 1_000, system: instructions, messages, tools: offered };
    const content = stream
      ? await streamed(await client.messages.create({ ...request, stream: true }))
      : (await client.messages.create(request)).content;
    messages.push({ role: "assistant", content });
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return content.map(({ text }) => text).join("");
    messages.push({ role: "user", content: await Promise.all(calls.map((call) => runTool(call, tools))) });
  }
  throw new Error("the model did not come to an end");
}

async function runTool({ id, name, input }, tools) {
  const result = { type: "tool_result", tool_use_id: id };
  try {
    const value = await tools.find((tool) => tool.name === name).execute(input);
    return { ...result, content: JSON.stringify(value) };
  } catch (error) {
    return { ...result, content: error.message, is_error: true };
  }
}

async function streamed(events) {
  const blocks = [];
  for await (const event of events) {
    if (event.type === "content_block_start") blocks.push({ ...event.content_block, json: "" });
    if (event.type !== "content_block_delta") continue;
    const block = blocks[event.index];
    if (event.delta.type === "text_delta") block.text += event.delta.text;
    else block.json += event.delta.partial_json;
  }
  return blocks.map(({ json, ...block }) =>
    block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block,
  );
}
