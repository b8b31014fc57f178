import { CallbackHandler } from "@langfuse/langchain";
import { runAgent } from "./langchain-agent.mjs";

export { attach } from "./attach-langfuse.mjs";

export function run({ session, ...scenario }) {
  // docs: run
  const handler = new CallbackHandler({ sessionId: session });
  const options = { callbacks: [handler] }; // of `agent.invoke(input, options)`
  // docs: end
  return runAgent(scenario, options);
}
