import { describe, expect, test } from "vitest";
import type { SpanView } from "../../src/model/span.ts";
import { isJaegerJson, takeJaegerSpans } from "../../src/wire/from-jaeger-json.ts";
import { captures, captureText } from "../support/captures.ts";
import { jaegerOf } from "../support/jaeger.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";

function read(document: unknown): { views: SpanView[]; problems: readonly string[] } {
  const views: SpanView[] = [];
  const { problems } = takeJaegerSpans(document, { take: (view) => void views.push(view) });
  return { views, problems };
}

const TRACE = "0123456789abcdef0123456789abcdef";
const SPAN = {
  traceID: TRACE,
  spanID: "00000000000000a1",
  operationName: "x",
  startTime: 1_700_000_000_123_456,
  duration: 1_500,
};
const document = (...spans: object[]) => ({ data: [{ traceID: TRACE, spans, processes: { p1: PROCESS } }] });
const PROCESS = { serviceName: "shop", tags: [{ key: "pod", type: "string", value: "a-1" }] };

/** What a trace says of its run. */
function answers(views: readonly SpanView[]): unknown[] {
  const steps = (list: readonly { step: { kind: string; name: string; failed?: boolean } }[]) =>
    list.map(({ step }) => [step.kind, step.name, step.failed === true]);
  return tracesOfViews(views)
    .map((trace) => ({
      trace: trace.trace_id,
      session: trace.session_id,
      steps: steps(trace.steps),
      tools: steps(trace.tools),
      kinds: trace.kinds,
      unread: trace.unread,
    }))
    .sort((a, b) => (a.trace < b.trace ? -1 : 1));
}

describe("captures in Jaeger's shape", () => {
  const all = captures();
  test("there are many", () => expect(all.length).toBeGreaterThan(100));

  test.each(all.map((capture) => [capture.file, capture] as const))("%s", (_, capture) => {
    const text = captureText(capture);
    const requests = text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => JSON.parse(line) as unknown);
    const { views, problems } = read(jaegerOf(requests));
    expect(problems).toEqual([]);
    expect(answers(views)).toEqual(answers(viewsOfOtlp(text)));
  });
});

describe("one span", () => {
  const tag = (key: string, type: string | undefined, value: unknown) => ({ key, type, value });
  const only = (span: object) => read(document({ ...SPAN, ...span })).views[0];

  test("has its times in whole microseconds, its process as resource, and what Jaeger made tags of", () => {
    const view = only({
      processID: "p1",
      flags: 1,
      references: [{ refType: "CHILD_OF", traceID: TRACE, spanID: "b2" }],
      tags: [
        tag("span.kind", "string", "server"),
        tag("otel.scope.name", "string", "agent"),
        tag("otel.scope.version", "string", "1.2"),
        tag("otel.status_code", "string", "ERROR"),
        tag("otel.status_description", "string", "no"),
        tag("error", "bool", true),
        tag("internal.span.format", "string", "otlp"),
        tag("text", "string", "7"),
        tag("flag", "bool", false),
        tag("count", "int64", 7),
        tag("large", "int64", "9007199254740993"),
        tag("share", "float64", 0.5),
        tag("bytes", "binary", "AAE="),
        tag("old", undefined, 3),
        tag("__proto__", "string", "x"),
      ],
      logs: [{ timestamp: 1, fields: [tag("event", "string", "exception"), tag("n", "int64", 1)] }],
    });
    expect(view).toEqual({
      trace_id: TRACE,
      span_id: "00000000000000a1",
      parent_id: "00000000000000b2",
      remote_parent: true,
      trace_flags: 1,
      name: "x",
      span_kind: "SERVER",
      start_s: 1_700_000_000,
      start_n: 123_456_000,
      end_s: 1_700_000_000,
      end_n: 124_956_000,
      status: "ERROR",
      attributes: Object.assign(Object.create(null), {
        text: "7",
        flag: false,
        count: 7,
        large: "9007199254740993",
        share: 0.5,
        bytes: "AAE=",
        old: 3,
        ["__proto__"]: "x",
      }),
      events: [{ name: "exception", attributes: { n: 1 } }],
      scope_name: "agent",
      scope_version: "1.2",
      resource: expect.objectContaining({ "service.name": "shop", pod: "a-1" }),
    });
    expect(Object.keys(view?.attributes ?? {})).toContain("__proto__");
  });

  test("has a resource that spans of its process share", () => {
    const { views } = read(document({ ...SPAN, processID: "p1" }, { ...SPAN, spanID: "2", processID: "p1" }));
    expect(views[0]?.resource).toBe(views[1]?.resource);
    expect(only({ processID: "p9" })?.resource).toEqual({});
    expect(only({ process: PROCESS })?.resource).toMatchObject({ "service.name": "shop" });
  });

  test("has ids with the zeros that Jaeger leaves away", () => {
    expect(only({ traceID: "a1b2", spanID: "c" })).toMatchObject({
      trace_id: "0000000000000000000000000000a1b2",
      span_id: "000000000000000c",
    });
  });

  test.each<[string, object[], string]>([
    ["what started it, before what it follows", [ref("FOLLOWS_FROM", "b1"), ref("CHILD_OF", "b2")], "00000000000000b2"],
    [
      "what it follows, where nothing started it",
      [ref("FOLLOWS_FROM", "b1"), ref("FOLLOWS_FROM", "b2")],
      "00000000000000b1",
    ],
    ["nothing of another trace", [{ ...ref("CHILD_OF", "b1"), traceID: "ff" }], ""],
    ["none", [], ""],
  ])("has as parent %s", (_, references, parent) => {
    expect(only({ references })?.parent_id).toBe(parent);
  });

  test.each([
    [[], "UNSET"],
    [[tag("error", "bool", true)], "ERROR"],
    [[tag("error", "string", "true")], "ERROR"],
    [[tag("error", "bool", false)], "UNSET"],
    [[tag("otel.status_code", "string", "OK"), tag("error", "bool", true)], "OK"],
  ])("has the status of its tags: %j is %s", (tags, status) => {
    expect(only({ tags })?.status).toBe(status);
  });

  test.each<[object, string]>([
    [{ traceID: "" }, '.traceID must be up to 32 hex digits and not all zero, got ""'],
    [{ traceID: "0" }, ".traceID must be up to 32 hex digits"],
    [{ spanID: "xyz" }, ".spanID must be up to 16 hex digits"],
    [{ startTime: "soon" }, '.startTime must be microseconds since the epoch, got "soon"'],
    [{ duration: -1 }, ".duration must be microseconds from 0 up, got -1"],
    [{ duration: null, startTime: 1.5 }, ".startTime must be microseconds"],
  ])("is left out and named when it is broken: %j", (broken, problem) => {
    const { views, problems } = read(document(SPAN, { ...SPAN, ...broken }));
    expect(views).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`data[0].spans[1]${problem}`);
  });
});

function ref(refType: string, spanID: string): object {
  return { refType, traceID: TRACE, spanID };
}

test("what is Jaeger's is told from what is OTLP's", () => {
  expect([{ data: [] }, { data: [], resourceSpans: [] }, { data: {} }, [], null].map(isJaegerJson)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
  expect(read({ data: [7, {}] }).problems).toEqual([
    "data[0] must be a trace with a list of spans, got 7",
    "data[1] must be a trace with a list of spans, got {}",
  ]);
});
