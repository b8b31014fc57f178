import { describe, expect, test } from "vitest";
import { type Occurrence, TrajectorySpanProcessor, trajectoryShape } from "../../src/index.ts";
import { occurrenceOfSession, occurrenceOfTrace, sessionsOf } from "../../src/trajectory/occurrence.ts";
import { viewOfRecord } from "../../src/wire/from-record.ts";
import { captures, captureText } from "../support/captures.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";
import { replay, replayInto } from "../support/replay.ts";
import { recordsOf, vectorRows } from "../support/vector-spans.ts";

const byId = (units: readonly Occurrence[]): Occurrence[] =>
  [...units].sort((a, b) => (a.unit_id < b.unit_id ? -1 : 1));

const CAPTURES = captures();
const ROWS = vectorRows();

test("there is something to compare", () => {
  expect(CAPTURES.length).toBe(250);
  expect(ROWS.length).toBeGreaterThanOrEqual(23);
});

describe("captured spans give the same occurrences live as from the file", () => {
  test.each(CAPTURES.map((capture) => [capture.file, capture] as const))("%s", async (_, capture) => {
    const views = viewsOfOtlp(captureText(capture));
    const traces = tracesOfViews(views);
    const { units, processor } = await replay(views);
    expect(byId(units)).toEqual(byId(traces.map(occurrenceOfTrace)));
    const sessions = await replay(views, {}, "session");
    const offline = sessionsOf(traces).filter((session) => session.session_id !== undefined);
    expect(byId(sessions.units)).toEqual(byId(offline.map((session) => occurrenceOfSession(session))));
    const { spans, problems } = { ...processor.stats() };
    expect(spans.released).toBe(spans.seen);
    expect(problems).toEqual({});
  });
});

describe("trajectory_shape sees the same members live as in the file", () => {
  const shape = trajectoryShape({ unit: "trajectory" });
  const shapes = (units: readonly Occurrence[]): unknown[] =>
    byId(units).map((unit) => [unit.unit_id, shape.score(unit)]);
  const scored = new Set<string>();

  test.each(CAPTURES.map((capture) => [capture.file, capture] as const))("%s", async (_, capture) => {
    const views = viewsOfOtlp(captureText(capture));
    const results: unknown[] = [];
    const processor = new TrajectorySpanProcessor({
      attach: "none",
      scorers: [shape],
      loggerProvider: { getLogger: () => ({ emit: (record: unknown) => results.push(record) }) } as never,
    });
    await replayInto(processor, views);
    const emitted = results.map((record) => {
      const { attributes } = record as { attributes: Record<string, unknown> };
      return [
        attributes["trajectory.unit_id"],
        attributes["gen_ai.evaluation.score.value"],
        attributes["trajectory.evaluation.reason"],
      ];
    });
    const offline = shapes(tracesOfViews(views, { members: true }).map(occurrenceOfTrace)).flatMap((one) => {
      const [id, result] = one as [string, ReturnType<typeof shape.score>];
      scored.add(result.status);
      // Live, what has no kind is counted and not emitted.
      if (result.status === "non_evaluable" && result.reason === "kinds_missing") return [];
      return [
        [
          id,
          result.status === "scored" ? result.score : undefined,
          result.status === "non_evaluable" ? result.reason : undefined,
        ],
      ];
    });
    expect(emitted.sort()).toEqual(offline.sort());
  });

  test("most have members", () => expect(scored).toContain("scored"));
});

describe("vector rows through the processor", () => {
  test.each(ROWS.map((row) => [row.id, row] as const))("%s", async (_, row) => {
    const { unit, ...trajectory } = row.options ?? {};
    const views = recordsOf(row).map((record) => viewOfRecord(record));
    const { units } = await replay(views, { trajectory }, unit === "session" ? "session" : "trajectory");
    expect(units).toHaveLength(1);
    const [found] = units as [Occurrence];
    expect(found.steps).toHaveLength(row.want.steps.length);
    for (const [index, step] of row.want.steps.entries()) expect(found.steps[index]).toMatchObject(step);
    expect(found.tools?.map((step) => step.name)).toEqual(row.want.tools);
    expect(found.unread ?? []).toEqual(row.want.unread ?? []);
    if (row.want.session_id !== undefined) expect(found.session_id).toBe(row.want.session_id);
  });
});
