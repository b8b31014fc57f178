import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { WorkBudget } from "../../src/align/alignment.ts";
import { orderAware, rubric, stepAccuracy, stepCredit } from "../../src/index.ts";
import { agent, enableContext, run, Telemetry, tool, until } from "../support/telemetry.ts";

/** Steps of the long run. Near the limit are 5 000; its square is the cells that two lists without a common name cost. */
const LENGTH = Number(process.env.LONG_WORK_STEPS ?? 1_500);

const names = (prefix: string, length: number): string[] =>
  Array.from({ length }, (_item, index) => `${prefix}_${index}`);
const LONG = { id: "long", match: { agent: "long" }, expected_steps: names("expected", LENGTH) };
const SHORT = { id: "short", match: { agent: "short" }, expected_steps: ["search"] };

beforeAll(enableContext);

const { spend } = WorkBudget.prototype;

/** Most cells of one turn, which has two milliseconds for them: a small part of the whole on any machine. */
const MOST = (LENGTH * LENGTH) / 4;

/** Cells that were spent in each turn of the event loop. */
let turns: number[] = [];
let watching: NodeJS.Immediate | undefined;

beforeEach(() => {
  turns = [0];
  // No spy: it would remember millions of calls.
  WorkBudget.prototype.spend = function (cells): boolean {
    turns[turns.length - 1] = (turns.at(-1) as number) + cells;
    return spend.call(this, cells);
  };
  const turn = (): void => {
    if (turns.at(-1) !== 0) turns.push(0);
    watching = setImmediate(turn);
  };
  watching = setImmediate(turn);
});

afterEach(() => {
  clearImmediate(watching);
  WorkBudget.prototype.spend = spend;
});

describe("a trace whose alignment is long", () => {
  test("is scored in slices, over many turns, and holds up no other trace", async () => {
    const telemetry = new Telemetry({ expectations: [LONG, SHORT], scorers: [stepAccuracy()], attach: "none" });
    run(telemetry.tracer, names("observed", LENGTH), {}, "long");
    await until(() => telemetry.processor.stats().evaluations.pending === 1);
    run(telemetry.tracer, ["search"], {}, "short");
    await until(() => telemetry.events.length === 2);
    expect(telemetry.eventsOf("step_accuracy").map((event) => event["gen_ai.evaluation.score.value"])).toEqual([1, 0]);
    expect(telemetry.processor.stats().evaluations.pending).toBe(0);
    expect(Math.max(...turns)).toBeLessThan(MOST);
    expect(turns.reduce((sum, cells) => sum + cells)).toBeGreaterThanOrEqual(LENGTH * LENGTH);
  });

  test("gives what score() gives, for every scorer that aligns", async () => {
    const scorers = [
      stepAccuracy(),
      stepAccuracy({ metric_name: "grouped" }),
      orderAware(),
      stepCredit(),
      rubric({ all: [{ metric: "step_credit", gte: 0.1 }] }),
    ];
    // Repeats of few names, in two orders, with agents among them: no shortcut applies.
    const expected = Array.from({ length: 500 }, (_step, index) => `t_${(index * index) % 11}`);
    const grouped = expected.map((name, index) => (index % 9 === 0 ? [name, "t_3", "t_1"] : name));
    const observed = expected.map((_name, index) => `T-${(index * 7) % 11}`);
    const telemetry = new Telemetry({
      scorers,
      attach: "none",
      expectations: (unit) => ({ expected_steps: unit.agent === "grouped" ? grouped : expected }),
    });
    const root = agent(telemetry.tracer, "long");
    for (const name of observed) tool(telemetry.tracer, name, root).end();
    root.end();
    await telemetry.processor.forceFlush();
    expect(Math.max(...turns)).toBeLessThan(scorers.length * MOST);
    const steps = observed.map((name) => ({ kind: "TOOL" as const, name }));
    for (const scorer of scorers) {
      const occurrence = {
        unit: "trajectory" as const,
        unit_id: "x",
        steps,
        expectation: { expected_steps: expected },
      };
      const [event] = telemetry.eventsOf(scorer.metric_name);
      expect(event?.["gen_ai.evaluation.score.value"]).toBe(scoreOf(scorer.score(occurrence)));
    }
  });

  test("late spans while it is under way: the revision comes after what it revises", async () => {
    const telemetry = new Telemetry({
      expectations: [LONG],
      scorers: [stepAccuracy()],
      attach: "none",
      lateSpanMillis: 1,
    });
    const root = agent(telemetry.tracer, "long");
    for (const name of names("observed", LENGTH)) tool(telemetry.tracer, name, root).end();
    const late = tool(telemetry.tracer, "expected_7", root);
    root.end();
    await until(() => telemetry.processor.stats().evaluations.pending === 1);
    late.end();
    await telemetry.processor.drain();
    const events = telemetry.eventsOf("step_accuracy");
    expect(events.map((event) => event["trajectory.evaluation.revision"])).toEqual([0, 1]);
    expect(events.map((event) => event["trajectory.complete"])).toEqual([false, true]);
    expect(events[0]?.["gen_ai.evaluation.score.value"]).toBe(0);
    // One more observed than expected, the last: expected_7 is reached by inserting all before it, or by none.
    expect(events[1]?.["gen_ai.evaluation.score.value"]).toBe(0);
  });

  test.each(["forceFlush", "drain", "shutdown"] as const)("%s waits for it", async (finish) => {
    const telemetry = new Telemetry({ expectations: [LONG], scorers: [stepAccuracy()], attach: "none" });
    run(telemetry.tracer, names("observed", LENGTH), {}, "long");
    await telemetry.processor[finish]();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
    expect(telemetry.processor.stats().evaluations.pending).toBe(0);
    expect(Math.max(...turns)).toBeLessThan(MOST);
  });

  test("a held root waits for it", async () => {
    const telemetry = new Telemetry({
      expectations: [LONG],
      scorers: [stepAccuracy()],
      attach: "hold",
      holdMillis: 5_000,
    });
    run(telemetry.tracer, names("observed", LENGTH), {}, "long");
    await until(() => telemetry.spans.length === LENGTH + 1);
    expect(telemetry.span("invoke_agent long").attributes).toMatchObject({ "trajectory.step_accuracy.score": 0 });
  });
});

describe("in the hook that ends a root", () => {
  afterEach(() => void vi.restoreAllMocks());
  const expected_steps = names("expected", 1_000);

  test("two hundred steps with nothing in common are scored at once", () => {
    const telemetry = new Telemetry({ expectations: [{ match: {}, expected_steps }], scorers: [stepAccuracy()] });
    // However slow the machine is.
    vi.spyOn(performance, "now").mockReturnValue(performance.now());
    const root = run(telemetry.tracer, names("observed", 200));
    expect((root as unknown as { attributes: object }).attributes).toMatchObject({
      "trajectory.step_accuracy.score": 0,
    });
  });

  test("and with the events alone where that would take more than a tenth of a second", async () => {
    const telemetry = new Telemetry({ expectations: [{ match: {}, expected_steps }], scorers: [stepAccuracy()] });
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 20;
      return now;
    });
    const root = run(telemetry.tracer, names("observed", 200));
    clock.mockRestore();
    expect(Object.keys((root as unknown as { attributes: object }).attributes).join()).not.toContain("step_accuracy");
    await telemetry.processor.forceFlush();
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
  });

  test("what costs more than a million cells comes with the events alone", async () => {
    const expected_steps = names("expected", 5_500);
    const telemetry = new Telemetry({ expectations: [{ match: {}, expected_steps }], scorers: [stepAccuracy()] });
    const root = run(telemetry.tracer, names("observed", 200));
    expect(turns[0]).toBeLessThan(1_100_000);
    await telemetry.processor.forceFlush();
    expect(Object.keys((root as unknown as { attributes: object }).attributes).join()).not.toContain("step_accuracy");
    expect(telemetry.eventsOf("step_accuracy")).toHaveLength(1);
  });
});

function scoreOf(result: ReturnType<ReturnType<typeof stepAccuracy>["score"]>): number {
  if (result.status !== "scored") throw new Error(`not scored: ${result.status}`);
  return result.score;
}
