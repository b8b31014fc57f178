import { runAgent } from "./langchain-agent.mjs";

export { attach } from "./attach.mjs";

export function run({ session, ...scenario }) {
  // docs: session
  const options = { metadata: { session_id: session } }; // of `agent.invoke(input, options)`
  // docs: end
  return runAgent(scenario, options);
}
