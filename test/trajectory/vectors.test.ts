import { describe, expect, test } from "vitest";
import type { SpanView } from "../../src/model/span.ts";
import type { Occurrence } from "../../src/model/trajectory.ts";
import { occurrenceOfSession, occurrenceOfTrace, sessionsOf } from "../../src/trajectory/occurrence.ts";
import { viewOfRecord } from "../../src/wire/from-record.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";
import { otlpRequestOf, recordsOf, type VectorRow, vectorRows } from "../support/vector-spans.ts";

const ROWS = vectorRows();

const ENTRANCES: readonly (readonly [name: string, views: (row: VectorRow) => readonly SpanView[]])[] = [
  ["span records", (row) => recordsOf(row).map((record) => viewOfRecord(record))],
  ["OTLP/JSON", (row) => viewsOfOtlp(JSON.stringify(otlpRequestOf(row)))],
];

function occurrencesOf(row: VectorRow, views: readonly SpanView[]): readonly Occurrence[] {
  const traces = tracesOfViews(views, row.options);
  return row.options?.unit === "session"
    ? sessionsOf(traces).map((session) => occurrenceOfSession(session))
    : traces.map(occurrenceOfTrace);
}

test("all rows are here", () => {
  expect(ROWS).toHaveLength(23);
});

describe.each(ENTRANCES)("span vectors through %s", (_, views) => {
  test.each(ROWS.map((row) => [row.id, row.why, row] as const))("%s: %s", (_id, _why, row) => {
    const occurrences = occurrencesOf(row, views(row));
    expect(occurrences).toHaveLength(1);
    const [occurrence] = occurrences;
    expect(occurrence?.steps).toHaveLength(row.want.steps.length);
    expect(occurrence?.steps).toMatchObject(row.want.steps);
    expect(occurrence?.tools?.map((tool) => tool.name)).toEqual(row.want.tools);
    expect(occurrence?.unread ?? []).toEqual(row.want.unread ?? []);
    if (row.want.session_id !== undefined) expect(occurrence?.session_id).toBe(row.want.session_id);
  });
});
