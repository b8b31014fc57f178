import { ROOT_CONTEXT } from "@opentelemetry/api";
import { beforeAll, expect, test } from "vitest";
import { hostileSpans } from "../../bench/hostile-spans.mjs";
import {
  stepAccuracy,
  type TrajectorySpanProcessorOptions,
  toolSelectionAccuracy,
  trajectoryShape,
} from "../../src/index.ts";
import { enableContext, run, Telemetry } from "../support/telemetry.ts";

beforeAll(enableContext);

/** The full size is that of `bench/hostile.mjs`: a million spans, with the time of every hook. */
const SPANS = Number(process.env.HOSTILE_SPANS ?? 2_000);
const STEPS = ["search", "open", "answer", "close"];

test.each<[string, TrajectorySpanProcessorOptions]>([
  ["attributes while the root ends", { attach: "ending" }],
  ["held roots", { attach: "hold", holdMillis: 20 }],
  ["evaluation spans", { attach: "span" }],
])(
  "hostile spans, with %s: nothing is thrown, every span is accounted for, no other trace is touched",
  async (_, options) => {
    const telemetry = new Telemetry({
      scorers: [
        stepAccuracy({ expected_steps: STEPS }),
        toolSelectionAccuracy({ expected_tools: ["search"] }),
        stepAccuracy({ metric_name: "whole", unit: "session", expected_steps: STEPS }),
        trajectoryShape({ unit: "trajectory" }),
      ],
      lateSpanMillis: 5,
      lateWindowMillis: 20,
      maxTraces: 50,
      maxSessions: 5,
      flushTimeoutMillis: 60_000,
      ...options,
    });
    const next = hostileSpans(7, ROOT_CONTEXT);
    const wanted = new Map<string, number>();
    for (let number = 0; number < SPANS; number += 1) {
      const { span, calls, context } = next();
      for (const hook of calls) telemetry.processor[hook](span as never, context as never);
      if (number % 50 > 0) continue;
      const taken = 1 + (wanted.size % STEPS.length);
      wanted.set(
        `trajectory:${run(telemetry.tracer, STEPS.slice(0, taken), {}, "control").spanContext().traceId}`,
        taken / 4,
      );
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await telemetry.processor.shutdown();

    const scores = telemetry
      .eventsOf("step_accuracy")
      .filter((event) => wanted.has(String(event["trajectory.unit_id"])))
      .map((event) => [
        event["trajectory.unit_id"],
        event["gen_ai.evaluation.score.value"],
        event["trajectory.complete"],
      ]);
    expect(scores).toEqual([...wanted].map(([unit, score]) => [unit, score, true]));
    const { seen, released, held, dropped } = telemetry.processor.stats().spans;
    expect(seen).toBeGreaterThan(SPANS / 2);
    expect(held).toBe(0);
    expect(released + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(seen);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
);
