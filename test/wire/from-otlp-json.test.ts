import { describe, expect, test } from "vitest";
import { readOtlpRequest } from "../../src/wire/from-otlp-json.ts";

const span = {
  traceId: "0AF7651916CD43DD8448EB211C80319C",
  spanId: "B7AD6B7169203331",
  name: "work",
  kind: 1,
  startTimeUnixNano: "1795999847303000001",
  endTimeUnixNano: "1795999847403000002",
  attributes: [] as unknown[],
};

const request = (...spans: readonly unknown[]): unknown => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "s" } }] },
      scopeSpans: [{ scope: { name: "scope", version: "1" }, spans }],
    },
  ],
});

const only = (more: Readonly<Record<string, unknown>>): unknown => {
  const { views, problems } = readOtlpRequest(request({ ...span, ...more }));
  expect(problems).toEqual([]);
  return views[0];
};

test("one span, whole", () => {
  expect(only({ parentSpanId: "C7AD6B7169203331", flags: 0x301, status: { code: 2 } })).toEqual({
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    span_id: "b7ad6b7169203331",
    parent_id: "c7ad6b7169203331",
    remote_parent: true,
    trace_flags: 1,
    name: "work",
    span_kind: "INTERNAL",
    start_s: 1_795_999_847,
    start_n: 303_000_001,
    end_s: 1_795_999_847,
    end_n: 403_000_002,
    status: "ERROR",
    attributes: {},
    events: [],
    scope_name: "scope",
    scope_version: "1",
    resource: { "service.name": "s" },
  });
});

describe("the ways of writing one thing", () => {
  test.each<readonly [name: string, more: Readonly<Record<string, unknown>>, want: Readonly<Record<string, unknown>>]>([
    [
      "times as numbers",
      { startTimeUnixNano: 1_000_000_500, endTimeUnixNano: 2e9 },
      { start_s: 1, start_n: 500, end_s: 2, end_n: 0 },
    ],
    [
      "times under a second",
      { startTimeUnixNano: "5", endTimeUnixNano: "999999999" },
      { start_s: 0, start_n: 5, end_n: 999_999_999 },
    ],
    // 1_000_000_500 = 0 * 2^32 + 1_000_000_500
    ["times as 32-bit halves", { startTimeUnixNano: { low: 1_000_000_500, high: 0 } }, { start_s: 1, start_n: 500 }],
    [
      "ids as base64",
      { traceId: "CvdlGRbNQ92ESOshHIAxnA==", spanId: "t61rcWkgMzE=" },
      { trace_id: "0af7651916cd43dd8448eb211c80319c", span_id: "b7ad6b7169203331" },
    ],
    ["kind by name", { kind: "SPAN_KIND_SERVER" }, { span_kind: "SERVER" }],
    ["kind by number: 2 is SERVER", { kind: 2 }, { span_kind: "SERVER" }],
    ["kind by number: 5 is CONSUMER", { kind: 5 }, { span_kind: "CONSUMER" }],
    ["unspecified kind", { kind: 0 }, { span_kind: "INTERNAL" }],
    ["an unknown kind", { kind: 77 }, { span_kind: "INTERNAL" }],
    ["status by name", { status: { code: "STATUS_CODE_ERROR" } }, { status: "ERROR" }],
    ["status without a code", { status: {} }, { status: "UNSET" }],
    ["no status", {}, { status: "UNSET" }],
    ["a parent written as an empty text", { parentSpanId: "" }, { parent_id: "" }],
    ["a parent written as zeros", { parentSpanId: "0000000000000000" }, { parent_id: "" }],
    ["no flags: exported spans were sampled", {}, { trace_flags: 1 }],
    [
      "flags say that the parent is local, even of a server",
      { flags: 0x101, kind: 2, parentSpanId: "c7ad6b7169203331" },
      { remote_parent: false },
    ],
    [
      "no word on the parent of a server: remote",
      { kind: 2, parentSpanId: "c7ad6b7169203331" },
      { remote_parent: true },
    ],
    [
      "no word on the parent of a consumer: remote",
      { kind: 5, parentSpanId: "c7ad6b7169203331" },
      { remote_parent: true },
    ],
    [
      "no word on the parent of another span: local",
      { kind: 3, parentSpanId: "c7ad6b7169203331" },
      { remote_parent: false },
    ],
  ])("%s", (_, more, want) => {
    expect(only(more)).toMatchObject(want);
  });

  test("snake_case field names, and the scope lists of OTLP before 1.0", () => {
    const value = {
      resource_spans: [
        {
          resource: { attributes: [{ key: "r", value: { string_value: "x" } }] },
          instrumentation_library_spans: [
            {
              instrumentation_library: { name: "old" },
              spans: [
                {
                  trace_id: span.traceId,
                  span_id: span.spanId,
                  parent_span_id: "c7ad6b7169203331",
                  name: "n",
                  start_time_unix_nano: "1",
                  end_time_unix_nano: "2",
                  attributes: [{ key: "k", value: { int_value: "7" } }],
                },
              ],
            },
          ],
        },
      ],
    };
    expect(readOtlpRequest(value).views).toMatchObject([
      { scope_name: "old", parent_id: "c7ad6b7169203331", attributes: { k: 7 }, resource: { r: "x" }, start_n: 1 },
    ]);
  });
});

test.each<readonly [name: string, value: unknown, want: unknown]>([
  ["text", { stringValue: "x" }, "x"],
  ["empty text", { stringValue: "" }, ""],
  ["boolean", { boolValue: false }, false],
  ["integer as text", { intValue: "42" }, 42],
  ["integer as number", { intValue: -1 }, -1],
  ["an integer beyond what a number holds stays text", { intValue: "9007199254740993" }, "9007199254740993"],
  ["no integer", { intValue: "x" }, undefined],
  ["double", { doubleValue: 0.5 }, 0.5],
  ["double as text", { doubleValue: "Infinity" }, Number.POSITIVE_INFINITY],
  ["double null", { doubleValue: null }, undefined],
  ["bytes", { bytesValue: "AAE=" }, "AAE="],
  ["array", { arrayValue: { values: [{ stringValue: "a" }, { intValue: "1" }] } }, ["a", 1]],
  ["empty array", { arrayValue: {} }, []],
  ["map", { kvlistValue: { values: [{ key: "k", value: { arrayValue: { values: [] } } }] } }, { k: [] }],
  ["no value", {}, undefined],
  ["no object", 5, undefined],
])("attribute value: %s", (_, value, want) => {
  expect(only({ attributes: [{ key: "k", value }] })).toMatchObject({ attributes: { k: want } });
});

test("hostile keys and depths stay data", () => {
  let deep: unknown = { stringValue: "bottom" };
  for (let depth = 0; depth < 500; depth += 1) deep = { arrayValue: { values: [deep] } };
  const view = only({
    attributes: [
      { key: "__proto__", value: { stringValue: "polluted" } },
      { key: "map", value: { kvlistValue: { values: [{ key: "__proto__", value: { stringValue: "x" } }] } } },
      { key: "deep", value: deep },
      { key: 5, value: { stringValue: "no key" } },
      null,
    ],
  }) as { attributes: Record<string, unknown> };
  expect(Object.keys(view.attributes)).toEqual(["__proto__", "map", "deep"]);
  expect(Object.getPrototypeOf(view.attributes)).toBeNull();
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("spans of one resource share its attributes", () => {
  const { views } = readOtlpRequest(request(span, { ...span, spanId: "0000000000000001" }));
  expect(views).toHaveLength(2);
  expect(views[0]?.resource).toBe(views[1]?.resource);
});

describe("what cannot be used is left out and named", () => {
  test.each<readonly [name: string, bad: unknown, problem: string]>([
    ["no object", 5, "spans[1] must be an object, got 5"],
    ["no trace id", { ...span, traceId: undefined }, "spans[1].traceId must be 32 hex digits"],
    [
      "a short trace id",
      { ...span, traceId: "abc" },
      'spans[1].traceId must be 32 hex digits and not all zero, got "abc"',
    ],
    ["the zero trace id", { ...span, traceId: "0".repeat(32) }, "spans[1].traceId"],
    ["no hex", { ...span, spanId: "zzzzzzzzzzzzzzzz" }, "spans[1].spanId must be 16 hex digits"],
    ["no start", { ...span, startTimeUnixNano: undefined }, "spans[1].startTimeUnixNano must be nanoseconds"],
    ["the zero start", { ...span, startTimeUnixNano: "0" }, "spans[1].startTimeUnixNano"],
    ["a start in words", { ...span, startTimeUnixNano: "2026-11-30" }, "spans[1].startTimeUnixNano"],
    ["no end", { ...span, endTimeUnixNano: null }, "spans[1].endTimeUnixNano"],
    ["a bad parent", { ...span, parentSpanId: "xyz" }, "spans[1].parentSpanId must be 16 hex digits or absent"],
  ])("%s", (_, bad, problem) => {
    const { views, problems } = readOtlpRequest(request(span, bad, { ...span, spanId: "0000000000000001" }));
    expect(views.map((view) => view.span_id)).toEqual(["b7ad6b7169203331", "0000000000000001"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`resourceSpans[0].scopeSpans[0].${problem}`);
  });

  test.each<readonly [name: string, value: unknown]>([
    ["null", null],
    ["a text", "x"],
    ["a list", []],
    ["a log request", { resourceLogs: [] }],
    ["resourceSpans of a wrong type", { resourceSpans: {} }],
  ])("no request: %s", (_, value) => {
    const { views, problems } = readOtlpRequest(value);
    expect(views).toEqual([]);
    expect(problems[0]).toMatch(/^expected an ExportTraceServiceRequest/);
  });

  test("bad resources and scopes do not stop the rest", () => {
    const { views, problems } = readOtlpRequest({
      resourceSpans: [null, { scopeSpans: [7, { spans: [span] }] }],
    });
    expect(views).toHaveLength(1);
    expect(problems).toEqual([
      "resourceSpans[0] must be an object, got null",
      "resourceSpans[1].scopeSpans[0] must be an object, got 7",
    ]);
  });
});
