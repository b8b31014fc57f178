import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { createResolver } from "../../src/expectation/resolve.ts";
import type { Scorer } from "../../src/model/scorer.ts";
import type { SpanView } from "../../src/model/span.ts";
import { Engine } from "../../src/pipeline/engine.ts";
import { type EngineOptions, resolveEngineOptions } from "../../src/pipeline/options.ts";
import type { EmittedEvaluation, RecordedResult, Sink } from "../../src/pipeline/sink.ts";
import { defineScorer } from "../../src/score/define-scorer.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";

const tool = (trace: string, span: string, parent: string, given: Partial<SpanView> = {}): SpanView => ({
  trace_id: trace,
  span_id: span,
  parent_id: parent,
  remote_parent: false,
  trace_flags: 1,
  name: `execute_tool ${span}`,
  span_kind: "INTERNAL",
  start_s: 1,
  start_n: 0,
  end_s: 2,
  end_n: 0,
  status: "UNSET",
  attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": span },
  events: [],
  scope_name: "test",
  scope_version: "",
  resource: {},
  ...given,
});

class Bench {
  readonly runtime = new ManualRuntime();
  readonly emitted: EmittedEvaluation[] = [];
  readonly recorded: RecordedResult[] = [];
  readonly corrected: RecordedResult[] = [];
  readonly problems: string[] = [];
  readonly notices: string[] = [];
  readonly dropped: string[] = [];
  readonly engine: Engine;

  constructor(options: EngineOptions) {
    const sink: Sink = {
      emit: (each) => void this.emitted.push(each),
      unitPartlyScored: () => undefined,
      unitScored: () => undefined,
      unitDropped: (traceId) => void this.dropped.push(traceId),
      record: (each) => void this.recorded.push(each),
      correct: (each) => void this.corrected.push(each),
      time: () => undefined,
      skip: () => undefined,
    };
    this.engine = new Engine(resolveEngineOptions(options), {
      runtime: this.runtime,
      resolver: createResolver({ sources: [] }),
      reader: createSpanReader(),
      sinks: [sink],
      problem: (kind) => void this.problems.push(kind),
      notice: (_, message) => void this.notices.push(message),
    });
  }

  balance(): void {
    const { seen, released, held, dropped } = this.engine.stats().spans;
    expect(released + held + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(seen);
  }

  /** `drain` and `shutdown` wait for timers; the clock here moves only when told to. */
  async settle(work: Promise<void>): Promise<void> {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    for (let turn = 0; turn < 1_000 && !done; turn += 1) {
      await Promise.resolve();
      this.runtime.advance(0);
    }
    await work;
  }
}

const scorers = (unit: "trajectory" | "session"): Scorer =>
  stepAccuracy({ metric_name: `${unit}_steps`, unit, expected_steps: ["a", "b"] });

describe("one timer", () => {
  test("nothing is scored in a hook; a turn later it is", () => {
    const bench = new Bench({ scorers: [scorers("trajectory")] });
    bench.engine.start("t", "a", "", false, 1, 0);
    bench.engine.end(tool("t", "a", ""));
    expect(bench.emitted).toHaveLength(0);
    expect(bench.runtime.waiting).toBe(1);
    bench.runtime.advance(0);
    expect(bench.emitted).toHaveLength(1);
  });

  test("it says for how long there has always been something left to score", () => {
    const slow = defineScorer({
      ...{ name: "test.slow", version: "1.0.0", metric_name: "slow", units: ["trajectory"] },
      score: () => {
        bench.runtime.freeze(10);
        return { status: "scored", score: 1, label: "informational", metadata: {} };
      },
    });
    const bench: Bench = new Bench({ scorers: [slow], lateSpanMillis: 0 });
    expect(bench.engine.behindMillis).toBe(0);
    for (const trace of ["t", "u", "v"]) {
      bench.engine.start(trace, "a", "", false, 1, 0);
      bench.engine.end(tool(trace, "a", ""));
    }
    const behind = [1, 2, 3].map(() => {
      bench.runtime.step();
      return [bench.emitted.length, bench.engine.behindMillis];
    });
    // A turn ends after 5 ms of work, so each takes one trace; the third finds that nothing is left.
    expect(behind.slice(0, 2)).toEqual([
      [1, 10],
      [2, 20],
    ]);
    bench.runtime.advance(0);
    expect([bench.emitted.length, bench.engine.behindMillis]).toEqual([3, 0]);
  });

  test("a session that was told to end keeps the process alive until it has, for five seconds at most", async () => {
    const bench = new Bench({ scorers: [scorers("session")] });
    bench.engine.start("t", "root", "", false, 1, 0);
    const ended = bench.engine.endSession("s", 5_000);
    expect(bench.runtime.keepingAlive).toBe(1);
    bench.runtime.advance(5_000);
    expect(bench.runtime.keepingAlive).toBe(0);
    bench.engine.end(tool("t", "root", "", { attributes: { ...tool("t", "root", "").attributes, "session.id": "s" } }));
    await bench.settle(ended);
    await bench.settle(bench.engine.endSession("unknown", 5_000));
    expect(bench.runtime.keepingAlive).toBe(0);
    expect(bench.emitted.map(({ unit }) => unit.unit_id)).toEqual(["session:s"]);
  });

  test("what a drain could not finish in its time is said", async () => {
    const hanging = defineScorer({
      name: "own.hangs",
      version: "1.0.0",
      metric_name: "hangs",
      score: () => new Promise(() => undefined),
    });
    const bench = new Bench({ scorers: [hanging] });
    bench.engine.start("t", "root", "", false, 1, 0);
    bench.engine.end(tool("t", "root", ""));
    const drained = bench.engine.drain(200);
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      bench.runtime.advance(100);
    }
    await drained;
    expect(bench.notices).toEqual([expect.stringMatching(/^drain: .* 1 unit/)]);
  });

  test("a frozen process finds what is overdue at its next span, not at its stale timers", () => {
    const bench = new Bench({ scorers: [scorers("trajectory")] });
    bench.engine.start("t", "root", "", false, 1, 0);
    bench.engine.start("t", "a", "root", false, 1, 0);
    bench.engine.end(tool("t", "root", ""));
    bench.runtime.freeze(3_600_000);
    bench.engine.start("other", "x", "", false, 1, 0);
    bench.runtime.advance(0);
    expect(bench.emitted.map(({ unit }) => unit.incomplete_reasons)).toEqual([["open_spans"]]);
  });

  test("the clock jumps an hour: every unit is scored once and nothing is lost", () => {
    const bench = new Bench({ scorers: [scorers("trajectory"), scorers("session")] });
    for (const trace of ["t1", "t2"]) {
      bench.engine.start(trace, "a", "", false, 1, 0);
      bench.engine.end(tool(trace, "a", "", { attributes: { ...tool(trace, "a", "").attributes, "session.id": "s" } }));
    }
    bench.runtime.advance(3_600_000);
    expect(bench.emitted.map(({ unit }) => unit.unit_id)).toEqual(["trajectory:t1", "trajectory:t2", "session:s"]);
    expect(bench.recorded).toHaveLength(3);
    bench.balance();
    expect(bench.engine.stats().traces.finished).toBe(0);
  });
});

describe("evaluation ids", () => {
  const scored = (span: string): string => {
    const bench = new Bench({ scorers: [scorers("trajectory")] });
    bench.engine.start("t", span, "", false, 1, 0);
    bench.engine.end(tool("t", span, ""));
    bench.runtime.advance(0);
    return bench.emitted[0]?.evaluation_id ?? "";
  };

  test("name unit, scorer, configuration, expectation and first span", () => {
    expect(scored("a")).toMatch(/^[0-9a-f]{32}$/);
    expect(scored("a")).toBe(scored("a"));
    expect(scored("a")).not.toBe(scored("b"));
  });
});

describe("memory", () => {
  test("beyond maxBufferedBytes windows go first, then what has been idle longest, scored and flagged", () => {
    const bench = new Bench({ scorers: [scorers("trajectory")], maxBufferedBytes: 4_000 });
    for (let index = 0; index < 20; index += 1) {
      bench.engine.start(`t${index}`, "root", "", false, 1, 0);
      bench.engine.start(`t${index}`, "a", "root", false, 1, 0);
      bench.engine.end(tool(`t${index}`, "a", "root"));
      bench.runtime.advance(0);
      expect(bench.engine.stats().buffered_bytes).toBeLessThanOrEqual(4_000);
    }
    expect(bench.emitted.length).toBeGreaterThan(10);
    for (const { unit } of bench.emitted) expect(unit.incomplete_reasons).toContain("evicted");
    expect(bench.emitted.map(({ unit }) => unit.unit_id)).toEqual(
      bench.emitted.map((_, index) => `trajectory:t${index}`),
    );
    bench.balance();
  });

  test("what waits for a turn that never comes is bounded too: the oldest is dropped, counted and said", () => {
    const bench = new Bench({ scorers: [scorers("trajectory")], maxBufferedBytes: 4_000 });
    for (let index = 0; index < 100; index += 1) {
      bench.engine.start(`t${index}`, "a", "", false, 1, 0);
      bench.engine.end(tool(`t${index}`, "a", ""));
      expect(bench.engine.stats().buffered_bytes).toBeLessThanOrEqual(8_000);
      bench.balance();
    }
    const { dropped } = bench.engine.stats().spans;
    expect(dropped.backlog).toBeGreaterThan(80);
    const { traces } = bench.engine.stats();
    expect(traces.dropped).toBe(dropped.backlog);
    expect(traces.open + traces.finished + traces.waiting + traces.dropped).toBe(100);
    expect(bench.notices).toContain(
      "traces were dropped: more than maxBufferedBytes waited for a turn to be scored in",
    );
    expect(bench.dropped).toHaveLength(dropped.backlog);
    bench.runtime.advance(0);
    // The latest have survived.
    expect(bench.emitted).toHaveLength(100 - dropped.backlog);
    expect(bench.emitted.at(-1)?.unit.unit_id).toBe("trajectory:t99");
    bench.balance();
    bench.runtime.advance(3_600_000);
    expect(bench.engine.stats()).toMatchObject({ buffered_bytes: 0, traces: { waiting: 0 } });
  });
});

describe("random interleavings", () => {
  const traces = fc.constantFrom("t1", "t2", "t3");
  const spans = fc.constantFrom("a", "b", "c", "d");
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        op: fc.constant("start" as const),
        t: traces,
        s: spans,
        p: fc.option(spans),
        r: fc.boolean(),
      }),
    },
    {
      weight: 9,
      arbitrary: fc.record({
        op: fc.constant("end" as const),
        t: traces,
        s: spans,
        p: fc.option(spans),
        r: fc.boolean(),
        session: fc.option(fc.constantFrom("s1", "s2")),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constant("wait" as const), ms: fc.constantFrom(0, 1, 2_000, 31_000, 2_000_000) }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("session" as const), id: fc.constantFrom("s1", "s2") }) },
  );
  const units = fc.constantFrom(
    ["trajectory"] as const,
    ["session"] as const,
    ["trajectory", "session"] as const,
    [] as const,
  );
  const ratios = fc.constantFrom(1, 1, 0.5, 0);

  test("seen = scored + pending + counted drops, exactly, at every moment; one id, rising revisions", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), units, ratios, async (steps, of, sampleRatio) => {
        const bench = new Bench({
          scorers: of.map(scorers),
          sampleRatio,
          maxTraces: 2,
          maxSessions: 1,
          maxSpansPerTrace: 3,
          maxFinishedTraces: 1,
          maxStepsPerSession: 2,
        });
        for (const action of steps) {
          if (action.op === "start") bench.engine.start(action.t, action.s, action.p ?? "", action.r, 1, 0);
          else if (action.op === "end") {
            const plain = tool(action.t, action.s, action.p ?? "", { remote_parent: action.r });
            const attributes =
              action.session === null ? plain.attributes : { ...plain.attributes, "session.id": action.session };
            bench.engine.end({ ...plain, attributes });
          } else if (action.op === "wait") bench.runtime.advance(action.ms);
          else void bench.engine.endSession(action.id, 5_000);
          bench.balance();
        }
        await bench.settle(bench.engine.shutdown(60_000));
        bench.balance();
        const { spans: counted, traces: open, sessions } = bench.engine.stats();
        expect(counted.held).toBe(0);
        expect(open.open + open.finished + sessions.open).toBe(0);
        expect(bench.problems).toEqual([]);
        expect(bench.runtime.waiting).toBe(0);
        const revisions = new Map<string, number>();
        for (const { evaluation_id, revision } of bench.emitted) {
          // A root that is sent again after its window starts a unit of the same first span, and so of the same id.
          if (revision > 0) expect(revision).toBe((revisions.get(evaluation_id) ?? -1) + 1);
          revisions.set(evaluation_id, revision);
        }
        // Every unit's last word is recorded once.
        const units = bench.emitted.filter(({ revision }) => revision === 0).length;
        expect(bench.recorded.filter(({ status }) => status === "scored").length).toBe(units);
      }),
      { seed: 42, numRuns: 400 },
    );
  });
});
