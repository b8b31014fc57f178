// A loop written by hand around the OpenAI client: Langfuse's `observeOpenAI` and `observe` bring the spans.
import { observeOpenAI } from "@langfuse/openai";
import { observe, propagateAttributes } from "@langfuse/tracing";
import OpenAI from "openai";
import { openaiLoop } from "./openai-loop.mjs";
import { instructionsOf } from "./scenarios.mjs";
import { behindServer } from "./server-span.mjs";

export { attach } from "./attach-langfuse.mjs";

export async function run({ id, prompt, session, agents, baseURL }) {
  const client = observeOpenAI(new OpenAI({ baseURL, apiKey: "none" }));
  const [entry, ...others] = Object.keys(agents);
  if (id === "S7") {
    const options = { client, instructions: instructionsOf(entry), prompt, tools: agents[entry] };
    return behindServer(() => openaiLoop(options));
  }
  const agent = (name, delegates = []) =>
    // docs: run
    observe(
      (question) =>
        openaiLoop({
          client,
          instructions: instructionsOf(name),
          prompt: question,
          stream: id === "S1",
          tools: [
            ...agents[name].map((tool) => ({
              ...tool,
              execute: observe(tool.execute, { name: tool.name, asType: "tool" }),
            })),
            ...delegates,
          ],
        }),
      { name, asType: "agent" },
    );
  // docs: end
  const delegates = others.map((name) => ({
    name,
    description: `Delegates to ${name}.`,
    schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    execute: ({ input }) => agent(name)(input),
  }));
  const start = () => agent(entry, delegates)(prompt);
  if (session === undefined) return start();
  // docs: session
  return propagateAttributes({ sessionId: session }, start);
  // docs: end
}
