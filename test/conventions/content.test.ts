import { describe, expect, test } from "vitest";
import { argumentsOf, outputOf, readOne } from "../support/read-one.ts";
import type { Sketch } from "../support/spans.ts";

const toolOp = { "gen_ai.operation.name": "execute_tool" };
const chatOp = { "gen_ai.operation.name": "chat" };
const oiTool = { "openinference.span.kind": "TOOL" };
const oiModel = { "openinference.span.kind": "LLM" };
const ok = (value: unknown): unknown => ({ value, status: "ok" });

describe("where tool arguments are", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, want: unknown]>([
    ["gen_ai", { attributes: { ...toolOp, "gen_ai.tool.call.arguments": '{"a":1}' } }, ok({ a: 1 })],
    ["gen_ai, nested", { attributes: { ...toolOp, "gen_ai.tool.call.arguments": { a: [1] } } }, ok({ a: [1] })],
    [
      "Strands' event",
      { attributes: toolOp, events: [{ name: "gen_ai.tool.message", attributes: { content: '{"a":1}' } }] },
      ok({ a: 1 }),
    ],
    ["Vercel AI SDK", { attributes: { "ai.operationId": "ai.toolCall", "ai.toolCall.args": '{"a":1}' } }, ok({ a: 1 })],
    [
      "Vercel AI SDK, input",
      { attributes: { "ai.operationId": "ai.toolCall", "ai.toolCall.input": '{"a":1}' } },
      ok({ a: 1 }),
    ],
    [
      "OpenInference",
      { attributes: { ...oiTool, "input.value": '{"a":1}', "tool.parameters": '{"b":2}' } },
      ok({ a: 1 }),
    ],
    [
      "OpenInference, parameters where the input is a bare text",
      { attributes: { ...oiTool, "input.value": "h1", "tool.parameters": '{"id":"h1"}' } },
      ok({ id: "h1" }),
    ],
    [
      "OpenInference, parameters where the input is hidden",
      { attributes: { ...oiTool, "input.value": "__REDACTED__", "tool.parameters": '{"id":"h1"}' } },
      ok({ id: "h1" }),
    ],
    [
      "OpenInference, parameters that are the definition",
      { attributes: { ...oiTool, "tool.parameters": '{"type":"object","properties":{}}' } },
      { value: undefined, status: "absent" },
    ],
    [
      "OpenInference, a bare text alone",
      { attributes: { ...oiTool, "input.value": "h1" } },
      { value: "h1", status: "unparsed" },
    ],
    [
      "the deciding dialect's come first",
      { attributes: { ...toolOp, ...oiTool, "gen_ai.tool.call.arguments": '{"a":1}', "input.value": '{"b":2}' } },
      ok({ a: 1 }),
    ],
    ["gaps are filled from the next", { attributes: { ...toolOp, ...oiTool, "input.value": '{"b":2}' } }, ok({ b: 2 })],
    [
      "cut content gives way to whole content",
      {
        attributes: {
          ...toolOp,
          ...oiTool,
          "gen_ai.tool.call.arguments": "x".repeat(70_000),
          "input.value": '{"b":2}',
        },
      },
      ok({ b: 2 }),
    ],
    ["too large", { attributes: { ...toolOp, "gen_ai.tool.call.arguments": "x".repeat(70_000) } }, "cut"],
    ["hidden", { attributes: { ...toolOp, "gen_ai.tool.call.arguments": "<masked>" } }, "absent"],
    ["none", { attributes: toolOp }, "absent"],
  ])("%s", (_, span, want) => {
    expect(argumentsOf(readOne(span))).toEqual(want);
  });

  test.each<readonly [name: string, attributes: Readonly<Record<string, unknown>>, want: string]>([
    ["gen_ai", { ...toolOp, "gen_ai.tool.call.id": "c" }, "c"],
    ["not specified", { ...toolOp, "gen_ai.tool.call.id": "<not specified>" }, ""],
    ["Vercel AI SDK", { "ai.operationId": "ai.toolCall", "ai.toolCall.id": "c" }, "c"],
    ["OpenInference", { ...oiTool, "tool_call.id": "c", "tool.id": "d" }, "c"],
    ["OpenInference, older", { ...oiTool, "tool.id": "d" }, "d"],
    ["none", toolOp, ""],
  ])("call id: %s", (_, attributes, want) => {
    expect(readOne({ attributes }).facts?.call_id).toBe(want);
  });
});

const parts = (...items: readonly unknown[]): string => JSON.stringify([{ role: "assistant", parts: items }]);
const flatCall = (prefix: string, call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(call).map(([key, value]) => [`${prefix}.${key}`, value]));
const OI = "llm.output_messages";

describe("where calls are in completions", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, calls: readonly string[]]>([
    [
      "message parts",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": parts(
            { type: "text", content: "x" },
            { type: "tool_call", id: "1", name: "a", arguments: { k: 1 } },
            { type: "tool_call", name: "b" },
          ),
        },
      },
      ['a({"k":1})', "b(absent)"],
    ],
    [
      "message parts, nested value",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": [{ parts: [{ type: "tool_call", name: "a", arguments: "{}" }] }],
        },
      },
      ["a({})"],
    ],
    [
      "message parts, encoded twice",
      { attributes: { ...chatOp, "gen_ai.output.messages": JSON.stringify(parts({ type: "tool_call", name: "a" })) } },
      ["a(absent)"],
    ],
    [
      "server tool calls",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": parts({
            type: "server_tool_call",
            name: "web",
            server_tool_call: { type: "web", query: "q" },
          }),
        },
      },
      ['web({"query":"q"})'],
    ],
    [
      "responses to calls are no calls",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": parts({ type: "tool_call_response", id: "1", name: "a", response: "x" }),
        },
      },
      [],
    ],
    [
      "of alternatives the first",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": JSON.stringify([
            { parts: [{ type: "tool_call", name: "a" }], finish_reason: "tool_call" },
            { parts: [{ type: "tool_call", name: "b" }], finish_reason: "tool_call" },
          ]),
        },
      },
      ["a(absent)"],
    ],
    [
      "of one answer in several messages all",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": JSON.stringify([
            { parts: [{ type: "text", content: "hm" }] },
            { parts: [{ type: "tool_call", name: "b" }] },
          ]),
        },
      },
      ["b(absent)"],
    ],
    [
      "flat completions",
      {
        attributes: {
          ...chatOp,
          ...flatCall("gen_ai.completion.0.tool_calls.1", { name: "b", arguments: '{"k":2}' }),
          ...flatCall("gen_ai.completion.0.tool_calls.0", { name: "a", id: "1", arguments: '{"k":1}' }),
        },
      },
      ['a({"k":1})', 'b({"k":2})'],
    ],
    [
      "flat completions, choice 0 only",
      {
        attributes: {
          ...chatOp,
          ...flatCall("gen_ai.completion.1.tool_calls.0", { name: "b" }),
          "gen_ai.completion.0.content": "hi",
        },
      },
      [],
    ],
    [
      "flat completions, function call",
      { attributes: { ...chatOp, ...flatCall("gen_ai.completion.0.function_call", { name: "a", arguments: "{}" }) } },
      ["a({})"],
    ],
    [
      "choice events, OpenAI",
      {
        attributes: chatOp,
        events: [
          {
            name: "gen_ai.choice",
            attributes: {
              index: 0,
              message: JSON.stringify({
                tool_calls: [{ id: "1", type: "function", function: { name: "a", arguments: '{"k":1}' } }],
              }),
            },
          },
        ],
      },
      ['a({"k":1})'],
    ],
    [
      "choice events, calls at the top",
      {
        attributes: chatOp,
        events: [
          { name: "gen_ai.choice", attributes: { tool_calls: JSON.stringify([{ id: "1", function: { name: "a" } }]) } },
        ],
      },
      ["a(absent)"],
    ],
    [
      "choice events, other alternatives",
      {
        attributes: chatOp,
        events: [
          { name: "gen_ai.choice", attributes: { index: 1, message: '{"tool_calls":[{"function":{"name":"b"}}]}' } },
        ],
      },
      [],
    ],
    [
      "Strands",
      {
        attributes: chatOp,
        events: [
          {
            name: "gen_ai.choice",
            attributes: { message: '[{"type":"toolUse","name":"a","toolUseId":"1","input":{"k":1}}]' },
          },
        ],
      },
      ['a({"k":1})'],
    ],
    [
      "Strands for Python",
      {
        attributes: chatOp,
        events: [
          {
            name: "gen_ai.choice",
            attributes: { message: '[{"toolUse":{"name":"a","toolUseId":"1","input":{"k":1}}}]' },
          },
        ],
      },
      ['a({"k":1})'],
    ],
    [
      "details events",
      {
        attributes: chatOp,
        events: [
          {
            name: "gen_ai.client.inference.operation.details",
            attributes: { "gen_ai.output.messages": parts({ type: "tool_call", name: "a" }) },
          },
        ],
      },
      ["a(absent)"],
    ],
    [
      "the provider's calls",
      {
        attributes: {
          ...chatOp,
          "gen_ai.response.tool_calls": '[{"name":"a","type":"function_call","arguments":"{}"}]',
        },
      },
      ["a({})"],
    ],
    [
      "Vercel AI SDK 4, generate",
      {
        attributes: {
          "ai.operationId": "ai.generateText.doGenerate",
          "ai.response.toolCalls": '[{"toolCallType":"function","toolCallId":"1","toolName":"a","args":"{\\"k\\":1}"}]',
        },
      },
      ['a({"k":1})'],
    ],
    [
      "Vercel AI SDK 4, stream",
      {
        attributes: {
          "ai.operationId": "ai.streamText.doStream",
          "ai.response.toolCalls": '[{"type":"tool-call","toolCallId":"1","toolName":"a","args":{"k":1}}]',
        },
      },
      ['a({"k":1})'],
    ],
    [
      "Vercel AI SDK 5 and 6, generate",
      {
        attributes: {
          "ai.operationId": "ai.generateText.doGenerate",
          "ai.response.toolCalls": '[{"toolCallId":"1","toolName":"a","input":"{\\"k\\":1}"}]',
        },
      },
      ['a({"k":1})'],
    ],
    [
      "Vercel AI SDK 5 and 6, stream",
      {
        attributes: {
          "ai.operationId": "ai.streamText.doStream",
          "ai.response.toolCalls": '[{"toolCallId":"1","toolName":"a","input":{"k":1}}]',
        },
      },
      ['a({"k":1})'],
    ],
    [
      "OpenInference",
      {
        attributes: {
          ...oiModel,
          ...flatCall(`${OI}.0.message.tool_calls.0.tool_call`, {
            id: "1",
            "function.name": "a",
            "function.arguments": '{"k":1}',
          }),
        },
      },
      ['a({"k":1})'],
    ],
    [
      "OpenInference, indexes with gaps, in their order",
      {
        attributes: {
          ...oiModel,
          ...flatCall(`${OI}.0.message.tool_calls.10.tool_call`, { "function.name": "b" }),
          ...flatCall(`${OI}.0.message.tool_calls.2.tool_call`, { "function.name": "a" }),
        },
      },
      ["a(absent)", "b(absent)"],
    ],
    [
      "OpenInference, contents repeat the calls",
      {
        attributes: {
          ...oiModel,
          ...flatCall(`${OI}.0.message.contents.0.tool_call`, { "function.name": "a" }),
          ...flatCall(`${OI}.0.message.tool_calls.0.tool_call`, { "function.name": "a" }),
        },
      },
      ["a(absent)"],
    ],
    [
      "OpenInference, calls in contents alone",
      { attributes: { ...oiModel, ...flatCall(`${OI}.0.message.contents.1.tool_call`, { "function.name": "a" }) } },
      ["a(absent)"],
    ],
    [
      "OpenInference, legacy",
      {
        attributes: {
          ...oiModel,
          ...flatCall(`${OI}.0.message`, { function_call_name: "a", function_call_arguments_json: "{}" }),
        },
      },
      ["a({})"],
    ],
    [
      "OpenInference, encoded twice by a converter",
      {
        attributes: {
          ...oiModel,
          ...flatCall(`${OI}.0.message.tool_calls.0.tool_call`, {
            "function.name": "a",
            "function.arguments": JSON.stringify('{"k":1}'),
          }),
        },
      },
      ['a({"k":1})'],
    ],
    [
      "OpenInference, the raw response",
      {
        attributes: {
          ...oiModel,
          "output.value":
            '{"choices":[{"message":{"tool_calls":[{"function":{"name":"a","arguments":"{}"}}]}},{"message":{"tool_calls":[{"function":{"name":"b"}}]}}]}',
        },
      },
      ["a({})"],
    ],
    [
      "the first place with a call, not all of them",
      {
        attributes: {
          ...chatOp,
          ...oiModel,
          "gen_ai.output.messages": parts({ type: "tool_call", name: "a" }),
          "output.value": '{"function":{"name":"b"}}',
        },
      },
      ["a(absent)"],
    ],
    [
      "arguments that are no object",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": parts({ type: "tool_call", name: "a", arguments: "SELECT 1" }),
        },
      },
      ["a(unparsed)"],
    ],
    [
      "calls without a name are none",
      { attributes: { ...chatOp, "gen_ai.output.messages": parts({ type: "tool_call" }) } },
      [],
    ],
    [
      "one id twice within a completion is one call",
      {
        attributes: {
          ...chatOp,
          "gen_ai.output.messages": parts(
            { type: "tool_call", id: "1", name: "a" },
            { type: "tool_call", id: "1", name: "a" },
          ),
        },
      },
      ["a(absent)"],
    ],
    [
      "cut short",
      { attributes: { ...chatOp, "gen_ai.output.messages": '[{"parts":[{"type":"tool_call","name":"a"' } },
      [],
    ],
    [
      "hostile indexes",
      {
        attributes: {
          ...chatOp,
          "gen_ai.completion.__proto__.tool_calls.-1.name": "a",
          "gen_ai.completion.0.tool_calls.1e9.name": "b",
          "gen_ai.completion.0.tool_calls..name": "c",
        },
      },
      [],
    ],
  ])("%s", (_, span, calls) => {
    expect(outputOf(readOne(span))?.calls ?? []).toEqual(calls);
  });
});

describe("whether there is an output, and whether it is empty", () => {
  test.each<readonly [name: string, attributes: Readonly<Record<string, unknown>>, want: string]>([
    ["text parts", { ...chatOp, "gen_ai.output.messages": parts({ type: "text", content: "hi" }) }, "filled"],
    ["an empty text part", { ...chatOp, "gen_ai.output.messages": parts({ type: "text", content: "" }) }, "empty"],
    ["no parts", { ...chatOp, "gen_ai.output.messages": parts() }, "empty"],
    [
      "reasoning alone",
      { ...chatOp, "gen_ai.output.messages": parts({ type: "reasoning", content: "thinking" }) },
      "empty",
    ],
    ["an image", { ...chatOp, "gen_ai.output.messages": parts({ type: "uri", uri: "x" }) }, "filled"],
    ["unreadable is not empty", { ...chatOp, "gen_ai.output.messages": "[{" }, "filled"],
    ["an empty text is an output", { ...oiModel, "output.value": "" }, "empty"],
    [
      "one place filled, another empty",
      { ...oiModel, "output.value": "hello", "llm.output_messages.0.message.role": "assistant" },
      "filled",
    ],
    ["hidden", { ...oiModel, "output.value": "__REDACTED__" }, "not recorded"],
    ["none", chatOp, "not recorded"],
  ])("%s", (_, attributes, want) => {
    const output = outputOf(readOne({ attributes }))?.output;
    expect(output === undefined ? "not recorded" : output.empty ? "empty" : "filled").toBe(want);
  });
});

describe("why the model stopped", () => {
  test.each<readonly [name: string, span: Partial<Sketch>, want: boolean]>([
    ["gen_ai, a list", { attributes: { ...chatOp, "gen_ai.response.finish_reasons": ["tool_calls"] } }, true],
    ["gen_ai, JSON text", { attributes: { ...chatOp, "gen_ai.response.finish_reasons": '["tool_calls"]' } }, true],
    ["gen_ai, text", { attributes: { ...chatOp, "gen_ai.response.finish_reasons": "tool_calls" } }, true],
    ["Anthropic", { attributes: { ...chatOp, "anthropic.message.stop_reason": "tool_use" } }, true],
    ["flat completions", { attributes: { ...chatOp, "gen_ai.completion.0.finish_reason": "tool_calls" } }, true],
    [
      "choice event",
      { attributes: chatOp, events: [{ name: "gen_ai.choice", attributes: { finish_reason: "toolUse" } }] },
      true,
    ],
    [
      "Vercel AI SDK",
      { attributes: { "ai.operationId": "ai.generateText.doGenerate", "ai.response.finishReason": "tool-calls" } },
      true,
    ],
    ["OpenInference", { attributes: { ...oiModel, "llm.finish_reason": "tool_calls" } }, true],
    ["stop", { attributes: { ...chatOp, "gen_ai.response.finish_reasons": ["stop"] } }, false],
    ["nothing said", { attributes: chatOp }, false],
  ])("%s", (_, span, want) => {
    expect(readOne(span).facts?.finished_for_tools).toBe(want);
  });

  test.each<readonly [attributes: Readonly<Record<string, unknown>>, want: boolean]>([
    [{ ...chatOp, "gen_ai.usage.output_tokens": 1 }, true],
    [{ ...chatOp, "gen_ai.usage.completion_tokens": 1 }, true],
    [{ "ai.operationId": "ai.generateText.doGenerate", "ai.usage.outputTokens": 1 }, true],
    [{ ...oiModel, "llm.token_count.completion": 1 }, true],
    [{ ...chatOp, "gen_ai.usage.output_tokens": 0 }, false],
    [{ ...chatOp, "gen_ai.usage.output_tokens": "Not set" }, false],
    [chatOp, false],
  ])("output tokens %j: %s", (attributes, want) => {
    expect(readOne({ attributes }).facts?.output_tokens).toBe(want);
  });
});
