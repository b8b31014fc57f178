import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { describe, expect, test } from "vitest";
import { ANNOTATED, type LiveSpanView, MARKED } from "../../src/model/held-span.ts";
import { type ReadableSpanLike, viewOfReadableSpan } from "../../src/wire/from-readable-span.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

function spanLike(more: Partial<Record<keyof ReadableSpanLike, unknown>> = {}): ReadableSpanLike {
  return {
    name: "work",
    kind: 0,
    spanContext: () => ({ traceId: TRACE, spanId: "b7ad6b7169203331", traceFlags: 1 }),
    startTime: [10, 5],
    endTime: [11, 6],
    status: { code: 0 },
    attributes: { a: 1 },
    events: [],
    resource: { attributes: { "service.name": "s" } },
    instrumentationScope: { name: "scope", version: "1" },
    ...more,
  } as ReadableSpanLike;
}

test("a span of the real SDK", () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer("lab", "2.0.0");
  const parent = tracer.startSpan("parent", { kind: SpanKind.SERVER }, ROOT_CONTEXT);
  const child = tracer.startSpan(
    "child",
    { kind: SpanKind.CLIENT, startTime: [5, 7], attributes: { k: ["v"] } },
    trace.setSpan(ROOT_CONTEXT, parent),
  );
  child.addEvent("note", { text: "x" });
  child.setStatus({ code: SpanStatusCode.ERROR });
  child.end([6, 8]);
  const [ended] = exporter.getFinishedSpans();
  if (ended === undefined) throw new Error("no span");
  expect(viewOfReadableSpan(ended)).toMatchObject({
    trace_id: parent.spanContext().traceId,
    span_id: child.spanContext().spanId,
    parent_id: parent.spanContext().spanId,
    remote_parent: false,
    trace_flags: 1,
    name: "child",
    span_kind: "CLIENT",
    start_s: 5,
    start_n: 7,
    end_s: 6,
    end_n: 8,
    status: "ERROR",
    attributes: { k: ["v"] },
    events: [{ name: "note", attributes: { text: "x" } }],
    scope_name: "lab",
    scope_version: "2.0.0",
  });
});

describe("parents", () => {
  const parent = { traceId: TRACE, spanId: "c7ad6b7169203331" };
  test.each<
    readonly [name: string, more: Partial<Record<keyof ReadableSpanLike, unknown>>, id: string, remote: boolean]
  >([
    ["none", {}, "", false],
    ["SDK 2 and 3, local", { parentSpanContext: parent }, "c7ad6b7169203331", false],
    ["SDK 2 and 3, remote", { parentSpanContext: { ...parent, isRemote: true } }, "c7ad6b7169203331", true],
    ["a local parent of a SERVER span is local", { parentSpanContext: parent, kind: 1 }, "c7ad6b7169203331", false],
    ["SDK 1", { parentSpanId: "c7ad6b7169203331" }, "c7ad6b7169203331", false],
    [
      "SDK 1 does not say: SERVER spans continue a caller's trace",
      { parentSpanId: "c7ad6b7169203331", kind: 1 },
      "c7ad6b7169203331",
      true,
    ],
    [
      "the all-zero id is none",
      { parentSpanContext: { ...parent, spanId: "0000000000000000", isRemote: true } },
      "",
      false,
    ],
    ["a null context", { parentSpanContext: null }, "", false],
  ])("%s", (_, more, id, remote) => {
    expect(viewOfReadableSpan(spanLike(more))).toMatchObject({ parent_id: id, remote_parent: remote });
  });
});

test("SDK 1 calls the scope a library", () => {
  const span = spanLike({ instrumentationScope: undefined, instrumentationLibrary: { name: "lib" } });
  expect(viewOfReadableSpan(span)).toMatchObject({ scope_name: "lib", scope_version: "" });
});

describe("odd shapes never throw", () => {
  test.each<readonly [name: string, span: unknown]>([
    ["nothing", undefined],
    ["an empty object", {}],
    [
      "a context that throws",
      spanLike({
        spanContext: () => {
          throw new Error("no");
        },
      }),
    ],
    [
      "every field of a wrong type",
      spanLike({
        name: 1,
        kind: "x",
        startTime: 5,
        endTime: null,
        status: null,
        attributes: null,
        events: {},
        resource: null,
        instrumentationScope: null,
      }),
    ],
    ["times of a wrong type", spanLike({ startTime: ["1", Number.NaN], endTime: [] })],
    [
      "getters that throw",
      new Proxy(spanLike(), {
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("%s", (_, span) => {
    const view = viewOfReadableSpan(span as ReadableSpanLike);
    for (const key of ["trace_id", "span_id", "parent_id", "name", "scope_name"] as const)
      expect(typeof view[key]).toBe("string");
    for (const key of ["start_s", "start_n", "end_s", "end_n"] as const) expect(Number.isFinite(view[key])).toBe(true);
    expect(Array.isArray(view.events)).toBe(true);
  });

  test.each<[unknown]>([
    [9],
    [7],
    [-1],
    [1.5],
    [2 ** 32 + 1],
    [Number.NaN],
    ["1"],
    [1n],
    [Symbol("1")],
    [
      {
        valueOf: () => {
          throw new Error("no");
        },
      },
    ],
  ])("what can be read is read beside %o in place of a kind and a status", (odd) => {
    expect(viewOfReadableSpan(spanLike({ kind: odd, status: { code: odd } }))).toMatchObject({
      name: "work",
      span_kind: "INTERNAL",
      status: "UNSET",
    });
  });
});

test("small members that share a field do not disturb one another", () => {
  const kinds = ["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
  const statuses = ["UNSET", "OK", "ERROR"];
  for (const [kind, span_kind] of kinds.entries()) {
    for (const [code, status] of statuses.entries()) {
      for (const isRemote of [false, true]) {
        const parentSpanContext = { traceId: TRACE, spanId: "c7ad6b7169203331", isRemote };
        const view = viewOfReadableSpan(spanLike({ kind, status: { code }, parentSpanContext })) as LiveSpanView;
        for (const says of [0, MARKED, ANNOTATED, MARKED | ANNOTATED, 0]) {
          for (const local_root of [true, false]) {
            view.says = says;
            view.local_root = local_root;
            expect(view).toMatchObject({ span_kind, status, remote_parent: isRemote, says, local_root });
          }
        }
      }
    }
  }
});

test("attributes of a resource that has not settled are read later, and not asked for before", () => {
  let settled = false;
  const resource = {
    get asyncAttributesPending(): boolean {
      return !settled;
    },
    get attributes(): object {
      if (!settled) throw new Error("asked too early");
      return { "service.name": "late" };
    },
  };
  const view = viewOfReadableSpan(spanLike({ resource }));
  expect({ ...view.resource }).toEqual({});
  settled = true;
  expect({ ...view.resource }).toEqual({ "service.name": "late" });
  expect(Object.hasOwn(view.resource, "service.name")).toBe(true);
  expect("service.name" in view.resource).toBe(true);
});
