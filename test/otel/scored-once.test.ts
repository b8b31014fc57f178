import { beforeAll, describe, expect, test } from "vitest";
import { defineScorer } from "../../src/index.ts";
import { agent, enableContext, Telemetry, tool, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const TOOLS = 20;

/** Takes so long that a turn scores one trace, and notes how many steps it is shown. */
function slowScorer(seen: number[]) {
  return defineScorer({
    name: "test.slow",
    version: "1.0.0",
    metric_name: "slow",
    units: ["trajectory"],
    score({ steps }) {
      seen.push(steps.length);
      for (const until = performance.now() + 6; performance.now() < until; );
      return { status: "scored", score: 1, label: "informational", metadata: {} };
    },
  });
}

function runs(telemetry: Telemetry, count: number): void {
  for (let run = 0; run < count; run += 1) {
    const root = agent(telemetry.tracer, "guide");
    for (let step = 0; step < TOOLS; step += 1) tool(telemetry.tracer, "search", root).end();
    root.end();
  }
}

describe("traces that wait for their turn are scored once", () => {
  test.each(["forceFlush", "drain", "shutdown"] as const)("whoever calls %s meanwhile", async (finish) => {
    const seen: number[] = [];
    const telemetry = new Telemetry({ scorers: [slowScorer(seen)], attach: "none" });
    runs(telemetry, 30);
    await until(() => seen.length > 0);
    expect(seen.length).toBeLessThan(30);
    await telemetry.processor[finish]();
    await telemetry.processor.drain();
    expect(seen).toEqual(Array(30).fill(TOOLS));
    expect(telemetry.events.map((event) => event.attributes["trajectory.evaluation.revision"])).toEqual(
      Array(30).fill(0),
    );
    expect(telemetry.processor.stats().traces).toMatchObject({ scored: 30, revised: 0, dropped: 0, waiting: 0 });
  });

  test("or not at all, where they are dropped since too much waits", async () => {
    const seen: number[] = [];
    const telemetry = new Telemetry({ scorers: [slowScorer(seen)], attach: "none", maxBufferedBytes: 100_000 });
    runs(telemetry, 12);
    await until(() => seen.length > 0);
    runs(telemetry, 60);
    await until(() => seen.length > 2);
    runs(telemetry, 60);
    await telemetry.processor.drain();
    const { traces, spans } = telemetry.processor.stats();
    expect(seen).toEqual(Array(traces.scored).fill(TOOLS));
    expect(traces).toMatchObject({ scored: 132 - traces.dropped, revised: 0, waiting: 0 });
    expect(spans.dropped.backlog).toBe(traces.dropped * (TOOLS + 1));
    expect(traces.dropped).toBeGreaterThan(10);
    expect(telemetry.events).toHaveLength(traces.scored);
  });
});

test("what a shutdown has no time for is counted as dropped, and let go of", async () => {
  const seen: number[] = [];
  const telemetry = new Telemetry({ scorers: [slowScorer(seen)], attach: "none", flushTimeoutMillis: 40 });
  runs(telemetry, 60);
  await telemetry.processor.shutdown();
  const { traces, spans, buffered_bytes } = telemetry.processor.stats();
  expect(traces).toMatchObject({ open: 0, finished: 0, waiting: 0, dropped: 60 - traces.scored });
  expect(spans).toMatchObject({ seen: 60 * (TOOLS + 1), held: 0, released: traces.scored * (TOOLS + 1) });
  expect(spans.dropped.backlog).toBe(traces.dropped * (TOOLS + 1));
  expect([buffered_bytes, seen.length < 60]).toEqual([0, true]);
  // One may have been on its way to its scorer.
  expect(traces.scored - seen.length).toBeLessThanOrEqual(1);
});
