// What the scripted model of both lines does, and the tools that the real agent runs.
import { z } from "zod";

export const GOOD_PATH = [
  [["authenticate", { customer: "c-17" }]],
  [
    ["fetch_order", { order: "1042" }],
    ["fetch_policy", { topic: "refunds" }],
  ],
  [["issue_refund", { order: "1042", amount: 40 }]],
  "refunded",
];

export const LUCKY_PATH = [
  [["fetch_order", { order: "1042" }]],
  [["issue_refund", { order: "1042", amount: 40 }]],
  "refunded",
];

/** `doGenerate` of a mock language model that follows a path, one entry a turn. */
export function scripted(path) {
  let turn = 0;
  return async () => {
    const entry = path[Math.min(turn++, path.length - 1)];
    const usage = {
      inputTokens: { total: 20, noCache: 20, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 10, text: 10, reasoning: 0 },
    };
    const content =
      typeof entry === "string"
        ? [{ type: "text", text: entry }]
        : entry.map(([toolName, input], index) => ({
            type: "tool-call",
            toolCallId: `call-${turn}-${index}`,
            toolName,
            input: JSON.stringify(input),
          }));
    const unified = typeof entry === "string" ? "stop" : "tool-calls";
    return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
  };
}

/** The agent's tools, made with the AI SDK's own `tool`. */
export function toolsOf(tool) {
  const make = (inputSchema) =>
    tool({ description: "a tool", inputSchema, execute: async (input) => ({ ok: true, input }) });
  return {
    authenticate: make(z.object({ customer: z.string() })),
    fetch_order: make(z.object({ order: z.string() })),
    fetch_policy: make(z.object({ topic: z.string() })),
    issue_refund: make(z.object({ order: z.string(), amount: z.number() })),
  };
}
