import { describe, expect, test } from "vitest";
import { type ExpectationFunction, fromFunction } from "../../src/expectation/from-function.ts";
import type { ExpectationSource } from "../../src/expectation/source.ts";
import type { Expectation } from "../../src/model/expectation.ts";
import { ManualTimers } from "./manual-timers.ts";
import { requestFor } from "./requests.ts";

const source = (ask: ExpectationFunction, timers: ManualTimers = new ManualTimers()): ExpectationSource =>
  fromFunction(ask, { name: "lookup", timers, timeoutMillis: 100 });

const answers: [string, ExpectationFunction, object][] = [
  [
    "an expectation",
    () => ({ id: "i", expected_steps: ["a"] }),
    { expected_steps: { state: "resolved", expectation: { id: "i", status: "proposed", origin: "own" } } },
  ],
  [
    "its own word on the origin is not taken",
    () => ({ origin: "run", expected_steps: ["a"] }),
    { expected_steps: { expectation: { origin: "own" } } },
  ],
  [
    "a bad column beside a good one",
    () => ({ expected_steps: [""], expected_tools: ["t"] }),
    { expected_steps: { state: "failed", reason: "invalid_expectation" }, expected_tools: { state: "resolved" } },
  ],
  [
    "an answer of another type",
    () => 42 as unknown as Expectation,
    {
      expected_steps: {
        state: "failed",
        reason: "invalid_expectation",
        message: "lookup: must be an expectation, got 42",
      },
    },
  ],
  [
    "a key that is not known",
    () => ({ steps: ["a"] }) as Expectation,
    { expected_steps: { state: "failed", reason: "invalid_expectation" } },
  ],
  [
    "a throw",
    () => {
      throw new Error("no database");
    },
    { expected_calls: { state: "failed", reason: "expectation_error", message: "lookup: no database" } },
  ],
  [
    "a throw of no error",
    () => {
      throw 7;
    },
    { expected_calls: { state: "failed", reason: "expectation_error", message: "lookup: 7" } },
  ],
];

test("null stands for nothing, as in a row of a database", () => {
  const row = { id: null, status: null, expected_steps: ["a"], expected_tools: null } as unknown as Expectation;
  const found = source(() => row).find(requestFor());
  expect(found).toMatchObject({ expected_steps: { state: "resolved", expectation: { status: "proposed" } } });
  expect(Object.keys(found)).toEqual(["expected_steps"]);
});

describe("a function that answers by return", () => {
  test.each(answers)("%s", (_name, ask, expected) => {
    expect(source(ask).find(requestFor())).toMatchObject(expected);
  });

  test.each([
    ["undefined", undefined],
    ["null", null],
  ])("%s means nothing", (_name, answer) => {
    expect(source(() => answer).find(requestFor())).toEqual({});
  });

  test("stays synchronous", () => {
    const one = source(() => undefined);
    void one.find(requestFor());
    expect(one.answersAtOnce()).toBe(true);
  });
});

describe("an asynchronous function", () => {
  test.each(answers)("%s", async (_name, ask, expected) => {
    await expect(source(async (request) => ask(request)).find(requestFor())).resolves.toMatchObject(expected);
  });

  test("is known as such from its first promise on, and its timer is let go", async () => {
    const timers = new ManualTimers();
    const one = source(async () => undefined, timers);
    expect(one.answersAtOnce()).toBe(true);
    const found = one.find(requestFor());
    expect(timers.waiting).toEqual([100]);
    await found;
    expect([one.answersAtOnce(), timers.waiting]).toEqual([false, []]);
  });

  test("that hangs is expectation_timeout at its limit; what it says later is nobody's", async () => {
    const timers = new ManualTimers();
    let fail: (error: Error) => void = () => undefined;
    const found = source(
      () =>
        new Promise((_resolve, reject) => {
          fail = reject;
        }),
      timers,
    ).find(requestFor());
    timers.fire(100);
    await expect(found).resolves.toMatchObject({
      expected_steps: { state: "failed", reason: "expectation_timeout", message: "lookup: no answer within 100 ms" },
    });
    // An unhandled rejection would fail the run.
    fail(new Error("too late"));
    await Promise.resolve();
  });
});

describe("the request", () => {
  test("holds what is documented, and nothing of the engine", () => {
    let seen: unknown;
    const request = requestFor({
      agent: "x",
      root_span: "r",
      session_id: "s",
      attributes: { k: 1 },
      resource: { "service.name": "n" },
    });
    void source((given) => {
      seen = given;
      return undefined;
    }).find(request);
    expect(seen).toEqual({
      unit: "trajectory",
      unit_id: "trajectory:t1",
      trace_ids: ["t1"],
      session_id: "s",
      agent: "x",
      root_span: "r",
      attributes: { k: 1 },
      resource: { "service.name": "n" },
    });
  });

  test("is a copy: a function that writes into it changes nothing", () => {
    const request = requestFor({ attributes: { k: 1 } });
    void source((given) => {
      (given.attributes as Record<string, unknown>).k = 2;
      (given.trace_ids as string[]).push("t2");
      return undefined;
    }).find(request);
    expect([request.attributes, request.trace_ids]).toEqual([{ k: 1 }, ["t1"]]);
  });

  test("host code runs inside the given runner", () => {
    const order: string[] = [];
    const run = <T>(call: () => T): T => {
      order.push("before");
      try {
        return call();
      } finally {
        order.push("after");
      }
    };
    const ask = (): undefined => void order.push("asked");
    void fromFunction(ask, { name: "n", timers: new ManualTimers(), timeoutMillis: 1, run }).find(requestFor());
    expect(order).toEqual(["before", "asked", "after"]);
  });
});
