import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { show } from "../../src/model/errors.ts";
import type { Occurrence } from "../../src/model/trajectory.ts";
import { isBuiltIn } from "../../src/score/built-in.ts";
import { checkAnswer } from "../../src/score/judge/answer.ts";
import { type JudgeFunction, judge } from "../../src/score/judge/judge.ts";
import { occurrenceOf, stepsOf } from "./support.ts";

const permitted = (rest: Partial<Occurrence> = {}): Occurrence =>
  occurrenceOf(stepsOf("a"), undefined, { egress: "permitted", ...rest });

describe("answers", () => {
  test.each<readonly [string, unknown, unknown]>([
    ["a number", 0.8, { status: "scored", score: 0.8, label: "informational", metadata: {} }],
    [
      "a score with more about it",
      { score: 1, explanation: "well done", metadata: { model: "m" } },
      { status: "scored", score: 1, label: "informational", metadata: { model: "m", explanation: "well done" } },
    ],
    ["a score above 1", 1.1, "judge_error"],
    ["NaN", Number.NaN, "judge_error"],
    ["text", "good", "judge_error"],
    ["nothing", undefined, "judge_error"],
    ["null", null, "judge_error"],
    ["an object without a score", { points: 1 }, "judge_error"],
    ["metadata that is a list", { score: 1, metadata: [] }, "judge_error"],
    ["an explanation that is none", { score: 1, explanation: 7 }, "judge_error"],
    [
      "a getter that throws",
      Object.defineProperty({}, "score", { get: () => Promise.reject.call(null) }),
      "judge_error",
    ],
  ])("%s", async (_title, answer, want) => {
    const result = await judge(async () => answer as number).score(permitted());
    if (typeof want === "string") expect(result).toMatchObject({ status: "non_evaluable", reason: want });
    else expect(result).toEqual(want);
  });

  test.each<readonly [string, JudgeFunction]>([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
    ],
    ["rejects", () => Promise.reject(new Error("boom"))],
  ])("one that %s is judge_error with its message", async (_title, ask) => {
    expect(await judge(ask).score(permitted())).toEqual({
      status: "non_evaluable",
      reason: "judge_error",
      metadata: { message: "boom" },
    });
  });

  test("a synchronous answer is fine, and the label obeys the expectation", async () => {
    const scorer = judge(() => 0.5, { threshold: 0.6 });
    expect(await scorer.score(permitted({ expectation: { status: "approved" } }))).toMatchObject({ label: "fail" });
    expect(await scorer.score(permitted())).toMatchObject({ label: "informational" });
  });

  test("columns that it asks for", async () => {
    const scorer = judge(({ expectation }) => (expectation?.expected_steps === undefined ? 0 : 1), {
      columns: ["expected_steps"],
    });
    expect(await scorer.score(permitted())).toEqual({ status: "non_evaluable", reason: "no_expectation" });
    expect(await scorer.score(permitted({ expectation: { expected_steps: ["a"] } }))).toMatchObject({ score: 1 });
  });
});

const score = "score: must be a number from 0 to 1";
test.each<readonly [unknown, string]>([
  ["good", 'must answer with a score from 0 to 1, got "good"'],
  [null, "must answer with a score from 0 to 1, got null"],
  [-0.1, `${score}, got -0.1`],
  [1.1, `${score}, got 1.1`],
  [{ score: "1" }, `${score}, got "1"`],
  [{ score: 1, metadata: "m" }, 'metadata: must be an object, got "m"'],
  [{ score: 1, metadata: null }, "metadata: must be an object, got null"],
  [{ score: 1, metadata: [] }, "metadata: must be an object, got []"],
  [{ score: 1, explanation: 7 }, "explanation: must be text, got 7"],
])("an answer %j says what is wrong with it", (answer, message) => {
  expect(checkAnswer(answer)).toEqual({ ok: false, message });
});

test("an answer that throws as it is read could not be read", () => {
  const hostile = {
    get score(): number {
      throw new Error("gone");
    },
  };
  expect(checkAnswer(hostile)).toEqual({ ok: false, message: "the answer could not be read" });
});

test("an answer has no more in it than was said", () => {
  expect(checkAnswer(0)).toEqual({ ok: true, score: 0, metadata: {} });
  const { metadata } = checkAnswer({ score: 1 }) as { metadata: object };
  expect(Object.keys(metadata)).toEqual([]);
});

describe("where the host lacks something", () => {
  afterEach(() => void vi.unstubAllGlobals());
  test.each<readonly [string, Record<string, unknown>]>([
    ["timers", { setTimeout: undefined, clearTimeout: undefined }],
    ["timers that can be let go", { setTimeout: () => 7, clearTimeout: () => undefined }],
    ["a way to take a timer back", { clearTimeout: undefined }],
  ])("%s: answers count all the same", async (_title, globals) => {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    const result = await judge(() => 0.5, { timeout_seconds: 0.001 }).score(permitted());
    expect(result).toMatchObject({ status: "scored", score: 0.5 });
  });
  test("deep copies: steps are copied one by one", async () => {
    vi.stubGlobal("structuredClone", undefined);
    const occurrence = permitted();
    const seen: Occurrence[] = [];
    await judge((copy) => {
      seen.push(copy);
      return 1;
    }).score(occurrence);
    expect(seen).toEqual([occurrence]);
    expect(seen[0]?.steps).not.toBe(occurrence.steps);
    expect(seen[0]?.steps[0]).not.toBe(occurrence.steps[0]);
  });
});

test("what cannot be copied deeply is copied one by one: a judge changes nothing that others see", async () => {
  const callback = (): void => undefined;
  const step = { kind: "TOOL", name: "search", args: { callback } } as const;
  const occurrence = { ...permitted(), steps: [step], tools: [step] };
  const result = await judge((copy) => {
    for (const list of [copy.steps, copy.tools] as unknown as { name: string }[][]) {
      for (const one of list) one.name = "changed";
      list.length = 0;
    }
    return 0.5;
  }).score(occurrence);
  expect(result).toMatchObject({ status: "scored", score: 0.5 });
  expect([occurrence.steps, occurrence.tools]).toEqual([[step], [step]]);
  expect(step.name).toBe("search");
});

test("what a getter of the host throws is scorer_failed", async () => {
  const occurrence = Object.defineProperty(permitted(), "egress", {
    get: () => {
      throw new Error("gone");
    },
  });
  expect(await judge(() => 1).score(occurrence)).toEqual({
    status: "error",
    error: { type: "scorer_failed", message: "gone" },
  });
});

describe("egress", () => {
  const member = (egress?: "permitted" | "unknown") => ({ unit_id: "m", has_output: true, ...(egress && { egress }) });
  test.each<readonly [string, Partial<Occurrence>, boolean]>([
    ["permitted", {}, true],
    ["forbidden", { egress: "forbidden" }, false],
    ["unknown", { egress: "unknown" }, false],
    ["permitted, every member too", { members: [member("permitted")] }, true],
    ["permitted, one member unknown", { members: [member("permitted"), member("unknown")] }, false],
    ["permitted, one member that does not say", { members: [member()] }, false],
  ])("%s", async (_title, rest, asked) => {
    const ask = vi.fn(async () => 1);
    const result = await judge(ask).score(permitted(rest));
    expect(ask).toHaveBeenCalledTimes(asked ? 1 : 0);
    if (!asked) expect(result).toEqual({ status: "non_evaluable", reason: "egress_forbidden" });
  });
  test("not said at all is not permitted", async () => {
    const result = await judge(() => 1).score(occurrenceOf(stepsOf("a")));
    expect(result).toMatchObject({ reason: "egress_forbidden" });
  });
});

describe("time and number", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a judge that hangs is judge_timeout, and its place goes to the next unit", async () => {
    let asked = 0;
    const scorer = judge(() => new Promise(() => (asked += 1)), { timeout_seconds: 5, max_concurrency: 1 });
    const both = [scorer.score(permitted()), scorer.score(permitted())];
    await vi.advanceTimersByTimeAsync(4_999);
    expect(asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await both[0]).toMatchObject({ reason: "judge_timeout", metadata: { message: "no answer within 5 s" } });
    expect(asked).toBe(2);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await both[1]).toMatchObject({ reason: "judge_timeout" });
    expect(vi.getTimerCount()).toBe(0);
  });

  test("300 seconds and four at a time unless told otherwise", async () => {
    let running = 0;
    let most = 0;
    const answers: ((score: number) => void)[] = [];
    const scorer = judge(() => {
      running += 1;
      most = Math.max(most, running);
      return new Promise<number>((resolve) => answers.push(resolve)).finally(() => (running -= 1));
    });
    expect(scorer.manifest.execution).toMatchObject({ max_concurrency: 4, timeout_seconds: 300 });
    const all = Array.from({ length: 10 }, () => scorer.score(permitted()));
    for (let answered = 0; answered < 10; answered += 1) {
      await vi.advanceTimersByTimeAsync(0);
      answers[answered]?.(1);
    }
    expect(await Promise.all(all)).toHaveLength(10);
    expect(most).toBe(4);
  });
});

test("it gets a copy: what it does to it is no concern of others", async () => {
  const occurrence = permitted({ steps: [{ kind: "TOOL", name: "a", args: { x: 1 } }] });
  const before = JSON.stringify(occurrence);
  await judge((copy) => {
    const [step] = copy.steps as unknown as { name: string; args: Record<string, unknown> }[];
    if (step !== undefined) {
      step.name = "changed";
      step.args.x = 2;
    }
    return 1;
  }).score(occurrence);
  expect(JSON.stringify(occurrence)).toBe(before);
});

test("hostile occurrences are errors, never rejections", async () => {
  for (const value of [
    undefined,
    null,
    "x",
    7,
    {
      get egress() {
        throw new Error("boom");
      },
    },
  ]) {
    expect(await judge(() => 1).score(value as never)).toMatchObject({ status: "error" });
  }
});

test("it is host code, and versions tell its scores apart", () => {
  expect(isBuiltIn(judge(() => 1))).toBe(false);
  expect(judge(() => 1, { judge_version: "2" }).config).toMatchObject({ judge_version: "2" });
  expect(judge(() => 1)).toMatchObject({ units: ["trajectory"], columns: [], all_columns: true });
  expect(Object.keys(judge(() => 1))).not.toContain("annotations");
  const annotations = { t1: { expected_steps: '["a"]' } };
  expect(judge(() => 1, { unit: "session", annotations })).toMatchObject({ units: ["session"], annotations });
});

test.each([
  ["no function", "x", {}, "judge", "must be a function"],
  [
    "a time of 0",
    () => 1,
    { timeout_seconds: 0 },
    "timeout_seconds",
    "must be a number above 0 and at most 86400, got 0",
  ],
  ["no room", () => 1, { max_concurrency: 0 }, "max_concurrency", "must be a whole number of at least 1, got 0"],
  [
    "an unknown column",
    () => 1,
    { columns: ["steps"] },
    "columns[0]",
    'must be a list of expected_steps, expected_tools, expected_calls, max_calls, forbidden_tools, got "steps"',
  ],
  [
    "columns that are no list",
    () => 1,
    { columns: 7 },
    "columns",
    "must be a list of expected_steps, expected_tools, expected_calls, max_calls, forbidden_tools, got 7",
  ],
  ["a version that is no text", () => 1, { judge_version: 2 }, "judge_version", "must be text, got 2"],
])("%s is refused", (_title, ask, config, path, problem) => {
  const error = { code: "invalid_config", path, message: `${path}: ${problem}` };
  expect(() => judge(ask as never, config as never)).toThrow(expect.objectContaining(error));
});

test("an unknown key is refused", () => {
  const error = { code: "invalid_config", path: "treshold" };
  expect(() => judge(() => 1, { treshold: 1 } as never)).toThrow(expect.objectContaining(error));
});

test.each([[undefined], [null], ["a"]])("%j is no occurrence", async (value) => {
  const message = `must be an occurrence, got ${show(value)}`;
  expect(await judge(() => 1).score(value as never)).toEqual({
    status: "error",
    error: { type: "invalid_occurrence", message },
  });
});

describe("calls at a time", () => {
  test("a place that is given back is there for the next call, however many came before", async () => {
    let running = 0;
    let most = 0;
    const scorer = judge(
      async () => {
        running += 1;
        most = Math.max(most, running);
        await Promise.resolve();
        running -= 1;
        return 1;
      },
      { max_concurrency: 2 },
    );
    for (let round = 0; round < 4; round += 1) {
      const results = await Promise.all([1, 2, 3].map(() => scorer.score(permitted())));
      expect(results.map(({ status }) => status)).toEqual(["scored", "scored", "scored"]);
    }
    expect(most).toBe(2);
  });
});
