import { describe, expect, test } from "vitest";
import { TrajectoryError } from "../../src/model/errors.ts";
import type { SpanRecord } from "../../src/model/span.ts";
import { viewOfRecord } from "../../src/wire/from-record.ts";

const record: SpanRecord = {
  trace_id: "t",
  span_id: "s",
  name: "work",
  start_ns: 1_795_999_847_303_000_001n,
  end_ns: 1_795_999_848_000_000_000n,
  attributes: { a: 1 },
};

test("a record with the required fields alone", () => {
  expect(viewOfRecord(record)).toEqual({
    trace_id: "t",
    span_id: "s",
    parent_id: "",
    remote_parent: false,
    trace_flags: 1,
    name: "work",
    span_kind: "INTERNAL",
    start_s: 1_795_999_847,
    start_n: 303_000_001,
    end_s: 1_795_999_848,
    end_n: 0,
    status: "UNSET",
    attributes: { a: 1 },
    events: [],
    scope_name: "",
    scope_version: "",
    resource: {},
  });
});

describe("the ways of writing one thing", () => {
  test.each<readonly [name: string, more: Partial<SpanRecord>, want: Readonly<Record<string, unknown>>]>([
    ["kind by name", { kind: "CLIENT" }, { span_kind: "CLIENT" }],
    ["kind by API number", { kind: 1 }, { span_kind: "SERVER" }],
    ["status by name", { status: "ERROR" }, { status: "ERROR" }],
    ["status by number", { status: 1 }, { status: "OK" }],
    ["status as an object", { status: { code: 2 } }, { status: "ERROR" }],
    ["status as an object without a code", { status: {} }, { status: "UNSET" }],
    ["scope by name", { scope: "x" }, { scope_name: "x", scope_version: "" }],
    ["scope with version", { scope: { name: "x", version: "2" } }, { scope_name: "x", scope_version: "2" }],
    ["parent null", { parent_span_id: null }, { parent_id: "" }],
    ["parent empty", { parent_span_id: "" }, { parent_id: "" }],
    [
      "the parent of a server is remote",
      { parent_span_id: "p", kind: "SERVER" },
      { parent_id: "p", remote_parent: true },
    ],
    ["other parents are local", { parent_span_id: "p" }, { parent_id: "p", remote_parent: false }],
    ["events", { events: [{ name: "e" }] }, { events: [{ name: "e" }] }],
  ])("%s", (_, more, want) => {
    expect(viewOfRecord({ ...record, ...more })).toMatchObject(want);
  });
});

describe("records that cannot be used", () => {
  test.each<readonly [path: string, bad: unknown]>([
    ["spans[3]", null],
    ["spans[3]", []],
    ["spans[3].trace_id", { ...record, trace_id: "" }],
    ["spans[3].span_id", { ...record, span_id: 5 }],
    ["spans[3].parent_span_id", { ...record, parent_span_id: 5 }],
    ["spans[3].name", { ...record, name: undefined }],
    ["spans[3].kind", { ...record, kind: "server" }],
    ["spans[3].start_ns", { ...record, start_ns: 5 }],
    ["spans[3].end_ns", { ...record, end_ns: -1n }],
    ["spans[3].status", { ...record, status: 9 }],
    ["spans[3].attributes", { ...record, attributes: [] }],
    ["spans[3].events", { ...record, events: {} }],
    ["spans[3].events[0]", { ...record, events: [null] }],
    ["spans[3].events[0].name", { ...record, events: [{}] }],
    ["spans[3].events[0].attributes", { ...record, events: [{ name: "e", attributes: 5 }] }],
    ["spans[3].scope", { ...record, scope: 5 }],
    ["spans[3].scope.name", { ...record, scope: { name: 5 } }],
    ["spans[3].resource", { ...record, resource: "x" }],
  ])("%s", (path, bad) => {
    const read = (): unknown => viewOfRecord(bad as SpanRecord, "spans[3]");
    expect(read).toThrow(TrajectoryError);
    expect(read).toThrow(expect.objectContaining({ code: "invalid_input", path }));
  });
});
