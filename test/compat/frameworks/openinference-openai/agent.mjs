// A loop written by hand around the OpenAI client, which OpenInference instruments.
import { setSession, traceAgent, traceTool } from "@arizeai/openinference-core";
import { context } from "@opentelemetry/api";
import OpenAI from "openai";
import { runLoopAgent } from "./loop-agent.mjs";
import { openaiLoop } from "./openai-loop.mjs";

export { attach } from "./attach.mjs";

// docs: run
// `loop` is your function from question to answer, `tool.execute` the function that does a tool's work.
const asAgent = (name, loop) => traceAgent(loop, { name });
const asTool = (tool) => ({ ...tool, execute: traceTool(tool.execute, { name: tool.name }) });
const inSession = (sessionId, start) => context.with(setSession(context.active(), { sessionId }), start);
// docs: end

export function run(scenario) {
  const client = new OpenAI({ baseURL: scenario.baseURL, apiKey: "none" });
  const loop = (options) => openaiLoop({ client, ...options });
  return runLoopAgent(scenario, { loop, asAgent, asTool, inSession });
}
