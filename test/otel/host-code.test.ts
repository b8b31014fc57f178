import { DiagLogLevel, diag } from "@opentelemetry/api";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { defineScorer, type Occurrence, type ScoreResult, stepAccuracy } from "../../src/index.ts";
import { enableContext, run, Telemetry, until } from "../support/telemetry.ts";

beforeAll(enableContext);
afterEach(() => diag.disable());

const RULES = [
  { id: "r", match: { agent: "support" }, expected_steps: ["search", "open"], expected_tools: ["search"] },
];

const own = (metric_name: string, score: (occurrence: Occurrence) => ScoreResult | Promise<ScoreResult>) =>
  defineScorer({ name: `own.${metric_name}`, version: "1.0.0", metric_name, score });

const scored = (metadata: Record<string, unknown> = {}): ScoreResult => ({
  status: "scored",
  score: 0.5,
  label: "informational",
  metadata,
});

describe("a scorer of the host", () => {
  test.each<[string, (steps: { name: string }[]) => void]>([
    ["reverses", (steps) => void steps.reverse()],
    ["empties", (steps) => void steps.splice(0)],
    ["renames", (steps) => steps.forEach((step) => void Object.assign(step, { name: "x" }))],
  ])("%s the steps it is given, and no other scorer sees it", async (_, change) => {
    const telemetry = new Telemetry({
      expectations: RULES,
      scorers: [
        own("first", ({ steps }) => {
          change(steps as unknown as { name: string }[]);
          return scored();
        }),
        stepAccuracy(),
      ],
    });
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    expect(telemetry.eventsOf("first")).toHaveLength(1);
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
  });

  test.each<[string, () => ScoreResult]>([
    [
      "throws an error that cannot be read",
      () => {
        throw Object.defineProperties(new Error("x"), { name: { get: refuse }, message: { get: refuse } });
      },
    ],
    [
      "throws an error whose message is no text",
      () => {
        throw Object.assign(new Error("x"), { message: { toString: undefined } });
      },
    ],
    ["answers what cannot be read", () => Object.defineProperty({} as ScoreResult, "status", { get: refuse })],
  ])("%s: it is an error, and every other score is there", async (_, score) => {
    const telemetry = new Telemetry({
      expectations: RULES,
      scorers: [own("hostile", score), own("hostile_later", async () => score()), stepAccuracy()],
    });
    run(telemetry.tracer, ["search", "open"]);
    await telemetry.processor.drain();
    for (const metric of ["hostile", "hostile_later"]) {
      expect(telemetry.eventsOf(metric)[0]?.["error.type"], metric).toBe("Error");
    }
    expect(telemetry.eventsOf("step_accuracy")[0]?.["gen_ai.evaluation.score.value"]).toBe(1);
    expect(telemetry.processor.stats().evaluations.pending).toBe(0);
  });

  test("gives metadata named like the result's own attributes, and these stay", async () => {
    const metadata = { score: 99, label: 7, status: 3, revision: 9, extra: 2 };
    const telemetry = new Telemetry({ attach: "hold", scorers: [own("md", () => scored(metadata))] });
    run(telemetry.tracer, ["search"]);
    await telemetry.processor.drain();
    expect(telemetry.span("invoke_agent support").attributes).toMatchObject({
      "trajectory.md.score": 0.5,
      "trajectory.md.label": "informational",
      "trajectory.md.status": "scored",
      "trajectory.md.revision": 0,
      "trajectory.md.extra": 2,
    });
  });

  test("hangs, and a held root leaves with the scores that are there", async () => {
    const telemetry = new Telemetry({
      expectations: RULES,
      attach: "hold",
      holdMillis: 400,
      scorers: [stepAccuracy(), own("hangs", () => new Promise(() => undefined))],
    });
    run(telemetry.tracer, ["search", "open"]);
    await until(() => telemetry.spans.length === 3);
    expect(telemetry.span("invoke_agent support").attributes["trajectory.step_accuracy.score"]).toBe(1);
  });
});

test("several scorers that fail are each told of", async () => {
  const messages = listen();
  const failing = (name: string) =>
    own(name, () => {
      throw new TypeError("broken");
    });
  const wrong = own("wrong", () => ({ status: "scored", score: "SECRET" }) as never);
  const telemetry = new Telemetry({ expectations: RULES, scorers: [failing("one"), failing("two"), wrong] });
  for (let times = 0; times < 2; times += 1) run(telemetry.tracer, ["search"]);
  await telemetry.processor.drain();
  // Where it was thrown quotes nothing of what it was about.
  expect(
    messages.filter((message) => /scorer: one: TypeError at .*host-code\.test\.ts:\d+:\d+/.test(message)),
  ).toHaveLength(1);
  expect(messages.filter((message) => message.includes("scorer: two: TypeError"))).toHaveLength(1);
  const invalid = "scorer: wrong: invalid_result (score must be a number from 0 to 1)";
  expect(messages.filter((message) => message.includes(invalid))).toHaveLength(1);
  expect(messages.join()).not.toContain("SECRET");
  expect(telemetry.processor.stats().problems).toEqual({ scorer: 6 });
});

describe("the next processor", () => {
  const next = (how: () => Promise<void>) => ({
    onStart: () => undefined,
    onEnd: () => undefined,
    forceFlush: how,
    shutdown: how,
  });

  test.each<[string, () => Promise<void>, RegExp]>([
    ["never answers", () => new Promise(() => undefined), /longer than \d+ ms/],
    ["rejects", () => Promise.reject(new Error("no collector")), /no collector/],
    [
      "throws",
      () => {
        throw new Error("broken");
      },
      /broken/,
    ],
  ])("%s: drain, flush and shutdown resolve in their time, and it is counted and said", async (_, how, said) => {
    const messages = listen();
    const telemetry = new Telemetry({ attach: "hold", next: next(how), flushTimeoutMillis: 20 });
    await telemetry.processor.drain();
    await telemetry.processor.forceFlush();
    await telemetry.processor.shutdown();
    expect(telemetry.processor.stats().problems).toEqual({ next: 3 });
    expect(messages.join("\n")).toMatch(said);
  });
});

describe("a rule that never matches", () => {
  const unmatched = (messages: readonly string[]): string[] =>
    messages.filter((each) => each.includes("no expectation"));

  test("is said once, with what it would have had to match", async () => {
    const messages = listen();
    const telemetry = new Telemetry({ expectations: RULES });
    run(telemetry.tracer, ["search"], {}, "Support Agent");
    run(telemetry.tracer, ["search"], {}, "Support Agent");
    await telemetry.processor.drain();
    expect(unmatched(messages)).toHaveLength(1);
    expect(messages[0]).toMatch(/entry agent "Support Agent", root span "invoke_agent Support Agent"/);
  });

  test("says nothing where an expectation applies, to one scorer at least, or where there are none", async () => {
    const messages = listen();
    const some = new Telemetry({ expectations: [{ match: { agent: "support" }, expected_tools: ["search"] }] });
    run(some.tracer, ["search"]);
    run(some.tracer, ["search"], {}, "another");
    await some.processor.drain();
    const none = new Telemetry();
    run(none.tracer, ["search"]);
    await none.processor.drain();
    expect(unmatched(messages)).toEqual([]);
  });
});

function refuse(): never {
  throw new Error("not for reading");
}

/** Collects what is said through `diag`. */
function listen(): string[] {
  const messages: string[] = [];
  const keep = (message: string): void => void messages.push(message);
  const quiet = (): void => undefined;
  diag.setLogger({ error: keep, warn: keep, info: quiet, debug: quiet, verbose: quiet }, DiagLogLevel.WARN);
  return messages;
}
