import { describe, expect, test } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { type ExpectationFunction, fromFunction } from "../../src/expectation/from-function.ts";
import { createResolver } from "../../src/expectation/resolve.ts";
import type { SpanView } from "../../src/model/span.ts";
import { Engine } from "../../src/pipeline/engine.ts";
import { type EngineOptions, resolveEngineOptions } from "../../src/pipeline/options.ts";
import { type EmittedEvaluation, SILENT_SINK } from "../../src/pipeline/sink.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";

/** A clock by which any piece of work takes longer than a turn, so that each gets a turn of its own. */
class SlowRuntime extends ManualRuntime {
  override now(): number {
    this.freeze(6);
    return super.now();
  }
}

const STEPS = 1_000;
const names = Array.from({ length: STEPS }, (_step, index) => `t${index % 7}`);

const span = (id: string, attributes: SpanView["attributes"], parent = "root"): SpanView => ({
  trace_id: "t",
  span_id: id,
  parent_id: parent,
  remote_parent: false,
  trace_flags: 1,
  name: id,
  span_kind: "INTERNAL",
  start_s: 1,
  start_n: 0,
  end_s: 2,
  end_n: 0,
  status: "UNSET",
  attributes,
  events: [],
  scope_name: "test",
  scope_version: "",
  resource: {},
});
/** A call in second `second` of the run. */
const tool = (id: string, name: string, second: number): SpanView => ({
  ...span(id, { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name }),
  start_s: second,
  end_s: second + 1,
});

/** An engine in which one trace has just finished, `STEPS` long, and nothing of it has been read. */
function finished(options: EngineOptions = {}, ask?: ExpectationFunction) {
  const runtime = new SlowRuntime();
  const emitted: EmittedEvaluation[] = [];
  const problems: unknown[] = [];
  const engine = new Engine(
    resolveEngineOptions({
      scorers: [
        stepAccuracy({ expected_steps: names }),
        stepAccuracy({ metric_name: "session_steps", unit: "session", expected_steps: names }),
      ],
      ...options,
    }),
    {
      runtime,
      resolver: createResolver({
        sources:
          ask === undefined ? [] : [fromFunction(ask, { name: "lookup", timers: runtime, timeoutMillis: 60_000 })],
      }),
      reader: createSpanReader(),
      sinks: [{ ...SILENT_SINK, emit: (each) => void emitted.push(each) }],
      problem: (_kind, error) => void problems.push(error),
      notice: () => undefined,
    },
  );
  const root = engine.start("t", "root", "", false, 1, 0);
  names.forEach((name, index) => {
    engine.end(tool(`s${index}`, name, index));
  });
  engine.end(span("root", { "session.id": "s" }, ""), root);
  /** Fires timers until `done`, and gives how many that took; nothing may be lost sight of in between. */
  const turnsUntil = (done: () => boolean): number => {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const { seen, released, held, dropped } = engine.stats().spans;
      expect(released + held + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(seen);
      if (done()) return turn;
      runtime.step();
    }
    throw new Error(`it never came to that: ${JSON.stringify(engine.stats())}`);
  };
  return { engine, emitted, problems, turnsUntil };
}

describe("a long trace", () => {
  test("is read, assembled and scored in slices, and every span is accounted for between them", () => {
    const { engine, emitted, problems, turnsUntil } = finished();
    // Four slices of reading, the tree, two walks with their choices, four slices of steps, the scorer.
    expect(turnsUntil(() => emitted.length === 1)).toBeGreaterThan(10);
    expect(emitted[0]?.evaluation.result).toMatchObject({ status: "scored", score: 1 });
    turnsUntil(() => emitted.length === 2);
    expect(emitted[1]?.evaluation.result).toMatchObject({ status: "scored", score: 1 });
    expect(engine.stats().spans).toMatchObject({ seen: STEPS + 1, released: STEPS + 1, held: 0 });
    expect(problems).toEqual([]);
  });

  test.each([1, 3, 5, 7, 9, 11])(
    "a span that comes in slice %i is part of the score, then or in a revision",
    (slice) => {
      const { engine, emitted, turnsUntil } = finished();
      let turn = 0;
      turnsUntil(() => turn++ === slice);
      engine.end(tool("late", "t99", STEPS));
      turnsUntil(() => engine.stats().sessions.scored === 1);
      const scores = emitted
        .filter(({ unit }) => unit.unit === "trajectory")
        .map(({ revision, evaluation }) => [
          revision,
          evaluation.result.status === "scored" && evaluation.result.score,
        ]);
      // One step more than the 1 000 that were expected.
      const withLate = STEPS / (STEPS + 1);
      expect(scores.at(-1)?.[1]).toBeCloseTo(withLate, 9);
      expect(scores.map(([revision]) => revision)).toEqual(scores.map((_score, index) => index));
      expect(emitted.at(-1)?.unit.unit).toBe("session");
      expect(engine.stats().spans).toMatchObject({ seen: STEPS + 2, released: STEPS + 2, held: 0 });
    },
  );

  test.each<[string, () => unknown, unknown]>([
    ["answers", () => ({ expected_steps: names }), { status: "scored", score: 1 }],
    ["answers later", async () => ({ expected_steps: names }), { status: "scored", score: 1 }],
    [
      "throws",
      () => {
        throw new Error("no database");
      },
      { status: "non_evaluable", reason: "expectation_error" },
    ],
    [
      "rejects",
      async () => {
        throw new Error("no database");
      },
      { status: "non_evaluable", reason: "expectation_error" },
    ],
  ])("asks a function that %s once, in a slice of its own", async (_, answer, result) => {
    let asked = 0;
    const ask = (): unknown => {
      asked += 1;
      return answer();
    };
    const { emitted, turnsUntil } = finished({ scorers: [stepAccuracy()] }, ask as ExpectationFunction);
    turnsUntil(() => asked > 0);
    expect(emitted).toEqual([]);
    for (let turn = 0; turn < 50 && emitted.length === 0; turn += 1) {
      await Promise.resolve();
      let step = 0;
      turnsUntil(() => emitted.length > 0 || step++ === 1);
    }
    expect(emitted[0]?.evaluation.result).toMatchObject(result as object);
    expect(asked).toBe(1);
  });

  test("a trace that goes on while it is read is scored once it is over", () => {
    const { engine, emitted, turnsUntil } = finished();
    let turn = 0;
    turnsUntil(() => turn++ === 2);
    const more = engine.start("t", "more", "root", false, 1, 0);
    turn = 0;
    turnsUntil(() => turn++ === 3);
    expect(emitted).toHaveLength(0);
    expect(engine.stats().traces).toMatchObject({ open: 1, scored: 0 });
    engine.end(tool("more", "t99", STEPS), more);
    turnsUntil(() => engine.stats().traces.scored === 1);
    expect(emitted[0]?.unit.complete).toBe(true);
    expect(engine.stats().traces).toMatchObject({ scored: 1, revised: 0 });
  });

  test("that is over before it is assembled keeps its score", () => {
    // Room for no finished trace: the window closes as soon as another one finishes.
    const { engine, emitted, turnsUntil } = finished({ maxFinishedTraces: 1 });
    let turn = 0;
    turnsUntil(() => turn++ === 6);
    const other = engine.start("u", "other", "", false, 1, 0);
    engine.end({ ...tool("other", "t0", 0), trace_id: "u", parent_id: "" }, other);
    turnsUntil(() => emitted.some(({ unit }) => unit.unit_id === "trajectory:t"));
    expect(emitted[0]?.evaluation.result).toMatchObject({ status: "scored", score: 1 });
  });
});
