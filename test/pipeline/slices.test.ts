import { expect, test } from "vitest";
import type { Sliced } from "../../src/align/sliced.ts";
import { Slices } from "../../src/pipeline/slices.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";

/** Work of so many slices, each of which takes some milliseconds, and writes down its name. */
function* work(
  name: string,
  slices: number,
  takes: number,
  runtime: ManualRuntime,
  log: string[],
): Sliced<{ readonly name: string }> {
  for (let slice = 1; slice <= slices; slice += 1) {
    log.push(name);
    runtime.freeze(takes);
    if (slice < slices) yield;
  }
  return { name };
}

test("what is over within two milliseconds is done at once, whatever else waits", () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const log: string[] = [];
  expect(slices.add(work("a", 1, 50, runtime, log))).toEqual({ name: "a" });
  expect(slices.add(work("b", 4, 0.5, runtime, log))).toEqual({ name: "b" });
  expect(slices.add(work("c", 5, 0.5, runtime, log))).toBeInstanceOf(Promise);
  expect(slices.add(work("d", 2, 1, runtime, log))).toEqual({ name: "d" });
  expect(log.join("")).toBe("abbbbccccdd");
});

test("the oldest work is finished first, two milliseconds a turn, and nothing keeps the process alive", async () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const log: string[] = [];
  const results = [
    slices.add(work("a", 7, 1, runtime, log)),
    slices.add(work("b", 3, 1, runtime, log)),
    slices.add(work("c", 3, 10, runtime, log)),
  ];
  const turns: string[] = [];
  while (runtime.waiting > 0) {
    expect([runtime.waiting, runtime.keepingAlive]).toEqual([1, 0]);
    turns.push(log.splice(0).join(""));
    runtime.step();
  }
  // Two of each at once. The time that is left of a turn goes to the next in line.
  expect([...turns, log.join("")]).toEqual(["aabbc", "aa", "aa", "ab", "c", "c"]);
  expect(await Promise.all(results)).toEqual([{ name: "a" }, { name: "b" }, { name: "c" }]);
  // What comes later is armed anew.
  const later = slices.add(work("d", 3, 1, runtime, log));
  runtime.step();
  expect(await later).toEqual({ name: "d" });
});

test("what throws is rejected, and stops no other", async () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const failing = function* (slow: boolean): Sliced<object> {
    if (slow) runtime.freeze(5);
    yield;
    throw new Error("broken");
  };
  const broken = slices.add(failing(true));
  const whole = slices.add(work("a", 3, 1, runtime, []));
  for (let turn = 0; turn < 3; turn += 1) runtime.step();
  await expect(broken).rejects.toThrow("broken");
  expect(await whole).toEqual({ name: "a" });
  expect(() => slices.add(failing(false))).toThrow("broken");
});

test("stopped, it lets go of what is left", () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const log: string[] = [];
  void slices.add(work("a", 3, 5, runtime, log));
  runtime.step();
  slices.stop();
  expect([runtime.waiting, log]).toEqual([0, ["a", "a"]]);
});

test("without timers, work is done at once", async () => {
  const runtime = new ManualRuntime();
  const timeless = {
    now: () => runtime.now(),
    wall: () => 0,
    setTimer: () => undefined,
    clearTimer: () => undefined,
  };
  const slices = new Slices(timeless);
  const works = [slices.add(work("a", 9, 1, runtime, [])), slices.add(work("b", 9, 1, runtime, []))];
  expect(await Promise.all(works)).toEqual([{ name: "a" }, { name: "b" }]);
});
