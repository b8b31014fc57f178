// LangChain agents (LangGraph underneath).
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { instructionsOf } from "./scenarios.mjs";

/** Runs the agent; `options` are those of LangChain's `invoke`, through which instrumentations are reached. */
export async function runAgent({ id, prompt, agents, baseURL }, options) {
  const model = new ChatOpenAI({ model: "gpt-4.1-mini", apiKey: "none", configuration: { baseURL } });
  const [entry, ...others] = Object.keys(agents);
  const agent = (name, delegates = []) =>
    createAgent({
      name,
      model,
      tools: [...agents[name].map((own) => tool((args) => own.execute(args), own)), ...delegates],
      systemPrompt: instructionsOf(name),
    });
  const delegates = others.map((name) =>
    tool(
      async ({ input }) =>
        (await agent(name).invoke({ messages: [{ role: "user", content: input }] })).messages.at(-1).text,
      {
        name,
        description: `Delegates to ${name}.`,
        schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
      },
    ),
  );
  const input = { messages: [{ role: "user", content: prompt }] };
  const running = agent(entry, delegates);
  if (id === "S1") return lastText(await running.stream(input, { ...options, streamMode: "messages" }));
  const result = await running.invoke(input, options);
  return result.messages.at(-1).text;
}

async function lastText(stream) {
  let text = "";
  for await (const [message] of stream) text = message.text || text;
  return text;
}
