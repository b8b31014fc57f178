// Strands Agents with its Anthropic model (streamed messages) and the spans that it makes by itself.
import { Agent, tool } from "@strands-agents/sdk";
import { AnthropicModel } from "@strands-agents/sdk/models/anthropic";
import { instructionsOf } from "./scenarios.mjs";

export { attach } from "./attach-plain.mjs";

export async function run({ prompt, session, agents, baseURL }) {
  const clientConfig = { baseURL: baseURL.replace(/\/v1$/, "") };
  const [entry, ...others] = Object.keys(agents);
  const agent = (name, delegates = []) =>
    new Agent({
      name,
      id: name,
      model: new AnthropicModel({ modelId: "claude-scripted", maxTokens: 1_000, apiKey: "none", clientConfig }),
      systemPrompt: instructionsOf(name),
      tools: [...agents[name].map(strandsTool), ...delegates],
      printer: false,
      // docs: run
      traceAttributes: session === undefined ? {} : { "session.id": session },
      // docs: end
    });
  const delegates = others.map((name) => agent(name).asTool({ name, description: `Delegates to ${name}.` }));
  const result = await agent(entry, delegates).invoke(prompt);
  return result.toString();
}

function strandsTool({ name, description, schema, execute }) {
  return tool({ name, description, inputSchema: schema, callback: execute });
}
