// Vercel AI SDK 7 with its own OpenTelemetry integration, `@ai-sdk/otel`.
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import { instructionsOf } from "./scenarios.mjs";

export async function run({ id, prompt, session, agents, baseURL }) {
  const openai = createOpenAI({ baseURL, apiKey: "none" });
  // S1 streams chat completions, the others use the Responses API, which is the SDK's default.
  const model = id === "S1" ? openai.chat("gpt-4.1-mini") : openai("gpt-4.1-mini");
  const [entry, ...others] = Object.keys(agents);
  const tools = toolSet(agents[entry]);
  for (const name of others) {
    tools[name] = tool({
      description: `Delegates to ${name}.`,
      inputSchema: jsonSchema({ type: "object", properties: { input: { type: "string" } }, required: ["input"] }),
      execute: async ({ input }) => (await generateText(call(model, name, toolSet(agents[name]), input))).text,
    });
  }
  const options = call(model, entry, tools, prompt, session);
  return id === "S1" ? await streamText(options).text : (await generateText(options)).text;
}

function call(model, name, tools, prompt, session) {
  return {
    model,
    tools,
    prompt,
    instructions: instructionsOf(name),
    stopWhen: stepCountIs(10),
    // docs: run
    runtimeContext: session === undefined ? {} : { sessionId: session },
    telemetry: {
      functionId: name, // the agent's name
      includeRuntimeContext: { sessionId: true },
    },
    // docs: end
  };
}

function toolSet(tools) {
  return Object.fromEntries(
    tools.map(({ name, description, schema, execute }) => [
      name,
      tool({ description, inputSchema: jsonSchema(schema), execute }),
    ]),
  );
}
