import { describe, expect, test } from "vitest";
import { argumentsOf, kindAndName, outputOf, readOne } from "../support/read-one.ts";
import type { Sketch } from "../support/spans.ts";

type Row = readonly [name: string, span: Partial<Sketch>, kindAndName: string, convention: string];

const of = (attributes: Sketch["attributes"] = {}, more: Partial<Sketch> = {}): Partial<Sketch> => ({
  parent: "p",
  attributes,
  ...more,
});

const LANGFUSE = "langfuse.observation.type";
const GENKIT = { "genkit:type": "action", "genkit:name": "get_rate" };
const VOLT = { "entity.type": "agent", "entity.name": "assistant" };
const CLAUDE = { scope: "com.anthropic.claude_code.tracing" };
const BEEAI = { scope: "@arizeai/openinference-instrumentation-beeai" };
const LIVEKIT = { scope: "livekit-agents" };
const ADK = { scope: "gcp.vertex.agent" };
const OI = "openinference.span.kind";
const OI_AGENTS = { scope: "@arizeai/openinference-instrumentation-openai-agents" };

const langfuse: readonly Row[] = [
  ["tool: the span's name", of({ [LANGFUSE]: "tool" }, { name: "search" }), "TOOL search", "langfuse"],
  ["agent: the span's name", of({ [LANGFUSE]: "agent" }, { name: "planner" }), "AGENT planner", "langfuse"],
  ["generation", of({ [LANGFUSE]: "generation" }, { name: "OpenAI.chat" }), "LLM OpenAI.chat", "langfuse"],
  ["evaluator", of({ [LANGFUSE]: "evaluator" }), "none", "langfuse"],
  ["span says nothing", of({ [LANGFUSE]: "span" }), "none", "none"],
  [
    "span named like its LangChain agent",
    of({ [LANGFUSE]: "span", "langfuse.observation.metadata.lc_agent_name": "analyst" }, { name: "analyst" }),
    "AGENT analyst",
    "langfuse",
  ],
  [
    "span beneath that agent",
    of({ [LANGFUSE]: "span", "langfuse.observation.metadata.lc_agent_name": "analyst" }, { name: "tools" }),
    "none",
    "none",
  ],
  [
    "a name that another dialect gives stays: the AI SDK's agent",
    of({ [LANGFUSE]: "agent", "gen_ai.agent.name": "assistant" }, { name: "invoke_agent gpt" }),
    "AGENT assistant",
    "langfuse",
  ],
];

const frameworks: readonly Row[] = [
  [
    "LangSmith tool",
    of({ "langsmith.span.kind": "tool", "langsmith.trace.name": "search" }),
    "TOOL search",
    "langsmith",
  ],
  [
    "LangSmith prompt, although its operation says chat",
    of({ "langsmith.span.kind": "prompt", "gen_ai.operation.name": "chat" }),
    "none",
    "langsmith",
  ],
  ["LangSmith chain", of({ "langsmith.span.kind": "chain" }), "none", "langsmith"],
  ["Mastra agent", of({ "mastra.span.type": "agent_run", "gen_ai.agent.name": "a" }), "AGENT a", "mastra"],
  [
    "Mastra client tool, named by its span alone",
    of(
      { "mastra.span.type": "client_tool_call", "gen_ai.operation.name": "client_tool_call" },
      { name: "client_tool_call book_hotel" },
    ),
    "TOOL book_hotel",
    "mastra",
  ],
  [
    "Mastra provider tool",
    of({ "mastra.span.type": "provider_tool_call", "gen_ai.tool.name": "web_search" }),
    "TOOL web_search",
    "mastra",
  ],
  [
    "Mastra bridge: the whole loop is the model call",
    of({ "mastra.span.type": "model_generation", "gen_ai.operation.name": "chat" }, { name: "chat m" }),
    "LLM chat m",
    "mastra",
  ],
  [
    "Mastra exporter: it is not",
    of({ "mastra.span.type": "model_generation", "gen_ai.operation.name": "model_generation" }),
    "none",
    "mastra",
  ],
  [
    "Mastra exporter: the inference is",
    of({ "mastra.span.type": "model_inference", "gen_ai.operation.name": "chat" }, { name: "chat m" }),
    "LLM chat m",
    "mastra",
  ],
  ["Mastra scorer", of({ "mastra.span.type": "scorer_run" }), "none", "mastra"],
  ["Genkit tool", of({ ...GENKIT, "genkit:metadata:subtype": "tool" }), "TOOL get_rate", "genkit"],
  [
    "Genkit tool of the second kind",
    of({ ...GENKIT, "genkit:metadata:subtype": "tool.v2" }),
    "TOOL get_rate",
    "genkit",
  ],
  ["Genkit agent", of({ ...GENKIT, "genkit:metadata:subtype": "agent" }), "AGENT get_rate", "genkit"],
  ["Genkit model", of({ ...GENKIT, "genkit:metadata:subtype": "model" }, { name: "m" }), "LLM m", "genkit"],
  ["Genkit flow", of({ ...GENKIT, "genkit:metadata:subtype": "flow" }), "none", "genkit"],
  ["Genkit generate", of({ "genkit:type": "util", "genkit:name": "generate" }), "none", "genkit"],
  ["ADK model call, by its name and scope", of({}, { name: "call_llm", ...ADK }), "LLM call_llm", "google-adk"],
  ["ADK run", of({}, { name: "invocation", ...ADK }), "none", "google-adk"],
  [
    "ADK merged tools",
    of({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)" }, ADK),
    "none",
    "gen-ai",
  ],
  ["VoltAgent run", of(VOLT, { name: "assistant" }), "AGENT assistant", "voltagent"],
  [
    "VoltAgent sub-agent: the entity is its parent",
    of({ ...VOLT, "subagent.name": "analyst" }, { name: "subagent:analyst" }),
    "AGENT analyst",
    "voltagent",
  ],
  ["VoltAgent tool", of({ ...VOLT, "span.type": "tool", "tool.name": "search" }), "TOOL search", "voltagent"],
  [
    "VoltAgent model call",
    of({ ...VOLT, "span.type": "llm" }, { name: "llm:generateText" }),
    "LLM llm:generateText",
    "voltagent",
  ],
  ["VoltAgent memory", of({ ...VOLT, "span.type": "memory" }), "none", "voltagent"],
  ["span.type alone says nothing", of({ "span.type": "tool" }), "none", "none"],
  [
    "Claude Code run",
    of({ "span.type": "interaction" }, { name: "claude_code.interaction", ...CLAUDE }),
    "AGENT claude_code.interaction",
    "claude-code",
  ],
  [
    "Claude Code tool: the name as called",
    of({ tool_name: "mcp__lab__search", "gen_ai.tool.name": "search" }, { name: "claude_code.tool", ...CLAUDE }),
    "TOOL search",
    "claude-code",
  ],
  [
    "Claude Code execution of that call, although it repeats the call id",
    of({ "gen_ai.tool.call.id": "c" }, { name: "claude_code.tool.execution", ...CLAUDE }),
    "none",
    "claude-code",
  ],
  ["Laminar tool: the span's name", of({ "lmnr.span.type": "TOOL" }, { name: "search" }), "TOOL search", "laminar"],
  ["Laminar span without a type", of({ "lmnr.span.path": "x" }), "none", "none"],
  ["Ax tool", of({ "tool.name": "search" }, { name: "Tool: search", scope: "ax-llm" }), "TOOL search", "ax"],
  ["Ax tool without attributes", of({}, { name: "Tool: search", scope: "ax-llm" }), "TOOL search", "ax"],
  ["Ax program", of({}, { name: "AxGen", scope: "ax-llm" }), "none", "ax"],
  ["such a name in another scope", of({}, { name: "Tool: search", scope: "mine" }), "none", "none"],
  [
    "LiveKit tool: a constant span name",
    of({ "lk.function_tool.name": "search" }, { name: "function_tool", ...LIVEKIT }),
    "TOOL search",
    "livekit",
  ],
  [
    "LiveKit usage, although its operation is a model call's",
    of({ "gen_ai.operation.name": "generate_content" }, { name: "realtime_metrics", ...LIVEKIT }),
    "none",
    "livekit",
  ],
  ["LiveKit attempt", of({ "gen_ai.request.model": "m" }, { name: "llm_request_run", ...LIVEKIT }), "none", "livekit"],
  [
    "LiveKit agent by its label",
    of({ "gen_ai.operation.name": "invoke_agent", "lk.agent_label": "greeter" }, { name: "agent_turn", ...LIVEKIT }),
    "AGENT greeter",
    "gen-ai",
  ],
  ["Strands cycle", of({ "agent_loop.cycle_id": "1" }, { name: "execute_agent_loop_cycle" }), "none", "strands"],
  [
    "Strands graph: its agent name is a type",
    of({ "gen_ai.operation.name": "invoke_graph", "gen_ai.agent.name": "graph" }),
    "none",
    "gen-ai",
  ],
  ["Anthropic SDK tool by its name", of({}, { name: "anthropic.mcp_tool_use open" }), "TOOL open", "anthropic-sdk"],
  ["Anthropic SDK, other methods", of({}, { name: "anthropic.models.list" }), "none", "none"],
];

const rarer: readonly Row[] = [
  [
    "Sentry agent that has a model and no operation",
    of(
      { "sentry.op": "gen_ai.invoke_agent", "gen_ai.request.model": "m", "gen_ai.agent.name": "a" },
      { name: "invoke_agent a" },
    ),
    "AGENT a",
    "sentry",
  ],
  [
    "Sentry tool",
    of({ "sentry.op": "gen_ai.execute_tool", "gen_ai.tool.input": "{}", "gen_ai.tool.name": "t" }),
    "TOOL t",
    "sentry",
  ],
  ["Sentry HTTP span", of({ "sentry.op": "http.client" }), "none", "none"],
  ["MLflow tool, in quotes", of({ "mlflow.spanType": '"TOOL"' }, { name: "search" }), "TOOL search", "mlflow"],
  ["MLflow chat model", of({ "mlflow.spanType": "CHAT_MODEL" }, { name: "m" }), "LLM m", "mlflow"],
  ["MLflow chain says nothing", of({ "mlflow.spanType": "CHAIN" }), "none", "none"],
  ["Datadog tool", of({ "_ml_obs.meta.span.kind": "tool", "_ml_obs.name": "search" }), "TOOL search", "datadog"],
  ["Datadog task", of({ "_ml_obs.meta.span.kind": "task" }), "none", "datadog"],
  [
    "Datadog's words in the operation",
    of({ "gen_ai.operation.name": "tool", "gen_ai.tool.name": "t" }),
    "TOOL t",
    "gen-ai",
  ],
  [
    "Pydantic AI run, first versions",
    of({ agent_name: "researcher", "gen_ai.request.model": "m" }, { name: "agent run" }),
    "AGENT researcher",
    "pydantic-ai",
  ],
  [
    "Pydantic AI tool, first versions",
    of({ "gen_ai.tool.name": "search", "gen_ai.agent.name": "researcher" }, { name: "running tool" }),
    "TOOL search",
    "pydantic-ai",
  ],
  [
    "Pydantic AI round of tools",
    of({ "gen_ai.agent.name": "researcher" }, { name: "running 2 tools" }),
    "none",
    "pydantic-ai",
  ],
  [
    "Agent Framework machinery",
    of({ "executor.id": "x" }, { name: "executor.process writer" }),
    "none",
    "microsoft-agents",
  ],
  [
    "Agent Framework agent",
    of({ "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "writer" }),
    "AGENT writer",
    "gen-ai",
  ],
  ["AutoGen message", of({ "messaging.operation": "publish" }, { name: "autogen publish writer" }), "none", "autogen"],
  [
    "AutoGen tool",
    of({ "gen_ai.system": "autogen", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t" }),
    "TOOL t",
    "gen-ai",
  ],
  [
    "CrewAI agent by its role",
    of({ "traceloop.span.kind": "agent", "crewai.agent.role": "Researcher" }, { name: "Researcher.agent" }),
    "AGENT Researcher",
    "traceloop",
  ],
  ["CrewAI run", of({ "gen_ai.system": "crewai" }, { name: "crewai.workflow" }), "none", "crewai"],
  [
    "CrewAI agent through OpenInference",
    of({ [OI]: "AGENT", "graph.node.id": "Researcher" }),
    "AGENT Researcher",
    "openinference",
  ],
  [
    "Haystack tool",
    of({ "haystack.tool.name": "weather" }, { name: "haystack.agent.step.tool" }),
    "TOOL weather",
    "haystack",
  ],
  ["Haystack model call", of({}, { name: "haystack.agent.step.llm" }), "LLM haystack.agent.step.llm", "haystack"],
  ["Haystack run: it would hide that tools are not seen", of({}, { name: "haystack.agent.run" }), "none", "haystack"],
  [
    "OpenAI Agents asking for tools",
    of({ [OI]: "TOOL" }, { name: "mcp_tools", ...OI_AGENTS }),
    "none",
    "openai-agents",
  ],
  [
    "OpenAI Agents hand-off",
    of({ [OI]: "TOOL", "tool.name": "handoff_to_Billing" }, { name: "handoff to Billing", ...OI_AGENTS }),
    "TOOL handoff_to_Billing",
    "openinference",
  ],
  [
    "BeeAI start of a call",
    of({ [OI]: "TOOL" }, { name: "tool.dynamic.getRate.start-1", ...BEEAI }),
    "TOOL getRate",
    "openinference",
  ],
  ["BeeAI end of it", of({ [OI]: "TOOL" }, { name: "tool.dynamic.getRate.finish-1", ...BEEAI }), "none", "beeai"],
  [
    "OpenLIT model call, although it carries a tool's name",
    of(
      {
        "telemetry.sdk.name": "openlit",
        "gen_ai.tool.name": "t",
        "gen_ai.tool.call.id": "c",
        "gen_ai.request.model": "m",
      },
      { name: "chat m" },
    ),
    "LLM chat m",
    "openlit",
  ],
];

const traceloop: readonly Row[] = [
  ["tool", of({ "traceloop.span.kind": "tool", "traceloop.entity.name": "search" }), "TOOL search", "traceloop"],
  ["agent", of({ "traceloop.span.kind": "agent", "traceloop.entity.name": "a" }), "AGENT a", "traceloop"],
  [
    "workflow",
    of({ "traceloop.span.kind": "workflow", "traceloop.entity.name": "w" }, { name: "w.workflow" }),
    "none",
    "none",
  ],
  [
    "a session of MCP, although an agent's name is on it",
    of({ "traceloop.span.kind": "session", "gen_ai.agent.name": "a" }, { name: "mcp.client.session" }),
    "none",
    "none",
  ],
  [
    "the suffix alone, with a key of it",
    of({ "traceloop.workflow.name": "w" }, { name: "search.tool" }),
    "TOOL search",
    "traceloop",
  ],
  ["the suffix without any", of({}, { name: "search.tool" }), "none", "none"],
  [
    "LangChain tool: its class, until it has answered",
    of(
      {
        "gen_ai.operation.name": "execute_tool",
        "traceloop.span.kind": "task",
        "traceloop.entity.name": "DynamicTool",
      },
      { name: "execute_tool DynamicTool" },
    ),
    "TOOL DynamicTool",
    "gen-ai",
  ],
  [
    "LangChain tool: the name in its message, not one inside of the content",
    of(
      {
        "gen_ai.operation.name": "execute_tool",
        "traceloop.span.kind": "task",
        "traceloop.entity.name": "DynamicTool",
        "traceloop.entity.output":
          '{"lc":1,"name":"x","kwargs":{"content":[{"name":"y"}],"artifact":{"name":"z"},"name":"search"}}',
      },
      { name: "execute_tool DynamicTool" },
    ),
    "TOOL search",
    "gen-ai",
  ],
  [
    "LlamaIndex tool: named by its class",
    of({ "traceloop.span.kind": "tool" }, { name: "FunctionTool.tool" }),
    "TOOL FunctionTool",
    "traceloop",
  ],
];

/** Traceloop renames spans of the AI SDK as they start, and rewrites their attributes as they end. */
const rewritten: readonly Row[] = [
  [
    "before us: a tool with raw keys under a new name",
    of({ "ai.operationId": "ai.toolCall", "ai.toolCall.name": "search" }, { name: "execute_tool search", scope: "ai" }),
    "TOOL search",
    "vercel-ai",
  ],
  [
    "after us: only new keys",
    of(
      {
        "ai.operationId": "ai.toolCall",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "search",
      },
      { name: "execute_tool search", scope: "ai" },
    ),
    "TOOL search",
    "vercel-ai",
  ],
  [
    "the run, of a named agent",
    of({ "ai.operationId": "ai.generateText", "gen_ai.agent.name": "planner" }, { name: "planner.agent", scope: "ai" }),
    "AGENT planner",
    "vercel-ai",
  ],
  [
    "the run, of none: it looks like a model call and is none",
    of({ "ai.operationId": "ai.generateText", "gen_ai.request.model": "m" }, { name: "chat m", scope: "ai" }),
    "none",
    "vercel-ai",
  ],
  [
    "the model call in it, with the agent's name on it",
    of(
      { "ai.operationId": "ai.generateText.doGenerate", "gen_ai.agent.name": "planner" },
      { name: "chat m", scope: "ai" },
    ),
    "LLM chat m",
    "vercel-ai",
  ],
];

describe.each([
  ["Traceloop on the AI SDK", rewritten],
  ["Langfuse", langfuse],
  ["frameworks", frameworks],
  ["rarer ones", rarer],
  ["Traceloop", traceloop],
] as const)("kinds and names: %s", (_, rows) => {
  test.each(rows)("%s", (_name, span, want, convention) => {
    const facts = readOne(span);
    expect([kindAndName(facts), facts.convention]).toEqual([want, convention]);
  });
});

const ok = (value: unknown): unknown => ({ value, status: "ok" });
const json = '{"pair":"USD/EUR"}';
const pair = ok({ pair: "USD/EUR" });

describe("arguments", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, args: unknown]>([
    ["Langfuse", of({ [LANGFUSE]: "tool", "langfuse.observation.input": json }), pair],
    ["Langfuse, masked", of({ [LANGFUSE]: "tool", "langfuse.observation.input": "<masked>" }), "absent"],
    ["LangSmith", of({ "langsmith.span.kind": "tool", "gen_ai.prompt": json }), pair],
    [
      "LangSmith, hidden",
      of({ "langsmith.span.kind": "tool", "gen_ai.prompt": "{}", "langsmith.metadata.LANGSMITH_HIDE_INPUTS": "true" }),
      "absent",
    ],
    ["Mastra client tool", of({ "mastra.span.type": "client_tool_call", "mastra.metadata.args": json }), pair],
    ["Genkit", of({ ...GENKIT, "genkit:metadata:subtype": "tool", "genkit:input": json }), pair],
    [
      "Genkit, one text",
      of({ ...GENKIT, "genkit:metadata:subtype": "tool", "genkit:input": '"USD"' }),
      { value: "USD", status: "unparsed" },
    ],
    ["ADK", of({ "gen_ai.operation.name": "execute_tool", "gcp.vertex.agent.tool_call_args": json }), pair],
    [
      "ADK: left out, or none given",
      of({ "gen_ai.operation.name": "execute_tool", "gcp.vertex.agent.tool_call_args": "{}" }),
      "absent",
    ],
    ["VoltAgent", of({ ...VOLT, "span.type": "tool", "tool.name": "t", input: json }), pair],
    [
      "VoltAgent: the schema is none",
      of({ ...VOLT, "span.type": "tool", "tool.name": "t", "tool.parameters": '{"def":{}}' }),
      "absent",
    ],
    ["Laminar", of({ "lmnr.span.type": "TOOL", "lmnr.span.input": json }), pair],
    ["LiveKit", of({ "lk.function_tool.name": "t", "lk.pii.function_tool.arguments": json }, LIVEKIT), pair],
    ["Sentry", of({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.input": json }), pair],
    ["MLflow", of({ "mlflow.spanType": "TOOL", "mlflow.spanInputs": json }), pair],
    ["Pydantic AI", of({ "gen_ai.tool.name": "t", tool_arguments: json }, { name: "running tool" }), pair],
    [
      "Haystack",
      of({ "haystack.agent.step.tool.input": json, "haystack.tool.name": "t" }, { name: "haystack.agent.step.tool" }),
      pair,
    ],
    [
      "Traceloop decorator: named",
      of({ "traceloop.span.kind": "tool", "traceloop.entity.input": `{"args":[],"kwargs":${json}}` }),
      pair,
    ],
    [
      "Traceloop decorator: nothing given",
      of({ "traceloop.span.kind": "tool", "traceloop.entity.input": '{"args":[],"kwargs":{}}' }),
      ok({}),
    ],
    [
      "Traceloop decorator: several in a row",
      of({ "traceloop.span.kind": "tool", "traceloop.entity.input": '{"args":[1,2],"kwargs":{}}' }),
      { value: [1, 2], status: "unparsed" },
    ],
    [
      "Traceloop LangChain: JSON inside",
      of({ "traceloop.span.kind": "tool", "traceloop.entity.input": JSON.stringify({ args: [json] }) }),
      pair,
    ],
    [
      "Traceloop MCP",
      of({ "traceloop.span.kind": "tool", "traceloop.entity.input": `{"tool_name":"t","arguments":${json}}` }),
      pair,
    ],
    ["Traceloop, plain", of({ "traceloop.span.kind": "tool", "traceloop.entity.input": json }), pair],
  ])("%s", (_, span, args) => {
    expect(argumentsOf(readOne(span))).toEqual(args);
  });
});

const call = '{"name":"search","args":{"q":1},"type":"tool_call","id":"c"}';
const chat = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m" };

describe("calls inside of completions", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, calls: readonly string[]]>([
    [
      "Langfuse",
      of({ [LANGFUSE]: "generation", "langfuse.observation.output": `{"role":"assistant","tool_calls":[${call}]}` }),
      ['search({"q":1})'],
    ],
    [
      "Genkit",
      of({
        ...GENKIT,
        "genkit:metadata:subtype": "model",
        "genkit:output": '{"message":{"content":[{"toolRequest":{"name":"search","ref":"r","input":{"q":1}}}]}}',
      }),
      ['search({"q":1})'],
    ],
    [
      "ADK, JavaScript",
      of({
        ...chat,
        "gcp.vertex.agent.llm_response": '{"content":{"parts":[{"functionCall":{"name":"a","args":{}}}]}}',
      }),
      ["a({})"],
    ],
    [
      "ADK, Python",
      of({
        ...chat,
        "gcp.vertex.agent.llm_response": '{"content":{"parts":[{"function_call":{"name":"a","args":{}}}]}}',
      }),
      ["a({})"],
    ],
    ["LiveKit", of({ ...chat, "lk.pii.response.function_calls": `[${call}]` }, LIVEKIT), ['search({"q":1})']],
    ["Sentry", of({ ...chat, "gen_ai.response.tool_calls": `[${call}]` }), ['search({"q":1})']],
    [
      "MLflow",
      of({ "mlflow.spanType": "LLM", "mlflow.spanOutputs": `{"choices":[{"message":{"tool_calls":[${call}]}}]}` }),
      ['search({"q":1})'],
    ],
    [
      "OpenLIT, several joined",
      of({
        ...chat,
        "telemetry.sdk.name": "openlit",
        "gen_ai.tool.name": "a, b",
        "gen_ai.tool.call.id": "c1, c2",
        "gen_ai.tool.args": '{"id":"1,2"}, {"id":"3"}',
      }),
      ['a({"id":"1,2"})', 'b({"id":"3"})'],
    ],
    [
      "OpenLIT, arguments that cannot be told apart",
      of({
        ...chat,
        "telemetry.sdk.name": "openlit",
        "gen_ai.tool.name": "a, b",
        "gen_ai.tool.call.id": "c1, c2",
        "gen_ai.tool.args": "{}",
      }),
      ["a(absent)", "b(absent)"],
    ],
    [
      "OpenLIT, names without ids: the tools on offer",
      of({ ...chat, "telemetry.sdk.name": "openlit", "gen_ai.tool.name": "a, b", "gen_ai.output.messages": "[]" }),
      [],
    ],
    [
      "such attributes of another emitter",
      of({ ...chat, "gen_ai.tool.name": "a", "gen_ai.tool.call.id": "c1", "gen_ai.output.messages": "[]" }),
      [],
    ],
    [
      "Ax: names alone",
      of(chat, { scope: "ax-llm", events: [{ name: "gen_ai.choice", attributes: { tool_names: "a,b" } }] }),
      ["a(absent)", "b(absent)"],
    ],
  ])("%s", (_, span, calls) => {
    expect(outputOf(readOne(span))?.calls).toEqual(calls);
  });
});

describe("failures", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, failed: boolean]>([
    ["Langfuse level", of({ [LANGFUSE]: "tool", "langfuse.observation.level": "ERROR" }), true],
    ["Langfuse, other level", of({ [LANGFUSE]: "tool", "langfuse.observation.level": "DEBUG" }), false],
    ["Genkit state", of({ ...GENKIT, "genkit:metadata:subtype": "tool", "genkit:state": "error" }), true],
    ["LiveKit flag", of({ "lk.function_tool.name": "t", "lk.function_tool.is_error": true }, LIVEKIT), true],
    [
      "Strands, status OK",
      of({ "gen_ai.operation.name": "execute_tool", "gen_ai.tool.status": "error" }, { status: "OK" }),
      true,
    ],
    [
      "LangSmith, status OK with an exception",
      of({ "langsmith.span.kind": "tool" }, { status: "OK", events: [{ name: "exception" }] }),
      true,
    ],
  ])("%s", (_, span, failed) => {
    expect(readOne(span).facts?.failed).toBe(failed);
  });
});

describe("names of agents", () => {
  test.each<readonly [name: string, span: Partial<Sketch>]>([
    ["Claude Code", of({}, { name: "claude_code.interaction", ...CLAUDE })],
    [
      "the Anthropic SDK's runner",
      of({ "gen_ai.operation.name": "invoke_agent" }, { name: "anthropic.messages.tool_runner" }),
    ],
    ["the root of OpenAI Agents", of({ [OI]: "AGENT" }, { name: "Agent workflow", ...OI_AGENTS })],
    ["BeeAI", of({ [OI]: "AGENT" }, { name: "agent.react.start-1", ...BEEAI })],
    ["Claude Agent SDK", of({ [OI]: "AGENT" }, { name: "ClaudeAgent.query" })],
    [
      "AI SDK 7 without a function id",
      of({ "gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "m" }, { name: "invoke_agent m" }),
    ],
  ])("%s names none", (_, span) => {
    expect(readOne(span)).toMatchObject({ kind: "AGENT", facts: { nameless: true } });
  });

  test("the name as Claude Code calls a tool is kept beside the bare one", () => {
    const facts = readOne(of({ tool_name: "mcp__lab__search" }, { name: "claude_code.tool", ...CLAUDE })).facts;
    expect([facts?.raw_name, facts?.name]).toEqual(["mcp__lab__search", "search"]);
  });
});
