import { describe, expect, test } from "vitest";
import { agent, assembled, llm, type Sketch, shortSteps, shortTools, tool } from "../support/spans.ts";

const root = agent("root", { named: "main", start: 0, end: 1_000 });
const OI = "openinference.span.kind";
const mcp = { "mcp.method.name": "tools/call" };

type Row = readonly [name: string, spans: readonly Sketch[], steps: readonly string[], tools: readonly string[]];

const tools: readonly Row[] = [
  [
    "a tool, the MCP client in it and the MCP server in that",
    [
      root,
      tool("tool", { parent: "root", named: "lookup-order", start: 1 }),
      tool("client", { parent: "tool", named: "lookup_order", start: 2, attributes: mcp, span_kind: "CLIENT" }),
      tool("server", {
        parent: "client",
        named: "lookup_order",
        start: 3,
        attributes: mcp,
        span_kind: "SERVER",
        remote: true,
      }),
    ],
    ["lookup-order"],
    ["lookup-order"],
  ],
  [
    "protocol traffic beside a call is none",
    [
      root,
      { id: "list", parent: "root", name: "tools/list", start: 1, attributes: { "mcp.method.name": "tools/list" } },
      tool("client", { parent: "root", named: "t", start: 2, attributes: mcp }),
    ],
    ["t"],
    ["t"],
  ],
  [
    "two instrumentations of one call, told by its id: nested, and side by side",
    [
      root,
      tool("sdk", { parent: "root", named: "search", call: "c1", start: 1, name: "anthropic.custom_tool_use search" }),
      {
        id: "oi",
        parent: "sdk",
        start: 2,
        attributes: { [OI]: "TOOL", "tool.name": "search", "tool_call.id": "c1", "input.value": '{"q":1}' },
      },
      {
        id: "sentry",
        parent: "root",
        start: 3,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "search",
          "gen_ai.tool.call.id": "c1",
        },
      },
    ],
    ["search"],
    ["search"],
  ],
  [
    "the Agent Development Kit's record of a parallel round",
    [
      root,
      tool("a", { parent: "root", start: 1 }),
      tool("b", { parent: "root", start: 1 }),
      tool("m", { parent: "root", named: "(merged tools)", name: "execute_tool (merged)", start: 2 }),
    ],
    ["a", "b"],
    ["a", "b"],
  ],
  [
    "what Claude Code does for a call repeats its id",
    [
      root,
      {
        id: "t",
        parent: "root",
        name: "claude_code.tool",
        start: 1,
        attributes: { tool_name: "mcp__lab__x", "gen_ai.tool.call.id": "c" },
      },
      {
        id: "w",
        parent: "t",
        name: "claude_code.tool.blocked_on_user",
        start: 2,
        attributes: { "gen_ai.tool.call.id": "c" },
      },
      {
        id: "e",
        parent: "t",
        name: "claude_code.tool.execution",
        start: 3,
        status: "ERROR",
        attributes: { "gen_ai.tool.call.id": "c" },
      },
    ],
    ["x!"],
    ["x!"],
  ],
  [
    "one span for every event of a call",
    ["start-1", "success-1", "finish-1"].map(
      (event, index): Sketch => ({
        id: event,
        parent: "p",
        name: `tool.dynamic.getRate.${event}`,
        scope: "@arizeai/openinference-instrumentation-beeai",
        start: index,
        attributes: { [OI]: "TOOL" },
      }),
    ),
    ["getRate"],
    ["getRate"],
  ],
];

const agents: readonly Row[] = [
  [
    "a wrapper around an agent of the same identity",
    [
      root,
      agent("crew", { parent: "root", named: "analyst", start: 1, end: 50 }),
      agent("inner", { parent: "crew", named: "analyst", start: 2 }),
    ],
    ["[analyst]"],
    [],
  ],
  [
    "the nameless root of OpenAI Agents and the first agent beneath it; a hand-off stays a step",
    [
      {
        id: "r",
        start: 0,
        end: 500,
        scope: "@arizeai/openinference-instrumentation-openai-agents",
        attributes: { [OI]: "AGENT" },
      },
      { id: "triage", parent: "r", start: 1, end: 20, attributes: { [OI]: "AGENT", "graph.node.id": "Triage" } },
      { id: "h", parent: "triage", start: 5, attributes: { [OI]: "TOOL", "tool.name": "handoff_to_Billing" } },
      { id: "billing", parent: "r", start: 30, end: 90, attributes: { [OI]: "AGENT", "graph.node.id": "Billing" } },
      { id: "t", parent: "billing", start: 40, attributes: { [OI]: "TOOL", "tool.name": "refund" } },
    ],
    ["handoff_to_Billing", "[Billing]", "refund"],
    ["handoff_to_Billing", "refund"],
  ],
  [
    "a tool that runs an agent, as Mastra names it",
    [
      root,
      tool("t", { parent: "root", named: "agent-analyst", start: 1, end: 50 }),
      agent("a", { parent: "t", named: "analyst", start: 2 }),
    ],
    ["[analyst]"],
    ["agent-analyst"],
  ],
  [
    "an agent as a tool of the Agent Development Kit",
    [
      { id: "inv", name: "invocation", scope: "gcp.vertex.agent", start: 0, end: 900 },
      agent("main", { parent: "inv", start: 1, end: 800 }),
      tool("t", { parent: "main", named: "analyst", start: 2, end: 100 }),
      agent("a", { parent: "t", named: "analyst", start: 3, end: 90 }),
    ],
    ["[analyst]"],
    ["analyst"],
  ],
];

const calls = [{ name: "search", id: "c1", args: { q: 1 } }];

const models: readonly Row[] = [
  [
    "the outer span of an AI SDK call without a name, and its inner one",
    [
      {
        id: "outer",
        start: 0,
        end: 90,
        attributes: {
          "ai.operationId": "ai.generateText",
          "ai.response.toolCalls": '[{"toolName":"search","toolCallId":"c1","input":{}}]',
        },
      },
      {
        id: "inner",
        parent: "outer",
        start: 1,
        attributes: {
          "ai.operationId": "ai.generateText.doGenerate",
          "ai.response.toolCalls": '[{"toolName":"search","toolCallId":"c1","input":{}}]',
        },
      },
    ],
    ["search"],
    ["search"],
  ],
  [
    "an instrumentation's model call around the SDK's own",
    [{ id: "oi", start: 0, end: 90, attributes: { [OI]: "LLM" } }, llm("sdk", { parent: "oi", start: 1, calls })],
    ["search"],
    ["search"],
  ],
  [
    "both beside each other, as with streams",
    [
      llm("a", { parent: "p", start: 0, end: 50, scope: "one", calls }),
      llm("b", { parent: "p", start: 1, end: 40, scope: "two", calls }),
    ],
    ["search"],
    ["search"],
  ],
  [
    "Genkit's generate spans, which repeat everything",
    [
      {
        id: "g",
        name: "generate",
        start: 0,
        end: 90,
        attributes: {
          "genkit:type": "util",
          "genkit:output": '{"message":{"content":[{"toolRequest":{"name":"search"}}]}}',
        },
      },
      {
        id: "m",
        parent: "g",
        start: 1,
        attributes: {
          "genkit:type": "action",
          "genkit:metadata:subtype": "model",
          "genkit:output": '{"message":{"content":[{"toolRequest":{"name":"search","input":{}}}]}}',
        },
      },
    ],
    ["search"],
    ["search"],
  ],
  [
    "LiveKit's attempts at one model call",
    [
      llm("node", { start: 0, end: 90, scope: "livekit-agents", calls }),
      {
        id: "run",
        parent: "node",
        name: "llm_request_run",
        start: 1,
        scope: "livekit-agents",
        attributes: { "gen_ai.request.model": "m" },
      },
    ],
    ["search"],
    ["search"],
  ],
];

const provided: readonly Row[] = [
  [
    "AI SDK 7 makes a span for it in the model call",
    [
      root,
      llm("chat", { parent: "root", start: 1, end: 90 }),
      tool("web", { parent: "chat", named: "web_search", start: 2, attributes: { "gen_ai.tool.type": "extension" } }),
    ],
    ["web_search"],
    ["web_search"],
  ],
  [
    "Mastra does too",
    [
      root,
      {
        id: "p",
        parent: "root",
        start: 1,
        attributes: { "mastra.span.type": "provider_tool_call", "gen_ai.tool.name": "web_search" },
      },
    ],
    ["web_search"],
    ["web_search"],
  ],
  [
    "AI SDK 4 to 6 make none: the completion shows it where nothing else does",
    [
      root,
      {
        id: "inner",
        parent: "root",
        start: 1,
        attributes: {
          "ai.operationId": "ai.generateText.doGenerate",
          "ai.response.toolCalls": '[{"toolName":"web_search","toolCallId":"c","input":"{}"}]',
        },
      },
    ],
    ["web_search"],
    ["web_search"],
  ],
  [
    "a server tool in OpenTelemetry's messages",
    [
      root,
      {
        id: "chat",
        parent: "root",
        start: 1,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.output.messages":
            '[{"role":"assistant","parts":[{"type":"server_tool_call","name":"web_search","server_tool_call":{"type":"web","query":"x"}}]}]',
        },
      },
    ],
    ["web_search"],
    ["web_search"],
  ],
];

describe.each([
  ["tools", tools],
  ["agents", agents],
  ["model calls", models],
  ["tools that the provider runs", provided],
] as const)("one act, one step: %s", (_, rows) => {
  test.each(rows)("%s", (_name, spans, steps, toolNames) => {
    const trace = assembled(spans);
    expect([shortSteps(trace), shortTools(trace)]).toEqual([steps, toolNames]);
  });
});
