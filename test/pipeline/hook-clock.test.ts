import { describe, expect, test } from "vitest";
import { HookClock } from "../../src/pipeline/hook-clock.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";

/** The time of a span that starts or ends `millis` after the runtime's zero. */
const wall = (millis: number): [number, number] => {
  const total = 1_700_000_000_000 + millis;
  return [Math.floor(total / 1_000), (total % 1_000) * 1_000_000];
};

describe("the time in a hook", () => {
  test("is the span's own where that lies just ahead", () => {
    const runtime = new ManualRuntime();
    const clock = new HookClock(runtime);
    clock.read();
    runtime.freeze(500);
    expect(clock.at(...wall(500))).toBe(500);
    // Believed, not read: half a second has passed, and the span says so.
    expect(clock.at(...wall(900))).toBe(900);
  });

  test("is read where the span is far ahead, so that no made-up future is believed", () => {
    const runtime = new ManualRuntime();
    const clock = new HookClock(runtime);
    clock.read();
    runtime.freeze(40);
    expect(clock.at(...wall(3_600_000))).toBe(40);
  });

  test("is what was known where the span's own lies just behind", () => {
    const runtime = new ManualRuntime();
    runtime.freeze(10_000);
    const clock = new HookClock(runtime);
    clock.read();
    runtime.freeze(300);
    expect(clock.at(...wall(9_100))).toBe(10_000);
    expect(clock.at(...wall(10_300))).toBe(10_300);
  });

  test("is read where the span is of the past, as spans are that are written after the fact", () => {
    const runtime = new ManualRuntime();
    runtime.freeze(10_000);
    const clock = new HookClock(runtime);
    clock.read();
    runtime.freeze(300);
    expect(clock.at(...wall(1))).toBe(10_300);
    expect(clock.timeOf(...wall(1))).toBe(1);
  });

  test("is read at least once in 64 questions", () => {
    const runtime = new ManualRuntime();
    const clock = new HookClock(runtime);
    clock.read();
    let millis = 0;
    for (let question = 0; question < 64; question += 1) {
      millis += 900;
      clock.at(...wall(millis));
    }
    // Every step was believed, and none of that time has really passed.
    expect(clock.at(...wall(millis + 900))).toBe(0);
  });

  test("survives times that are no numbers", () => {
    const clock = new HookClock(new ManualRuntime());
    clock.read();
    expect(clock.at(Number.NaN, 0)).toBe(0);
    expect(clock.at(undefined as never, undefined as never)).toBe(0);
  });
});
