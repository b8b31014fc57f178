// A loop written by hand around the Anthropic client, which OpenInference instruments.
import Anthropic from "@anthropic-ai/sdk";
import { setSession, traceAgent, traceTool } from "@arizeai/openinference-core";
import { context } from "@opentelemetry/api";
import { anthropicLoop } from "./anthropic-loop.mjs";
import { runLoopAgent } from "./loop-agent.mjs";

export { attach } from "./attach.mjs";

const asAgent = (name, loop) => traceAgent(loop, { name });
const asTool = (tool) => ({ ...tool, execute: traceTool(tool.execute, { name: tool.name }) });
const inSession = (sessionId, start) => context.with(setSession(context.active(), { sessionId }), start);

export function run(scenario) {
  const client = new Anthropic({ baseURL: scenario.baseURL.replace(/\/v1$/, ""), apiKey: "none" });
  const loop = (options) => anthropicLoop({ client, ...options });
  return runLoopAgent(scenario, { loop, asAgent, asTool, inSession });
}
