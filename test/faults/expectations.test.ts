import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stepAccuracy, type TrajectorySpanProcessorOptions } from "../../src/index.ts";
import { enableContext, run, Telemetry, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const folder = mkdtempSync(join(tmpdir(), "faulty-expectations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GOOD = "expectations:\n  - expected_steps: [search, open]\n";

async function answersOf(options: TrajectorySpanProcessorOptions): Promise<Telemetry> {
  const telemetry = new Telemetry({ scorers: [stepAccuracy()], ...options });
  run(telemetry.tracer, ["search", "open"]);
  run(telemetry.tracer, ["search", "open"]);
  await telemetry.processor.forceFlush();
  return telemetry;
}

const outcomes = (telemetry: Telemetry): unknown[] =>
  telemetry
    .eventsOf("step_accuracy")
    .map((each) => each["trajectory.evaluation.reason"] ?? each["gen_ai.evaluation.score.value"]);

test.each<[string, TrajectorySpanProcessorOptions["expectations"], string]>([
  [
    "throws",
    () => {
      throw new Error("no");
    },
    "expectation_error",
  ],
  ["rejects", () => Promise.reject(new Error("no")), "expectation_error"],
  ["hangs", () => new Promise<never>(() => undefined), "expectation_timeout"],
  ["answers nonsense", () => "splendid" as never, "invalid_expectation"],
  ["answers what cannot be read", () => new Proxy({}, { get: refuse, ownKeys: refuse }) as never, "expectation_error"],
  [
    "answers with a promise that throws when it is waited for",
    // biome-ignore lint/suspicious/noThenProperty: a promise that is broken is what this is about
    () => Object.defineProperty({}, "then", { get: refuse }) as never,
    "expectation_error",
  ],
])("a function that %s: each unit says so, and it is counted", async (_, expectations, reason) => {
  const telemetry = await answersOf({ expectations, expectationTimeoutMillis: 20 });
  expect(outcomes(telemetry)).toEqual([reason, reason]);
  const { problems, evaluations } = telemetry.processor.stats();
  expect(problems).toEqual({ expectation: 2 });
  expect(evaluations.pending).toBe(0);
});

function refuse(): never {
  throw new Error("not for reading");
}

test("a file that is broken, vanishes and comes back: the last good one counts, each edit is counted once", async () => {
  const file = join(folder, "rules.yaml");
  writeFileSync(file, GOOD);
  const telemetry = await answersOf({ expectations: file, expectationPollMillis: 5 });
  const problems = (): number => telemetry.processor.stats().problems.expectation_file ?? 0;
  expect(problems()).toBe(0);
  const faults = [
    () => writeFileSync(file, "expectations: [{ expected_steps: [] }]\n"),
    () => rmSync(file),
    () => writeFileSync(file, "\u0000\uFFFD not: [yaml"),
  ];
  for (const [index, fault] of faults.entries()) {
    fault();
    await until(() => problems() === index + 1);
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.forceFlush();
  }
  expect(outcomes(telemetry)).toEqual([1, 1, 1, 1, 1]);
  writeFileSync(file, "expectations:\n  - id: back\n    expected_steps: [search, open, close, leave]\n");
  await until(() => {
    run(telemetry.tracer, ["search", "open"]);
    return telemetry.eventsOf("step_accuracy").some((each) => each["trajectory.expectation.id"] === "back");
  });
  expect(outcomes(telemetry).at(-1)).toBe(0.5);
  expect(problems()).toBe(3);
  await telemetry.processor.shutdown();
});

test("a file that is not there, and a folder in its place: expectation_error, counted once each", async () => {
  for (const path of [join(folder, "nowhere.yaml"), folder]) {
    const telemetry = await answersOf({ expectations: path });
    expect(outcomes(telemetry)).toEqual(["expectation_error", "expectation_error"]);
    expect(telemetry.processor.stats().problems).toEqual({ expectation: 2, expectation_file: 1 });
    await telemetry.processor.shutdown();
  }
});
