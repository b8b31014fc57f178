import { diag, metrics } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { defineScorer, type Scorer, stepAccuracy, type TrajectorySpanProcessorOptions } from "../../src/index.ts";
import { agent, enableContext, run, Telemetry, tool } from "../support/telemetry.ts";

beforeAll(enableContext);
afterEach(() => {
  diag.disable();
  metrics.disable();
});

const EXPECTED: TrajectorySpanProcessorOptions = {
  expectations: [{ id: "r", expected_steps: ["search", "open"] }],
  scorers: [stepAccuracy()],
};

function refuse(): never {
  throw new Error("refused");
}

/** A provider whose every method, and the methods of all that they give, throw. */
const broken: never = new Proxy(refuse, { get: () => broken }) as never;

/** One that hands out what it is asked for, which then throws. */
const brokenLater = {
  getLogger: () => ({ emit: refuse }),
  getMeter: () => ({
    createHistogram: () => ({ record: refuse }),
    createCounter: () => ({ add: refuse }),
    createObservableCounter: () => ({ addCallback: refuse }),
    createObservableUpDownCounter: () => ({ addCallback: refuse }),
  }),
  getTracer: () => ({ startSpan: refuse }),
} as never;

describe.each<[string, never]>([
  ["at once", broken],
  ["when it is used", brokenLater],
])("a provider that throws %s", (_, provider) => {
  test("a logger: the event is counted as lost, and metrics and attributes are there", async () => {
    const telemetry = new Telemetry({ ...EXPECTED, loggerProvider: provider });
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBe(1);
    const [count] = await telemetry.points("trajectory.evaluation.results");
    expect(count?.value).toBe(1);
    expect(telemetry.processor.stats()).toMatchObject({ events_lost: 1, problems: { sink: 1 } });
  });

  test("a meter: events and attributes are there", async () => {
    const telemetry = new Telemetry({ ...EXPECTED, meterProvider: provider });
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBe(1);
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    expect(telemetry.processor.stats()).toMatchObject({ events_lost: 0, problems: { sink: expect.any(Number) } });
  });

  test("a tracer for evaluation spans: events and metrics are there", async () => {
    const telemetry = new Telemetry({ ...EXPECTED, attach: "span", tracerProvider: provider });
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    expect((await telemetry.points("trajectory.evaluation.results"))[0]?.value).toBe(1);
    expect(telemetry.processor.stats().problems).toEqual({ sink: 1 });
  });
});

test("a diagnostics logger that throws: nothing throws, whatever there is to say", async () => {
  const loud = { error: refuse, warn: refuse, info: refuse, debug: refuse, verbose: refuse };
  try {
    diag.setLogger(loud);
  } catch {
    // The API itself speaks to the new logger.
  }
  process.env.TRAJECTORY_SAMPLE_RATIO = "nonsense";
  let telemetry: Telemetry;
  try {
    // Warns in the constructor.
    telemetry = new Telemetry({
      ...EXPECTED,
      // No rule fits, which is said once; the scorer fails, which is said; and at the end something has not been scored.
      expectations: [{ match: { agent: "nobody" }, expected_steps: ["search"] }],
      scorers: [stepAccuracy(), own("hangs", () => new Promise(() => undefined))],
      flushTimeoutMillis: 1,
    });
  } finally {
    delete process.env.TRAJECTORY_SAMPLE_RATIO;
  }
  run(telemetry.tracer, ["search"]);
  await telemetry.processor.forceFlush();
  await telemetry.processor.drain();
  await telemetry.processor.shutdown();
  expect(telemetry.processor.stats().evaluations.results).toEqual({ no_expectation: 1 });
});

function own(metric_name: string, score: Scorer["score"]): Scorer {
  return defineScorer({ name: `own.${metric_name}`, version: "1.0.0", metric_name, score });
}

test("one processor registered twice scores each trace once", async () => {
  const telemetry = new Telemetry(EXPECTED);
  const twice = new Telemetry(EXPECTED, { before: [telemetry.processor, telemetry.processor] });
  run(twice.tracer, ["search", "open"]);
  await telemetry.processor.drain();
  await twice.processor.drain();
  for (const each of [telemetry, twice]) {
    expect(each.eventsOf("step_accuracy").map((event) => event["gen_ai.evaluation.score.value"])).toEqual([1]);
  }
  const { seen, released, dropped } = telemetry.processor.stats().spans;
  expect({ seen, released, duplicate: dropped.duplicate }).toEqual({ seen: 6, released: 3, duplicate: 3 });
});

describe("shutdown", () => {
  test("twice, and while results are on their way: one promise, each result once", async () => {
    const telemetry = new Telemetry(EXPECTED);
    run(telemetry.tracer, ["search", "open"]);
    const first = telemetry.processor.shutdown();
    expect(telemetry.processor.shutdown()).toBe(first);
    const flushed = telemetry.processor.forceFlush();
    run(telemetry.tracer, ["search"]);
    await Promise.all([first, flushed, telemetry.processor.drain()]);
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
    expect(telemetry.processor.stats().spans).toMatchObject({ seen: 5, released: 3, dropped: { after_shutdown: 2 } });
  });

  test("from within a scorer, and from within a logger: it ends, and each result is there once", async () => {
    let telemetry: Telemetry | undefined;
    const shutDown = (): Promise<void> | undefined => telemetry?.processor.shutdown();
    const events: unknown[] = [];
    telemetry = new Telemetry({
      ...EXPECTED,
      loggerProvider: {
        getLogger: () => ({
          emit: (event: unknown) => {
            events.push(event);
            void shutDown();
          },
        }),
      } as never,
      scorers: [
        stepAccuracy(),
        own("again", () => {
          void shutDown();
          return { status: "scored", score: 1, label: "informational", metadata: {} };
        }),
      ],
    });
    run(telemetry.tracer, ["search", "open"]);
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.forceFlush();
    await telemetry.processor.shutdown();
    expect(events).toHaveLength(4);
  });

  test("in mid-trace: what has ended is scored and flagged, and open spans may end later", async () => {
    const telemetry = new Telemetry(EXPECTED);
    const root = agent(telemetry.tracer, "support");
    tool(telemetry.tracer, "search", root).end();
    const open = tool(telemetry.tracer, "open", root);
    await telemetry.processor.shutdown();
    open.end();
    root.end();
    const [event] = telemetry.eventsOf("step_accuracy");
    expect(event).toMatchObject({
      "gen_ai.evaluation.score.value": 0.5,
      "trajectory.complete": false,
      "trajectory.incomplete_reasons": expect.arrayContaining(["open_spans", "shutdown"]),
    });
    expect(telemetry.processor.stats().spans).toMatchObject({ seen: 3, released: 1, dropped: { after_shutdown: 2 } });
  });
});

test("a thousand concurrent flushes, with traces running on: each is scored once, and all resolve", async () => {
  const telemetry = new Telemetry(EXPECTED);
  const flushes: Promise<void>[] = [];
  for (let index = 0; index < 1_000; index += 1) {
    run(telemetry.tracer, index % 2 === 0 ? ["search", "open"] : ["search"]);
    flushes.push(telemetry.processor.forceFlush());
    if (index % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await Promise.all(flushes);
  const scores = telemetry.eventsOf("step_accuracy").map((event) => event["gen_ai.evaluation.score.value"]);
  expect(scores.filter((score) => score === 1)).toHaveLength(500);
  expect(scores.filter((score) => score === 0.5)).toHaveLength(500);
  expect(telemetry.processor.stats()).toMatchObject({ problems: {}, traces: { open: 0, scored: 1_000, revised: 0 } });
});
