import { describe, expect, test } from "vitest";
import { kindAndName, readOne } from "../support/read-one.ts";
import type { Sketch } from "../support/spans.ts";

type Row = readonly [name: string, span: Partial<Sketch>, want: string];

const op = (name: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  "gen_ai.operation.name": name,
  ...more,
});

describe("aip", () => {
  test.each<Row>([
    [
      "TOOL of anything",
      { name: "GET /x", attributes: { "aip.span.kind": "TOOL", "aip.tool.name": "fetch" } },
      "TOOL fetch",
    ],
    ["AGENT", { name: "run", attributes: { "aip.span.kind": "AGENT" } }, "AGENT run"],
    ["LLM", { name: "call", attributes: { "aip.span.kind": "LLM" } }, "LLM call"],
    ["NONE beats everything", { attributes: { "aip.span.kind": "NONE", ...op("execute_tool") } }, "none"],
    [
      "another value says nothing",
      { attributes: { "aip.span.kind": "tool", ...op("chat") }, name: "chat" },
      "LLM chat",
    ],
    ["the agent's name alone makes no agent", { attributes: { "aip.agent.name": "x" } }, "none"],
    [
      "an agent by our word takes the name that another dialect gives",
      { name: "run", attributes: { "aip.span.kind": "AGENT", "gen_ai.agent.name": "bot" } },
      "AGENT bot",
    ],
    [
      "a tool by our word takes the name that another dialect gives",
      { name: "run", attributes: { "aip.span.kind": "TOOL", "tool.name": "search" } },
      "TOOL search",
    ],
    [
      "its name beats the tool's",
      { attributes: { "aip.tool.name": "mine", ...op("execute_tool", { "gen_ai.tool.name": "theirs" }) } },
      "TOOL mine",
    ],
  ])("%s", (_, span, want) => {
    expect(kindAndName(readOne(span))).toBe(want);
  });
});

describe("OpenTelemetry GenAI", () => {
  test.each<Row>([
    ...["chat", "text_completion", "generate_content", "responses"].map(
      (name): Row => [name, { name: `${name} m`, attributes: op(name) }, `LLM ${name} m`],
    ),
    ["execute_tool", { attributes: op("execute_tool", { "gen_ai.tool.name": "t" }) }, "TOOL t"],
    ["execute_tool named by its span", { name: "execute_tool t", attributes: op("execute_tool") }, "TOOL t"],
    ["execute_tool without a name", { name: "execute_tool", attributes: op("execute_tool") }, "TOOL execute_tool"],
    [
      "execute_tool with a blank name, named by its span",
      { name: "execute_tool t", attributes: op("execute_tool", { "gen_ai.tool.name": "  " }) },
      "TOOL t",
    ],
    [
      "execute_tool with a blank behind it",
      { name: "execute_tool ", attributes: op("execute_tool") },
      "TOOL execute_tool ",
    ],
    ["invoke_agent", { attributes: op("invoke_agent", { "gen_ai.agent.name": "a" }) }, "AGENT a"],
    ["invoke_agent by id", { attributes: op("invoke_agent", { "gen_ai.agent.id": "a-1" }) }, "AGENT a-1"],
    [
      "invoke_agent named by its span, unstripped",
      { name: "invoke_agent a", attributes: op("invoke_agent") },
      "AGENT invoke_agent a",
    ],
    ...["create_agent", "invoke_workflow", "plan", "retrieval", "embeddings", "agent_step", "execute_node"].map(
      (name): Row => [
        name,
        { name, attributes: op(name, { "gen_ai.agent.name": "a", "gen_ai.request.model": "m" }) },
        "none",
      ],
    ),
    [
      "an unknown operation is no opinion",
      { name: "x", attributes: op("new_thing", { "gen_ai.request.model": "m" }) },
      "LLM x",
    ],
    ["an unknown operation alone", { name: "x", attributes: op("new_thing") }, "none"],
    ["an agent's name alone", { attributes: { "gen_ai.agent.name": "a" } }, "none"],
    ["tool-shaped", { attributes: { "gen_ai.tool.name": "t" } }, "TOOL t"],
    [
      "tool-shaped by call id",
      { name: "running tool", attributes: { "gen_ai.tool.call.id": "c" } },
      "TOOL running tool",
    ],
    [
      "a model beside the tool: model-shaped",
      { name: "x", attributes: { "gen_ai.tool.name": "t", "gen_ai.request.model": "m" } },
      "LLM x",
    ],
    ["model-shaped by response", { name: "x", attributes: { "gen_ai.response.model": "m" } }, "LLM x"],
    ["model-shaped by flat completion", { name: "x", attributes: { "gen_ai.completion.0.content": "hi" } }, "LLM x"],
    ["rerank is no model call", { name: "x", attributes: { "llm.request.type": "rerank" } }, "none"],
    [
      "merged tools are bookkeeping",
      { attributes: op("execute_tool", { "gen_ai.tool.name": "(merged tools)" }) },
      "none",
    ],
    ["by span name: execute_tool", { name: "execute_tool t" }, "TOOL t"],
    ["by span name: invoke_agent", { name: "invoke_agent a" }, "AGENT invoke_agent a"],
    ["by span name: chat", { name: "chat m" }, "LLM chat m"],
    ["by span name: whole words only", { name: "chatter" }, "none"],
    ["by span name: the first word only", { name: "POST /chat" }, "none"],
  ])("%s", (_, span, want) => {
    expect(kindAndName(readOne(span))).toBe(want);
  });

  test.each<readonly [spanName: string, attributes: Readonly<Record<string, unknown>>, nameless: boolean]>([
    ["invoke_agent", {}, true],
    ["invoke_agent gpt-x", { "gen_ai.request.model": "gpt-x" }, true],
    ["invoke_agent writer", { "gen_ai.request.model": "gpt-x" }, false],
    ["invoke_agent gpt-x", { "gen_ai.request.model": "gpt-x", "gen_ai.agent.name": "a" }, false],
    ["invoke_agent gpt-x", { "gen_ai.request.model": "gpt-x", "aip.agent.name": "a" }, false],
    ["anthropic.messages.tool_runner", {}, true],
    ["my agent", {}, false],
  ])("%s %j is nameless: %s", (name, attributes, nameless) => {
    expect(readOne({ name, attributes: op("invoke_agent", attributes) }).facts?.nameless).toBe(nameless);
  });
});

describe("MCP", () => {
  test.each<Row>([
    ["tools/call", { name: "tools/call t", attributes: { "mcp.method.name": "tools/call" } }, "TOOL t"],
    ["tools/list", { attributes: { "mcp.method.name": "tools/list", "gen_ai.tool.name": "t" } }, "none"],
    ["initialize", { attributes: { "mcp.method.name": "initialize" } }, "none"],
  ])("%s", (_, span, want) => {
    expect(kindAndName(readOne(span))).toBe(want);
  });

  test.each<readonly [name: string, span: Partial<Sketch>, mcp: boolean]>([
    ["its method", { attributes: { "mcp.method.name": "tools/call" } }, true],
    ["a tool that serves", { span_kind: "SERVER", attributes: op("execute_tool") }, true],
    ["a tool", { attributes: op("execute_tool") }, false],
  ])("an MCP span is told by %s", (_, span, mcp) => {
    expect(readOne(span).facts?.mcp).toBe(mcp);
  });
});

describe("Vercel AI SDK", () => {
  const ai = (id: string, more: Readonly<Record<string, unknown>> = {}): Partial<Sketch> => ({
    name: id,
    scope: "ai",
    attributes: { "ai.operationId": id, ...more },
  });
  test.each<Row>([
    ["ai.toolCall", ai("ai.toolCall", { "ai.toolCall.name": "t" }), "TOOL t"],
    [
      "inner generate",
      ai("ai.generateText.doGenerate", { "ai.telemetry.functionId": "f" }),
      "LLM ai.generateText.doGenerate",
    ],
    ["inner stream", ai("ai.streamObject.doStream"), "LLM ai.streamObject.doStream"],
    ["outer with a function id", ai("ai.generateText", { "ai.telemetry.functionId": "f" }), "AGENT f"],
    [
      "outer with metadata",
      ai("ai.streamText", { "ai.telemetry.functionId": "f", "ai.telemetry.metadata.agentName": "m" }),
      "AGENT m",
    ],
    ["outer without an identity", ai("ai.generateText", { "gen_ai.request.model": "m" }), "none"],
    ["embeddings", ai("ai.embedMany.doEmbed", { "ai.telemetry.functionId": "f" }), "none"],
    ["by operation.name", { attributes: { "operation.name": "ai.toolCall my-fn", "ai.toolCall.name": "t" } }, "TOOL t"],
    ["another operation.name", { attributes: { "operation.name": "checkout" } }, "none"],
    [
      "renamed by a converter, the id stays",
      { ...ai("ai.toolCall", { "ai.toolCall.name": "t", "openinference.span.kind": "CHAIN" }), name: "ai.toolCall fn" },
      "TOOL t",
    ],
  ])("%s", (_, span, want) => {
    expect(kindAndName(readOne(span))).toBe(want);
  });
});

describe("OpenInference", () => {
  const oi = (kind: string, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
    "openinference.span.kind": kind,
    ...more,
  });
  const beeAi = "@arizeai/openinference-instrumentation-beeai";
  const agents = "@arizeai/openinference-instrumentation-openai-agents";
  test.each<Row>([
    ["LLM", { name: "x", attributes: oi("LLM") }, "LLM x"],
    ["TOOL by its key", { name: "x", attributes: oi("TOOL", { "tool.name": "t" }) }, "TOOL t"],
    ["TOOL by its span", { name: "t", attributes: oi("TOOL") }, "TOOL t"],
    ["AGENT by its key", { attributes: oi("AGENT", { "agent.name": "a", "graph.node.id": "n" }) }, "AGENT a"],
    ["AGENT by node", { attributes: oi("AGENT", { "graph.node.id": "n" }) }, "AGENT n"],
    ["AGENT by its span", { name: "a", attributes: oi("AGENT") }, "AGENT a"],
    ["AGENT by the name of another dialect", { attributes: oi("AGENT", { "gen_ai.agent.name": "b" }) }, "AGENT b"],
    [
      "a name of another dialect comes before an id",
      { attributes: { ...op("invoke_agent", { "gen_ai.agent.id": "asst_1" }), "agent.name": "writer" } },
      "AGENT writer",
    ],
    ...["CHAIN", "RETRIEVER", "GUARDRAIL", "EVALUATOR", "PROMPT", "UNKNOWN"].map(
      (kind): Row => [kind, { attributes: oi(kind, { "tool.name": "t" }) }, "none"],
    ),
    [
      "the operation beats a converter's kind",
      { attributes: oi("LLM", { ...op("execute_tool"), "gen_ai.tool.name": "t" }) },
      "TOOL t",
    ],
    [
      "LangChain's agent",
      { name: "bot", attributes: oi("CHAIN", { metadata: '{"lc_agent_name": "bot"}' }) },
      "AGENT bot",
    ],
    ["a chain within it", { name: "tools", attributes: oi("CHAIN", { metadata: '{"lc_agent_name":"bot"}' }) }, "none"],
    ["a tool within it", { name: "bot", attributes: oi("TOOL", { metadata: '{"lc_agent_name":"bot"}' }) }, "TOOL bot"],
    ["BeeAI: a start", { name: "tool.dynamic.getRate.start-1", scope: beeAi, attributes: oi("TOOL") }, "TOOL getRate"],
    [
      "BeeAI: a name with dots",
      { name: "tool.dynamic.a.b.start-12", scope: beeAi, attributes: oi("TOOL") },
      "TOOL a.b",
    ],
    ["BeeAI: a success", { name: "tool.dynamic.getRate.success-1", scope: beeAi, attributes: oi("TOOL") }, "none"],
    [
      "BeeAI: the end of the run",
      { name: "tool.dynamic.finalAnswer.start-1", scope: beeAi, attributes: oi("TOOL") },
      "none",
    ],
    [
      "such a name in another scope",
      { name: "tool.dynamic.x.success-1", attributes: oi("TOOL") },
      "TOOL tool.dynamic.x.success-1",
    ],
  ])("%s", (_, span, want) => {
    expect(kindAndName(readOne(span))).toBe(want);
  });

  test.each<
    readonly [spanName: string, scope: string, attributes: Readonly<Record<string, unknown>>, nameless: boolean]
  >([
    ["ClaudeAgent.query", "x", {}, true],
    ["beeai-framework-main", beeAi, {}, true],
    ["agent.toolCalling.start-1", beeAi, {}, true],
    ["Agent workflow", agents, {}, true],
    ["writer", agents, { "graph.node.id": "writer" }, false],
    ["Agent workflow", "x", {}, false],
  ])("%s of %s is nameless: %s", (name, scope, attributes, nameless) => {
    expect(readOne({ name, scope, attributes: oi("AGENT", attributes) }).facts?.nameless).toBe(nameless);
  });

  test("an error event reports the failure of its call", () => {
    const facts = readOne({ name: "tool.dynamic.getRate.error-3", scope: beeAi, attributes: oi("TOOL") });
    expect(facts).toMatchObject({ kind: undefined, failure: { of: "earlier", name: "getRate" } });
  });
});

describe("failures", () => {
  const run = op("execute_tool");
  test.each<readonly [name: string, span: Partial<Sketch>, failed: boolean]>([
    ["nothing said", { attributes: run }, false],
    ["status OK", { attributes: run, status: "OK" }, false],
    ["status ERROR", { attributes: run, status: "ERROR" }, true],
    ["error.type", { attributes: { ...run, "error.type": "tool_error" } }, true],
    [
      "an exception event, though the status is OK",
      { attributes: run, status: "OK", events: [{ name: "exception" }] },
      true,
    ],
    ["Strands' status", { attributes: { ...run, "gen_ai.tool.status": "error" }, status: "OK" }, true],
    [
      "an AI SDK result beats the status",
      { scope: "ai", attributes: { "ai.operationId": "ai.toolCall", "ai.toolCall.result": "{}" }, status: "ERROR" },
      false,
    ],
    [
      "also in version 7",
      { scope: "gen_ai", attributes: { ...run, "gen_ai.tool.call.result": "1" }, status: "ERROR" },
      false,
    ],
    ["not in other scopes", { attributes: { ...run, "gen_ai.tool.call.result": "1" }, status: "ERROR" }, true],
    [
      "an AI SDK call without result",
      { scope: "ai", attributes: { "ai.operationId": "ai.toolCall" }, status: "ERROR" },
      true,
    ],
  ])("%s", (_, span, failed) => {
    expect(readOne(span).facts?.failed).toBe(failed);
  });
});
