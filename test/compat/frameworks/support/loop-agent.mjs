// What the agents that are loops around a plain client share. How agents, tools and sessions are marked is each
// instrumentation's own.
import { instructionsOf } from "./scenarios.mjs";
import { behindServer } from "./server-span.mjs";

/**
 * Plays one prompt of a scenario.
 *
 * @param {object} scenario what the harness hands to `run`
 * @param {{ loop: (options: object) => Promise<string>, asAgent: (name: string, loop: Function) => Function,
 *   asTool: (tool: object) => object, inSession: (sessionId: string, start: Function) => Promise<string> }} marks
 * @returns {Promise<string>} the answer
 */
export function runLoopAgent({ id, prompt, session, agents }, { loop, asAgent, asTool, inSession }) {
  const [entry, ...others] = Object.keys(agents);
  if (id === "S7") {
    const options = { instructions: instructionsOf(entry), prompt, tools: agents[entry] };
    return behindServer(() => loop(options));
  }
  const agent = (name, delegates = []) => {
    const tools = [...agents[name].map(asTool), ...delegates];
    const stream = id === "S1";
    return asAgent(name, (question) => loop({ instructions: instructionsOf(name), prompt: question, tools, stream }));
  };
  const delegates = others.map((name) => ({
    name,
    description: `Delegates to ${name}.`,
    schema: { type: "object", properties: { input: { type: "string" } }, required: ["input"] },
    execute: ({ input }) => agent(name)(input),
  }));
  const start = () => agent(entry, delegates)(prompt);
  return session === undefined ? start() : inSession(session, start);
}
