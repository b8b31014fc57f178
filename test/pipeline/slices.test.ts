import { expect, test } from "vitest";
import type { Sliced } from "../../src/align/sliced.ts";
import { Slices } from "../../src/pipeline/slices.ts";
import { ManualRuntime } from "../support/manual-runtime.ts";

/** Work of so many slices, that writes down its name at each. */
function* work(name: string, slices: number, log: string[]): Sliced<{ readonly name: string }> {
  for (let slice = 1; slice < slices; slice += 1) {
    log.push(name);
    yield;
  }
  log.push(name);
  return { name };
}

test("the oldest work is finished first, one slice a turn, and nothing keeps the process alive", async () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const log: string[] = [];
  const results = [slices.add(work("a", 3, log)), slices.add(work("b", 1, log))];
  const turns: string[] = [];
  while (runtime.waiting > 0) {
    expect([runtime.waiting, runtime.keepingAlive]).toEqual([1, 0]);
    turns.push(log.join(""));
    runtime.step();
  }
  expect([...turns, log.join("")]).toEqual(["", "a", "aa", "aaa", "aaab"]);
  expect(await Promise.all(results)).toEqual([{ name: "a" }, { name: "b" }]);
  // What comes later is armed anew.
  const later = slices.add(work("c", 1, log));
  runtime.step();
  expect(await later).toEqual({ name: "c" });
});

test("what throws is rejected, and stops no other", async () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const broken = slices.add(
    (function* (): Sliced<object> {
      yield;
      throw new Error("broken");
    })(),
  );
  const whole = slices.add(work("a", 1, []));
  for (let turn = 0; turn < 3; turn += 1) runtime.step();
  await expect(broken).rejects.toThrow("broken");
  expect(await whole).toEqual({ name: "a" });
});

test("stopped, it lets go of what is left", () => {
  const runtime = new ManualRuntime();
  const slices = new Slices(runtime);
  const log: string[] = [];
  void slices.add(work("a", 3, log));
  runtime.step();
  slices.stop();
  expect([runtime.waiting, log]).toEqual([0, ["a"]]);
});

test("without timers, work is done at once", async () => {
  const slices = new Slices({ now: () => 0, wall: () => 0, setTimer: () => undefined, clearTimer: () => undefined });
  expect(await Promise.all([slices.add(work("a", 3, [])), slices.add(work("b", 2, []))])).toEqual([
    { name: "a" },
    { name: "b" },
  ]);
});
