import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diag } from "@opentelemetry/api";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  defineScorer,
  judge,
  orderAware,
  rubric,
  setOverlap,
  stepAccuracy,
  toolF1,
  toolSelectionAccuracy,
} from "../../src/index.ts";
import { enableContext, run, Telemetry, until } from "../support/telemetry.ts";

beforeAll(enableContext);

const folder = mkdtempSync(join(tmpdir(), "live-faults-"));
const file = join(folder, "expectations.yaml");
afterAll(() => {
  diag.disable();
  rmSync(folder, { recursive: true, force: true });
});

const GOOD =
  "expectations:\n  - id: first\n    match: { agent: support }\n    expected_steps: [search, open]\n    expected_tools: [search]\n";

test("a scorer that throws, judges that hang or talk nonsense, and a broken edit leave every other score intact", async () => {
  writeFileSync(file, GOOD);
  const said: string[] = [];
  const listen = (message: string): void => void said.push(message);
  diag.setLogger({
    error: listen,
    warn: listen,
    info: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
  });
  const telemetry = new Telemetry({
    expectations: file,
    expectationPollMillis: 10,
    scorers: [
      stepAccuracy(),
      toolSelectionAccuracy(),
      orderAware(),
      setOverlap(),
      toolF1(),
      rubric({ all: [{ metric: "order_aware", gte: 1 }] }),
      defineScorer({
        name: "own.throws",
        version: "1.0.0",
        metric_name: "throws",
        score: () => {
          throw new Error("broken scorer");
        },
      }),
      judge(() => new Promise(() => undefined), { metric_name: "hangs", timeout_seconds: 0.05 }),
      judge(async () => "splendid" as never, { metric_name: "nonsense" }),
    ],
  });
  const egress = { "aip.egress": "permitted" };
  const trace = (): void => void run(telemetry.tracer, ["search", "open"], egress);
  const all = (metric: string): unknown[] =>
    telemetry
      .eventsOf(metric)
      .map(
        (each) => each["gen_ai.evaluation.score.value"] ?? each["trajectory.evaluation.reason"] ?? each["error.type"],
      );

  trace();
  trace();
  await telemetry.processor.forceFlush();
  writeFileSync(file, "expectations: [{ expected_steps: [] }]\n");
  await until(() => said.some((message) => message.includes("expectations.yaml")));
  trace();
  await telemetry.processor.forceFlush();

  for (const metric of [
    "step_accuracy",
    "tool_selection_accuracy",
    "order_aware",
    "set_overlap",
    "tool_f1",
    "rubric",
  ]) {
    expect(all(metric), metric).toEqual([1, 1, 1]);
  }
  expect(all("throws")).toEqual(["Error", "Error", "Error"]);
  // The agent's spans permit it and its tools say nothing, so the unit is not permitted: no judge sees it.
  expect(all("hangs")).toEqual(Array(3).fill("egress_forbidden"));
  expect(said.filter((message) => message.includes("scorer: throws: Error"))).toHaveLength(1);
  expect(said.filter((message) => message.includes("expectations.yaml"))).toHaveLength(1);
  await telemetry.processor.shutdown();
});

test("judges that may see a unit: one that hangs is timed out, one that talks nonsense is an error, both beside good scores", async () => {
  const telemetry = new Telemetry({
    defaultEgress: "permitted",
    expectations: [{ expected_steps: ["search"] }],
    scorers: [
      stepAccuracy(),
      judge(() => new Promise(() => undefined), { metric_name: "hangs", timeout_seconds: 0.05 }),
      judge(async () => "splendid" as never, { metric_name: "nonsense" }),
      judge(async ({ steps }) => ({ score: steps.length === 1 ? 1 : 0 }), { metric_name: "works" }),
    ],
  });
  run(telemetry.tracer, ["search"]);
  await telemetry.processor.forceFlush();
  expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
  expect(telemetry.eventsOf("works")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
  expect(telemetry.eventsOf("hangs")[0]?.["trajectory.evaluation.reason"]).toBe("judge_timeout");
  expect(telemetry.eventsOf("nonsense")[0]?.["trajectory.evaluation.reason"]).toBe("judge_error");
});
