import { describe, expect, test } from "vitest";
import { createSpanReader } from "../../src/conventions/read-span.ts";
import { createResolver } from "../../src/expectation/resolve.ts";
import { Engine } from "../../src/pipeline/engine.ts";
import { resolveEngineOptions } from "../../src/pipeline/options.ts";
import type { EmittedEvaluation } from "../../src/pipeline/sink.ts";
import { SILENT_SINK } from "../../src/pipeline/sink.ts";
import { stepAccuracy } from "../../src/score/step-accuracy.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";
import { agent, type Sketch, tool, viewOf } from "../support/spans.ts";

const HOUR = 3_600_000;

/** An engine under a clock that is turned by hand; spans say what the wall clock says. */
class Host {
  readonly runtime = new ManualRuntime();
  readonly emitted: EmittedEvaluation[] = [];
  readonly engine = new Engine(
    resolveEngineOptions({
      scorers: [
        stepAccuracy({ expected_steps: ["search", "open"] }),
        stepAccuracy({ metric_name: "whole", unit: "session", expected_steps: ["search", "open"] }),
      ],
      openIdleMillis: 900_000,
      sessionIdleMillis: 1_800_000,
    }),
    {
      runtime: this.runtime,
      resolver: createResolver({ sources: [] }),
      reader: createSpanReader(),
      sinks: [{ ...SILENT_SINK, emit: (each) => void this.emitted.push(each) }],
      problem: (kind, error) => {
        throw new Error(kind, { cause: error });
      },
      notice: () => undefined,
    },
  );
  readonly #started = new Map<string, number>();

  start(id: string, parent = ""): void {
    const now = this.runtime.wall();
    this.#started.set(id, now);
    this.engine.start("t", id, parent, false, Math.floor(now / 1_000), (now % 1_000) * 1e6);
  }

  end(sketch: Sketch): void {
    const from = this.#started.get(sketch.id) ?? this.runtime.wall();
    // Sketches count from the thousandth second.
    this.engine.end(viewOf({ ...sketch, trace: "t", start: from - 1e6, end: this.runtime.wall() - 1e6 }));
  }

  scores(metric: string): unknown[] {
    return this.emitted
      .filter(({ evaluation }) => evaluation.scorer.metric_name === metric)
      .map(({ evaluation, unit, revision }) => [
        revision,
        evaluation.result.status === "scored" ? evaluation.result.score : evaluation.result.status,
        unit.complete,
      ]);
  }
}

const ROOT = agent("root", { named: "support", attributes: { "session.id": "s" } });
const call = (id: string): Sketch => tool(id, { parent: "root" });

describe.each([
  ["forwards", HOUR],
  ["backwards", -HOUR],
])("a wall clock that jumps an hour %s", (_, jump) => {
  test("in mid-trace: the trace is scored once, whole, when its root ends, and its session in its own time", () => {
    const host = new Host();
    host.start("root");
    host.start("search", "root");
    host.end(call("search"));
    host.runtime.advance(10);
    host.runtime.jump(jump);
    host.start("open", "root");
    host.runtime.advance(10);
    host.end(call("open"));
    // No limit has passed but on the wall.
    host.runtime.advance(60_000);
    expect(host.emitted).toEqual([]);
    host.end(ROOT);
    host.runtime.advance(1);
    // By their own times the two calls are in the other order where the clock went back.
    const score = jump > 0 ? 1 : 0;
    expect(host.scores("step_accuracy")).toEqual([[0, score, true]]);
    host.runtime.advance(1_790_000);
    expect(host.scores("whole")).toEqual([]);
    host.runtime.advance(20_000);
    expect(host.scores("whole")).toEqual([[0, score, true]]);
    expect(host.engine.stats().spans).toMatchObject({ seen: 3, released: 3, held: 0 });
  });

  test("between traces: limits are as long as before", () => {
    const host = new Host();
    host.start("root");
    host.runtime.jump(jump);
    host.runtime.advance(899_000);
    expect(host.engine.stats().traces).toMatchObject({ open: 1, scored: 0 });
    host.runtime.advance(2_000);
    expect(host.engine.stats().traces).toMatchObject({ open: 0, scored: 1 });
  });
});

test("a process that is frozen for an hour: what was open is scored as it stands, and revised when it goes on", () => {
  const host = new Host();
  host.start("root");
  host.start("search", "root");
  host.end(call("search"));
  host.runtime.freeze(HOUR / 2);
  host.runtime.advance(1);
  expect(host.scores("step_accuracy")).toEqual([[0, 0.5, false]]);
  host.start("open", "root");
  host.end(call("open"));
  host.end(ROOT);
  host.runtime.advance(10_000);
  expect(host.scores("step_accuracy").at(-1)).toEqual([1, 1, true]);
  const ids = new Set(
    host.emitted
      .filter(({ evaluation }) => evaluation.scorer.metric_name === "step_accuracy")
      .map((each) => each.evaluation_id),
  );
  expect(ids.size).toBe(1);
});

test("a process that is frozen between requests: the first hook of the next one sets the timer anew", () => {
  const host = new Host();
  host.start("root");
  host.end(ROOT);
  host.runtime.lose();
  host.runtime.freeze(HOUR);
  host.start("second");
  host.end(agent("second", { named: "support" }));
  host.runtime.advance(1);
  expect(host.engine.stats().traces.scored).toBeGreaterThan(0);
});
