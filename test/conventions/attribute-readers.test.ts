import { describe, expect, test } from "vitest";
import { readArguments, readArgumentsUnlessSchema } from "../../src/conventions/arguments.ts";
import { contentKeeper, isRedacted } from "../../src/conventions/content.ts";
import { saysTools } from "../../src/conventions/finish-reason.ts";
import { decodeJson, scanTextMember } from "../../src/conventions/json.ts";
import { toolNameOfSpan } from "../../src/conventions/names.ts";
import { bareToolName } from "../../src/model/names.ts";

const once = JSON.stringify({ a: 1 });
const twice = JSON.stringify(once);
const thrice = JSON.stringify(twice);

describe("arguments", () => {
  test.each<readonly [name: string, value: unknown, status: "ok" | "absent" | "unparsed", read: unknown]>([
    ["an object", { a: 1 }, "ok", { a: 1 }],
    ["JSON text", once, "ok", { a: 1 }],
    ["JSON text with spaces", `\n ${once} `, "ok", { a: 1 }],
    ["encoded twice", twice, "ok", { a: 1 }],
    ["encoded three times", thrice, "ok", { a: 1 }],
    ["an empty object is recorded", "{}", "ok", {}],
    ["undefined", undefined, "absent", undefined],
    ["null", null, "absent", undefined],
    ["the text null", "null", "absent", undefined],
    ["an empty text", "", "absent", undefined],
    ["redacted", "__REDACTED__", "absent", undefined],
    ["masked", "<masked>", "absent", undefined],
    ["redacted inside of JSON text", '"__REDACTED__"', "absent", undefined],
    ["a bare text", "h1", "unparsed", "h1"],
    ["a number", "5", "unparsed", 5],
    ["a list", "[1,2]", "unparsed", [1, 2]],
    ["cut short", '{"query":"hotels in Par', "unparsed", '{"query":"hotels in Par'],
    ["Python's notation", "{'a': True}", "unparsed", "{'a': True}"],
    ["encoded four times is a text", JSON.stringify(thrice), "unparsed", once],
  ])("%s", (_, value, status, read) => {
    expect(readArguments(value)).toEqual({ value: read, status });
  });

  test.each<readonly [name: string, value: string, status: string]>([
    ["a JSON schema", '{"type":"object","properties":{"a":{}}}', "absent"],
    ["a schema that says so", '{"$schema":"http://json-schema.org/draft-07/schema#"}', "absent"],
    ["arguments that have a type", '{"type":"car"}', "ok"],
    ["arguments", once, "ok"],
  ])("a key that may hold the definition: %s", (_, value, status) => {
    expect(readArgumentsUnlessSchema(value).status).toBe(status);
  });

  test("keys such as __proto__ are data", () => {
    const read = readArguments('{"__proto__":{"polluted":true}}');
    expect(Object.keys(read.value as object)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("nesting beyond the limit is unreadable, however deep", () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect(readArguments(nested(60)).status).toBe("ok");
    expect(readArguments(nested(100)).status).toBe("unparsed");
    expect(readArguments(nested(100_000)).status).toBe("unparsed");
  });
});

describe("content", () => {
  const keep = contentKeeper(12);
  test.each<readonly [name: string, value: unknown, want: unknown]>([
    ["short text", "abc", { value: "abc", cut: false }],
    ["exactly the limit", "abcdefghijkl", { value: "abcdefghijkl", cut: false }],
    ["one too many", "abcdefghijklm", { value: undefined, cut: true }],
    // Four times three bytes in UTF-8.
    ["bytes, not letters", "€€€€", { value: "€€€€", cut: false }],
    ["five times three bytes", "€€€€€", { value: undefined, cut: true }],
    // Two code units, four bytes each: three are 12, four are 16.
    ["surrogate pairs have four bytes", "😀😀😀", { value: "😀😀😀", cut: false }],
    ["four of them", "😀😀😀😀", { value: undefined, cut: true }],
    ["empty text", "", undefined],
    ["redacted", "[REDACTED]", undefined],
    ["a number", 5, { value: 5, cut: false }],
  ])("%s", (_, value, want) => {
    expect(keep(value)).toEqual(want);
  });

  test("nested values are copied, since their owner may change them", () => {
    const value = { list: [{ a: 1 }] };
    const kept = contentKeeper(1_000)(value);
    value.list[0] = { a: 2 };
    expect(kept).toEqual({ value: { list: [{ a: 1 }] }, cut: false });
  });

  test.each<readonly [name: string, make: () => unknown]>([
    ["too large", () => ({ text: "x".repeat(2_000) })],
    ["too many members", () => Array.from({ length: 1_000 }, () => 1)],
    ["too deep", () => Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 1)],
    [
      "a ring",
      () => {
        const ring: Record<string, unknown> = {};
        ring.self = ring;
        return ring;
      },
    ],
    [
      "a getter that throws",
      () => ({
        get a(): never {
          throw new Error("no");
        },
      }),
    ],
  ])("a nested value that cannot be kept whole is cut: %s", (_, make) => {
    expect(contentKeeper(1_000)(make())).toEqual({ value: undefined, cut: true });
  });

  test("ten megabytes are not held", () => {
    expect(contentKeeper(65_536)("x".repeat(10_000_000))).toEqual({ value: undefined, cut: true });
  });

  test.each(["redact", "__REDACTED__ ", "a long text that says __REDACTED__"])("%s is content", (value) => {
    expect(isRedacted(value)).toBe(false);
  });
});

test.each<readonly [json: string, want: string | undefined]>([
  ['{"k":"v"}', "v"],
  ['{ "k" : "v" }', "v"],
  ['{"x":"\\"k\\":\\"no\\"","k":"yes"}', "yes"],
  ['{"k":"a\\"b\\\\"}', 'a"b\\'],
  ['{"k":5}', undefined],
  ['{"k":"never closed', undefined],
  ['{"kk":"v"}', undefined],
  ['["k","x"]', undefined],
  ["", undefined],
])("a member found without parsing: %s", (json, want) => {
  expect(scanTextMember(json, "k")).toBe(want);
});

test("texts beyond 65,536 letters are not scanned: this runs in the host's span.end()", () => {
  const padded = (length: number): string => `{"pad":"${"x".repeat(length - 18)}","k":"v"}`;
  expect(padded(65_536)).toHaveLength(65_536 - 18 + '{"pad":"","k":"v"}'.length);
  expect(scanTextMember(padded(65_536), "k")).toBe("v");
  expect(scanTextMember(padded(65_537), "k")).toBeUndefined();
});

test.each<readonly [value: unknown, want: unknown]>([
  ["plain", undefined],
  [5, 5],
  ["[1]", [1]],
  ['"[1]"', [1]],
  ['"plain"', "plain"],
])("decoding %j", (value, want) => {
  expect(decodeJson(value)).toEqual(want);
});

test.each<readonly [reason: unknown, want: boolean]>([
  ["tool_calls", true],
  ["tool-calls", true],
  ["tool_call", true],
  ["tool_use", true],
  ["toolUse", true],
  ["TOOL_CALLS", true],
  ["function_call", true],
  [["stop", "tool_calls"], true],
  ['["tool_calls"]', true],
  ["stop,tool_calls", true],
  ["stop", false],
  ["end_turn", false],
  ["completed", false],
  [[], false],
  [[5, null], false],
  [undefined, false],
  [{ reason: "tool_calls" }, false],
  [`${"x".repeat(500)}tool_calls`, false],
])("finish reason %j says tools: %s", (reason, want) => {
  expect(saysTools(reason)).toBe(want);
});

test.each([
  ["mcp__lab__search", "search"],
  ["mcp__lab__a__b", "a__b"],
  ["mcp__my_server__x", "x"],
  ["mcp__lab", "mcp__lab"],
  ["mcp__lab__", "mcp__lab__"],
  ["mcp____x", "mcp____x"],
  ["MCP__lab__x", "MCP__lab__x"],
  ["lab.search", "lab.search"],
  ["search", "search"],
])("the bare name of %s is %s", (raw, bare) => {
  expect(bareToolName(raw)).toBe(bare);
});

test.each([
  ["execute_tool search", "search"],
  ["tools/call search", "search"],
  ["anthropic.custom_tool_use search", "search"],
  ["Tool: search", "search"],
  ["execute_tool execute_tool x", "execute_tool x"],
  ["execute_tool", "execute_tool"],
  ["execute_tool ", "execute_tool "],
  ["search", "search"],
])("the tool in the span name %j is %j", (spanName, name) => {
  expect(toolNameOfSpan(spanName)).toBe(name);
});
