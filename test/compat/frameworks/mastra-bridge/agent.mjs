// Mastra agents with the OpenTelemetry bridge: every span of Mastra is a real span as it happens.
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { Observability } from "@mastra/observability";
import { OtelBridge } from "@mastra/otel-bridge";
import { z } from "zod";
import { instructionsOf } from "./scenarios.mjs";

export { attach } from "./attach-plain.mjs";

const FIELDS = { string: () => z.string(), number: () => z.number() };

export async function run({ id, prompt, session, agents, baseURL }) {
  const model = createOpenAI({ baseURL, apiKey: "none" }).chat("gpt-4.1-mini");
  const [entry, ...others] = Object.keys(agents);
  const agent = (name, more = {}) =>
    new Agent({
      id: name,
      name,
      description: `The agent ${name}.`,
      instructions: instructionsOf(name),
      model,
      tools: Object.fromEntries(agents[name].map((tool) => [tool.name, mastraTool(tool)])),
      ...more,
    });
  const subAgents = Object.fromEntries(others.map((name) => [name, agent(name)]));
  const mastra = new Mastra({
    agents: { [entry]: agent(entry, { agents: subAgents }) },
    logger: false,
    // docs: run
    observability: new Observability({
      configs: { default: { serviceName: "my-service", bridge: new OtelBridge() } },
    }),
    // docs: end
  });
  // docs: session
  const options = { tracingOptions: { metadata: { sessionId: session } } };
  // docs: end
  const running = mastra.getAgent(entry);
  if (id !== "S1") return (await running.generate(prompt, options)).text;
  return (await running.stream(prompt, options)).text;
}

function mastraTool({ name, description, fields, execute }) {
  const inputSchema = z.object(Object.fromEntries(Object.entries(fields).map(([key, type]) => [key, FIELDS[type]()])));
  return createTool({ id: name, description, inputSchema, execute });
}
