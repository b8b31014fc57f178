// The agent of the examples: a support agent built with the real Vercel AI SDK. Only the model is scripted, so that
// the examples need no key and no network and always take the same path. The telemetry is the SDK's own.
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { z } from "zod";

/** The answer that every finished refund gives, whatever the path that led to it. */
export const REFUND_ANSWER = "Order 1042 is refunded: EUR 40.00 will arrive within three days.";

/** What the model asks for, turn by turn, when it does its work as it should. */
export const GOOD_PATH = [
  [{ tool: "authenticate", input: { customer: "c-17" } }],
  [
    { tool: "fetch_order", input: { order: "1042" } },
    { tool: "fetch_policy", input: { topic: "refunds" } },
  ],
  [{ tool: "issue_refund", input: { order: "1042", amount: 40, currency: "EUR" } }],
  REFUND_ANSWER,
];

/** The same answer by a wrong path: nobody checked who is asking or what the policy says. */
export const LUCKY_PATH = [
  [{ tool: "fetch_order", input: { order: "1042" } }],
  [{ tool: "issue_refund", input: { order: "1042", amount: 40, currency: "EUR" } }],
  REFUND_ANSWER,
];

const tools = {
  authenticate: tool({
    description: "Checks who the customer is.",
    inputSchema: z.object({ customer: z.string() }),
    execute: async ({ customer }) => ({ customer, verified: true }),
  }),
  fetch_order: tool({
    description: "Reads an order.",
    inputSchema: z.object({ order: z.string() }),
    execute: async ({ order }) => ({ order, total: 40, currency: "EUR" }),
  }),
  fetch_policy: tool({
    description: "Reads what the shop's policy says on a topic.",
    inputSchema: z.object({ topic: z.string() }),
    execute: async ({ topic }) => ({ topic, text: "Refunds within 30 days, to verified customers only." }),
  }),
  issue_refund: tool({
    description: "Pays money back.",
    inputSchema: z.object({ order: z.string(), amount: z.number(), currency: z.string() }),
    execute: async ({ order, amount, currency }) => ({ order, refunded: amount, currency }),
  }),
};

/**
 * Runs the agent once.
 *
 * @param {string} prompt what the customer says
 * @param {{ path?: readonly (string | readonly { tool: string, input: object }[])[], sessionId?: string }} [options]
 *   `path`: what the scripted model does, one entry a turn: tool calls, or the final text
 * @returns {Promise<string>} the agent's answer
 */
export async function supportAgent(prompt, { path = GOOD_PATH, sessionId } = {}) {
  const { text } = await generateText({
    model: scriptedModel(path),
    tools,
    stopWhen: stepCountIs(10),
    prompt,
    experimental_telemetry: {
      isEnabled: true,
      functionId: "support_agent",
      ...(sessionId === undefined ? {} : { metadata: { sessionId } }),
    },
  });
  return text;
}

/** A model that follows a script through the SDK's own model interface. */
function scriptedModel(path) {
  let turn = 0;
  return new MockLanguageModelV3({
    provider: "scripted",
    modelId: "scripted-model",
    doGenerate: async () => answer(path[Math.min(turn++, path.length - 1)], turn),
  });
}

function answer(entry, turn) {
  const usage = {
    inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 10, text: 10, reasoning: 0 },
  };
  if (typeof entry === "string") {
    return { content: [{ type: "text", text: entry }], finishReason: { unified: "stop" }, usage, warnings: [] };
  }
  const content = entry.map((call, index) => ({
    type: "tool-call",
    toolCallId: `call-${turn}-${index}`,
    toolName: call.tool,
    input: JSON.stringify(call.input),
  }));
  return { content, finishReason: { unified: "tool-calls" }, usage, warnings: [] };
}
