import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { defineScorer, judge, stepAccuracy } from "../../src/index.ts";
import { enableContext, run, Telemetry } from "../support/telemetry.ts";

beforeAll(enableContext);
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const never = <T>(): Promise<T> => new Promise(() => undefined);
const hangs = (more = {}) =>
  defineScorer({ name: "own.hangs", version: "1.0.0", metric_name: "hangs", score: () => never(), ...more });
const dead = {
  onStart: () => undefined,
  onEnd: () => undefined,
  forceFlush: () => never<void>(),
  shutdown: () => never<void>(),
};

/** How much time passes until the work is done; a limit of ten minutes. */
async function millisUntil(work: Promise<void>): Promise<number> {
  const from = performance.now();
  let took = Number.NaN;
  void work.then(() => {
    took = performance.now() - from;
  });
  for (let step = 0; step < 600_000 && Number.isNaN(took); step += 10) await vi.advanceTimersByTimeAsync(10);
  return took;
}

describe.each(["forceFlush", "drain", "shutdown"] as const)("%s", (method) => {
  test.each([
    ["a scorer that hangs", { scorers: [hangs()] }],
    ["a processor behind it that hangs", { attach: "hold" as const, next: dead }],
    ["both", { attach: "hold" as const, next: dead, scorers: [hangs()] }],
    ["a session's scorer that hangs", { scorers: [hangs({ units: ["session"] })] }],
    ["an expectation that hangs", { expectations: () => never<undefined>(), expectationTimeoutMillis: 60_000 }],
  ])("takes no longer than flushTimeoutMillis with %s", async (_, options) => {
    const telemetry = new Telemetry({ flushTimeoutMillis: 4_000, ...options });
    run(telemetry.tracer, ["search"], { "session.id": "s" });
    const took = await millisUntil(telemetry.processor[method]());
    expect(took).toBeLessThanOrEqual(4_050);
  });

  test("leaves time to the processor behind it when a scorer hangs", async () => {
    const got: string[] = [];
    const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 900)).then(() => void got.push("flushed"));
    const next = { ...dead, forceFlush: slow, shutdown: slow };
    const telemetry = new Telemetry({ flushTimeoutMillis: 4_000, attach: "hold", next, scorers: [hangs()] });
    run(telemetry.tracer, ["search"]);
    await millisUntil(telemetry.processor[method]());
    expect(got).toEqual(["flushed"]);
    expect(telemetry.processor.stats().problems).toEqual({});
  });
});

test("a session is scored at the end although a scorer of traces hangs", async () => {
  const telemetry = new Telemetry({
    scorers: [hangs(), stepAccuracy({ metric_name: "whole", unit: "session", expected_steps: ["search"] })],
    flushTimeoutMillis: 1_000,
  });
  run(telemetry.tracer, ["search"], { "session.id": "s" });
  await millisUntil(telemetry.processor.shutdown());
  expect(telemetry.eventsOf("whole", "session")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
});

describe("behind an asynchronous scorer that hangs", () => {
  test.each([
    ["a scorer", hangs({ timeout_seconds: 300, max_concurrency: 4 })],
    ["a judge", judge(() => never(), { metric_name: "hangs", timeout_seconds: 300 })],
  ])("%s: units wait, the oldest make room, each has a reason, and the count is said", async (_, scorer) => {
    const telemetry = new Telemetry({
      defaultEgress: "permitted",
      scorers: [scorer, stepAccuracy({ expected_steps: ["search"] })],
      maxScorerQueue: 10,
    });
    for (let index = 0; index < 100; index += 1) {
      run(telemetry.tracer, ["search"]);
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(100);
    // 4 run, 10 wait, 86 made room.
    const reasons = () => telemetry.eventsOf("hangs").map((each) => each["trajectory.evaluation.reason"]);
    expect(reasons()).toEqual(Array(86).fill("scorer_timeout"));
    expect(telemetry.processor.stats()).toMatchObject({ problems: { scorer_queue: 86 }, evaluations: { pending: 14 } });
    // Those that made room were the oldest: the first four run.
    const ids = telemetry.eventsOf("step_accuracy").map((each) => each["trajectory.unit_id"]);
    const away = telemetry.eventsOf("hangs").map((each) => each["trajectory.unit_id"]);
    expect(away).toEqual(ids.slice(4, 90));
    // Nobody waits for what hangs.
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(100);
    // The time limit gives the places to those that wait: three rounds of four, and two.
    await vi.advanceTimersByTimeAsync(4 * 300_000 + 1_000);
    expect(reasons()).toHaveLength(100);
    expect(telemetry.processor.stats().evaluations.pending).toBe(0);
  });
});
