// OpenAI Agents SDK through OpenInference's trace processor; the Responses API, streamed in S1.
import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { withSession } from "otel-trajectory";
import { instructionsOf } from "./scenarios.mjs";

export { attach } from "./attach.mjs";

export async function run({ id, prompt, session, agents, baseURL }) {
  const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: "none", baseURL, useResponses: true }) });
  const [entry, ...others] = Object.keys(agents);
  const agent = (name, delegates = [], handoffs = []) =>
    new Agent({
      name,
      model: "gpt-4.1-mini",
      instructions: instructionsOf(name),
      tools: [...agents[name].map(agentTool), ...delegates],
      handoffs,
    });
  const agentTools = others.map((name) =>
    agent(name).asTool({
      toolName: name,
      toolDescription: `Delegates to ${name}.`,
      runConfig: { modelProvider: runner.config.modelProvider },
    }),
  );
  const start = async () => {
    const specialists = others.map((name) => agent(name));
    const starter = id === "S4h" ? agent(entry, [], specialists) : agent(entry, agentTools);
    const result = await runner.run(starter, prompt, { stream: id === "S1" });
    if (id === "S1") await result.completed;
    return result.finalOutput;
  };
  if (session === undefined) return start();
  // docs: session
  return withSession(session, start);
  // docs: end
}

function agentTool({ name, description, schema, execute }) {
  return tool({ name, description, parameters: schema, strict: true, execute });
}
