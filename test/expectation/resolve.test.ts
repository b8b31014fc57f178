import { describe, expect, test } from "vitest";
import { failedFound } from "../../src/expectation/found.ts";
import { type ExpectationFunction, fromFunction } from "../../src/expectation/from-function.ts";
import { fromRules } from "../../src/expectation/from-rules.ts";
import { columnsOf, createResolver, type ResolvingScorer } from "../../src/expectation/resolve.ts";
import type { ExpectationSource, Found } from "../../src/expectation/source.ts";
import type { Column, Expectation } from "../../src/model/expectation.ts";
import type { ResolutionRequest } from "../../src/model/resolution.ts";
import type { Annotations, Manifest } from "../../src/model/scorer.ts";
import { ManualTimers } from "./manual-timers.ts";
import { requestFor } from "./requests.ts";

function scorer(columns: readonly Column[], more: Partial<ResolvingScorer> = {}): ResolvingScorer {
  return { columns, manifest: { required_columns: [] as readonly string[] } as Manifest, ...more };
}

function asking(ask: ExpectationFunction): ExpectationSource {
  return fromFunction(ask, { name: "f", timers: new ManualTimers(), timeoutMillis: 100 });
}

const RANKS = [
  "context",
  "spans",
  "scorer annotations",
  "annotations",
  "first source",
  "second source",
  "fallback",
] as const;
type Rank = (typeof RANKS)[number];
/** What a place says: a usable value named after it, or a bad one. */
type Saying = "value" | "bad";

/** A resolver, request and scorer of which the given places say something about `expected_steps`. */
function world(sayings: Partial<Record<Rank, Saying>>) {
  const value = (rank: Rank): Expectation | undefined =>
    sayings[rank] === undefined ? undefined : { expected_steps: sayings[rank] === "bad" ? [""] : [rank] };
  const json = (rank: Rank): Annotations => {
    const said = value(rank);
    return said === undefined ? {} : { t1: { expected_steps: JSON.stringify(said.expected_steps) } };
  };
  const context = value("context");
  const spans = value("spans");
  const fallback = value("fallback");
  const request = requestFor({
    contextual: context === undefined ? [] : [{ unit: "trajectory", expectation: context }],
    span_annotations: spans === undefined ? [] : [{ span_id: "s", expected_steps: spans.expected_steps }],
  });
  const resolver = createResolver({
    sources: [asking(() => value("first source")), asking(() => value("second source"))],
    annotations: json("annotations"),
  });
  const one = scorer(["expected_steps"], {
    annotations: json("scorer annotations"),
    ...(fallback === undefined ? {} : { fallback }),
  });
  return resolver.resolve(request, one);
}

const pairs = RANKS.flatMap((high, index) => RANKS.slice(index + 1).map((low) => [high, low] as const));

describe("precedence of every pair of sources", () => {
  test("21 pairs of 7 places", () => expect(pairs).toHaveLength(21));

  test.each(pairs)("%s goes before %s", (high, low) => {
    expect(world({ [high]: "value", [low]: "value" })).toMatchObject({ expectation: { expected_steps: [high] } });
  });

  test.each(pairs)("a bad value of %s is not replaced by %s", (high, low) => {
    expect(world({ [high]: "bad", [low]: "value" })).toMatchObject({ state: "failed", reason: "invalid_expectation" });
  });

  test.each(pairs)("%s does not care about a bad value of %s", (high, low) => {
    expect(world({ [high]: "value", [low]: "bad" })).toMatchObject({ expectation: { expected_steps: [high] } });
  });

  test.each(RANKS)("%s alone", (rank) => {
    const origin = rank === "fallback" ? "run" : "own";
    expect(world({ [rank]: "value" })).toMatchObject({
      state: "resolved",
      expectation: { origin, expected_steps: [rank] },
    });
  });

  test("nothing at all", () => expect(world({})).toEqual({ state: "none" }));
});

describe("columns", () => {
  const resolve = (columns: readonly Column[], sources: readonly Found[], more: Partial<ResolvingScorer> = {}) =>
    createResolver({ sources: sources.map(sourceOf) }).resolve(requestFor(), scorer(columns, more));
  const steps = fromRules([{ id: "s", expected_steps: ["a"] }], "r").find(requestFor()) as Found;
  const tools = fromRules([{ id: "t", status: "approved", expected_tools: ["b"] }], "r").find(requestFor()) as Found;
  const broken = failedFound("expectation_error", "broken");

  test("each comes from the first source that has it, with that source's id and status", () => {
    expect(resolve(["expected_tools"], [steps, tools])).toMatchObject({
      expectation: { id: "t", status: "approved", expected_tools: ["b"] },
    });
  });

  test("a scorer is handed the first of its columns that resolved, and only that", () => {
    const resolution = resolve(["expected_calls", "expected_tools", "expected_steps"], [steps, tools]);
    expect(resolution).toMatchObject({ expectation: { expected_tools: ["b"] } });
    expect(resolution).not.toHaveProperty("expectation.expected_steps");
  });

  test("a failed column gives way to a resolved one", () => {
    const bad: Found = { expected_calls: { state: "failed", reason: "invalid_expectation", message: "bad" } };
    expect(resolve(["expected_calls", "expected_steps"], [bad, steps])).toMatchObject({ state: "resolved" });
  });

  test("where none resolved, the first failure is the answer", () => {
    const bad: Found = {
      expected_calls: { state: "failed", reason: "ambiguous_expectation", message: "two" },
      expected_steps: { state: "failed", reason: "invalid_expectation", message: "bad" },
    };
    expect(resolve(["expected_tools", "expected_calls", "expected_steps"], [bad])).toMatchObject({ message: "two" });
  });

  test("a source that failed as a whole fails what higher sources left open, the fallback included", () => {
    const fallback = { expected_tools: ["x"] };
    expect(resolve(["expected_tools"], [steps, broken], { fallback })).toMatchObject({ reason: "expectation_error" });
    expect(resolve(["expected_steps"], [steps, broken], { fallback })).toMatchObject({ state: "resolved" });
  });

  test("a scorer without columns needs no expectation", () => {
    expect(resolve([], [broken])).toEqual({ state: "none" });
  });

  test("columns come from the manifest when the scorer lists none", () => {
    const manifest = {
      required_columns: ["output", "expected_tools", "expected_steps"] as readonly string[],
    } as Manifest;
    expect(columnsOf({ manifest })).toEqual(["expected_steps", "expected_tools"]);
  });
});

function sourceOf(found: Found): ExpectationSource {
  return { name: "s", checked: true, find: () => found, answersAtOnce: () => true, loading: () => undefined };
}

describe("asking", () => {
  const counted = (answer: (request: unknown) => Expectation | undefined | Promise<Expectation | undefined>) => {
    const calls = { count: 0 };
    const source = asking((request) => {
      calls.count += 1;
      return answer(request);
    });
    return { calls, source };
  };

  test("a source is asked once about one request, whatever the number of scorers and columns", async () => {
    const { calls, source } = counted(async () => ({ expected_steps: ["a"] }));
    const resolver = createResolver({ sources: [source] });
    const request = requestFor();
    await Promise.all([
      resolver.resolve(request, scorer(["expected_calls", "expected_steps"])),
      resolver.resolve(request, scorer(["expected_tools"])),
    ]);
    expect(calls.count).toBe(1);
    await resolver.resolve(requestFor(), scorer(["expected_steps"]));
    expect(calls.count).toBe(2);
  });

  test("a lower source is not asked when a higher one has the column", () => {
    const { calls, source } = counted(() => undefined);
    const rules = fromRules([{ expected_steps: ["a"] }], "r");
    const resolver = createResolver({ sources: [rules, source] });
    void resolver.resolve(requestFor(), scorer(["expected_steps"]));
    expect(calls.count).toBe(0);
  });

  test("asynchronous sources are asked one after the other, in order", async () => {
    const order: string[] = [];
    const named = (name: string, answer: Expectation | undefined) =>
      asking(async () => {
        order.push(name);
        return answer;
      });
    const resolver = createResolver({ sources: [named("one", undefined), named("two", { expected_steps: ["b"] })] });
    const resolution = await resolver.resolve(requestFor(), scorer(["expected_steps"]));
    expect([order, resolution]).toMatchObject([["one", "two"], { expectation: { expected_steps: ["b"] } }]);
  });

  test("a source that throws or rejects against its word is expectation_error", async () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const throwing = { ...sourceOf({}), find: boom };
    const rejecting = { ...sourceOf({}), find: async () => boom() };
    for (const source of [throwing, rejecting]) {
      const resolver = createResolver({ sources: [source] });
      expect(await resolver.resolve(requestFor(), scorer(["expected_steps"]))).toMatchObject({
        state: "failed",
        reason: "expectation_error",
        message: "s: boom",
      });
    }
  });
});

describe("isSynchronous", () => {
  const later = (): ExpectationSource => asking(async () => ({ expected_steps: ["late"] }));
  const rules = fromRules([{ expected_tools: ["t"] }], "r");
  const inContext = { contextual: [{ unit: "trajectory" as const, expectation: { expected_steps: ["a"] } }] };
  const rows: [string, ExpectationSource[], Partial<ResolutionRequest>, ResolvingScorer, boolean][] = [
    ["rules", [rules], {}, scorer(["expected_tools"]), true],
    ["no source", [], {}, scorer(["expected_tools"]), true],
    ["a function that answers by return", [asking(() => undefined)], {}, scorer(["expected_tools"]), true],
    ["an asynchronous function", [later()], {}, scorer(["expected_steps"]), false],
    [
      "an asynchronous function behind rules that have the column",
      [rules, later()],
      {},
      scorer(["expected_tools"]),
      true,
    ],
    ["an asynchronous function behind rules that lack it", [rules, later()], {}, scorer(["expected_steps"]), false],
    ["context before an asynchronous function", [later()], inContext, scorer(["expected_steps"]), true],
    [
      "the first column by context, the second not needed",
      [later()],
      inContext,
      scorer(["expected_steps", "expected_tools"]),
      true,
    ],
    ["the first column needs the function", [later()], inContext, scorer(["expected_tools", "expected_steps"]), false],
    ["a scorer without columns", [later()], {}, scorer([]), true],
    [
      "a fallback behind an asynchronous function",
      [later()],
      {},
      scorer(["expected_steps"], { fallback: { expected_steps: ["a"] } }),
      false,
    ],
  ];
  test.each(rows)("%s", async (_name, sources, overrides, one, expected) => {
    const resolver = createResolver({ sources });
    const request = requestFor(overrides);
    expect(resolver.isSynchronous(request, one)).toBe(expected);
    const outcome = resolver.resolve(request, one);
    expect(outcome instanceof Promise).toBe(!expected);
    await outcome;
    // What has been answered once is at hand.
    expect(resolver.isSynchronous(request, one)).toBe(true);
    expect(resolver.resolve(request, one)).not.toBeInstanceOf(Promise);
  });
});

describe("waiting", () => {
  test("until every source has loaded", async () => {
    let loaded: (() => void) | undefined = undefined as (() => void) | undefined;
    let loading: Promise<void> | undefined = new Promise<void>((resolve) => {
      loaded = () => {
        loading = undefined;
        resolve();
      };
    });
    const resolver = createResolver({ sources: [sourceOf({}), { ...sourceOf({}), loading: () => loading }] });
    expect(resolver.needsWaiting()).toBe(true);
    const ready = resolver.ready();
    loaded?.();
    await ready;
    expect(resolver.needsWaiting()).toBe(false);
  });

  test("close reaches every source that has one", () => {
    let closed = 0;
    const close = (): void => {
      closed += 1;
    };
    const source = { ...sourceOf({}), close };
    createResolver({ sources: [source, sourceOf({}), source] }).close();
    expect(closed).toBe(2);
  });
});
