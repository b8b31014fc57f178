// A loop written by hand around the OpenAI client, which Traceloop instruments.
import { withAgent, withAssociationProperties, withTool, withWorkflow } from "@traceloop/node-server-sdk";
import OpenAI from "openai";
import { runLoopAgent } from "./loop-agent.mjs";
import { openaiLoop } from "./openai-loop.mjs";

export { attach } from "./attach.mjs";

// docs: run
// `loop` is your function from question to answer, `tool.execute` the function that does a tool's work.
const asAgent = (name, loop) => (question) => withAgent({ name }, loop, question);
const asTool = (tool) => ({ ...tool, execute: (args) => withTool({ name: tool.name }, tool.execute, args) });
const inSession = (id, start) =>
  withAssociationProperties({ session_id: id }, () => withWorkflow({ name: "chat" }, start));
// docs: end

export function run(scenario) {
  const client = new OpenAI({ baseURL: scenario.baseURL, apiKey: "none" });
  const loop = (options) => openaiLoop({ client, ...options });
  return runLoopAgent(scenario, { loop, asAgent, asTool, inSession });
}
