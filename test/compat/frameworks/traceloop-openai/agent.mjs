// A loop written by hand around the OpenAI client: Traceloop instruments the client, `withAgent` and `withTool` mark
// the rest.
import { withAgent, withAssociationProperties, withTool, withWorkflow } from "@traceloop/node-server-sdk";
import OpenAI from "openai";
import { openaiLoop } from "./openai-loop.mjs";
import { instructionsOf } from "./scenarios.mjs";
import { behindServer } from "./server-span.mjs";

export { attach } from "./attach.mjs";

export async function run({ id, prompt, session, agents, baseURL }) {
  const client = new OpenAI({ baseURL, apiKey: "none" });
  const [entry, ...others] = Object.keys(agents);
  if (id === "S7") {
    const options = { client, instructions: instructionsOf(entry), prompt, tools: agents[entry] };
    return behindServer(() => openaiLoop(options));
  }
  const agent =
    (name, delegates = []) =>
    (question) =>
      // docs: run
      withAgent({ name }, () =>
        openaiLoop({
          client,
          instructions: instructionsOf(name),
          prompt: question,
          stream: id === "S1",
          tools: [
            ...agents[name].map((tool) => ({
              ...tool,
              execute: (args) => withTool({ name: tool.name }, tool.execute, args),
            })),
            ...delegates,
          ],
        }),
      );
  // docs: end
  const delegates = others.map((name) => ({
    name,
    description: `Delegates to ${name}.`,
    schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    execute: ({ input }) => agent(name)(input),
  }));
  const start = () => withWorkflow({ name: "chat" }, () => agent(entry, delegates)(prompt));
  if (session === undefined) return start();
  // docs: session
  return withAssociationProperties({ session_id: session }, start);
  // docs: end
}
