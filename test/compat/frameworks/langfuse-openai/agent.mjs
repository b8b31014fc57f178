// A loop written by hand around the OpenAI client, which Langfuse wraps.
import { observeOpenAI } from "@langfuse/openai";
import { observe, propagateAttributes } from "@langfuse/tracing";
import OpenAI from "openai";
import { runLoopAgent } from "./loop-agent.mjs";
import { openaiLoop } from "./openai-loop.mjs";

export { attach } from "./attach-langfuse.mjs";

// docs: run
// `loop` is your function from question to answer, `tool.execute` the function that does a tool's work.
const asAgent = (name, loop) => observe(loop, { name, asType: "agent" });
const asTool = (tool) => ({ ...tool, execute: observe(tool.execute, { name: tool.name, asType: "tool" }) });
const inSession = (sessionId, start) => propagateAttributes({ sessionId }, start);
// docs: end

export function run(scenario) {
  const client = observeOpenAI(new OpenAI({ baseURL: scenario.baseURL, apiKey: "none" }));
  const loop = (options) => openaiLoop({ client, ...options });
  return runLoopAgent(scenario, { loop, asAgent, asTool, inSession });
}
