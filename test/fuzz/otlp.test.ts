import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readOtlpRequest } from "../../src/wire/from-otlp-json.ts";
import { captures, captureText } from "../support/captures.ts";
import { changes, expectOneLine, FUZZ_TIMEOUT, fuzz, mutated, nastyJson } from "./fuzz.ts";
import { takeThrough } from "./spans.ts";

/** One small request of each instrumentation. */
function samples(): unknown[] {
  const byConvention = new Map<string, string>();
  for (const capture of captures()) {
    const line = captureText(capture).split("\n")[0] ?? "";
    const known = byConvention.get(capture.convention);
    if (line.length < 60_000 && (known === undefined || line.length < known.length))
      byConvention.set(capture.convention, line);
  }
  return [...byConvention.values()].map((line) => JSON.parse(line) as unknown);
}

const SAMPLES = samples();

describe("OTLP/JSON", () => {
  test("there is a sample of many instrumentations", () => expect(SAMPLES.length).toBeGreaterThan(15));

  test("real requests that were changed at random are read, and scored, without an error", {
    timeout: FUZZ_TIMEOUT,
  }, async () => {
    await fuzz(fc.tuple(fc.constantFrom(...SAMPLES), changes(nastyJson)), 200, ([sample, made]) => {
      const request = mutated(sample, made);
      const before = textOf(request);
      const { views, problems } = readOtlpRequest(request);
      expect(textOf(request)).toBe(before);
      for (const problem of problems) {
        expectOneLine(problem);
        expect(problem).toMatch(/^expected an Export|^resourceSpans\[\d+\].* must be .*, got /);
      }
      takeThrough(views);
      expect(textOf(request)).toBe(before);
    });
  });

  test("any JSON is a request or is refused", { timeout: FUZZ_TIMEOUT }, async () => {
    await fuzz(nastyJson, 200, (value) => {
      const { views, problems } = readOtlpRequest(value);
      expect(views.length + problems.length > 0 || typeof value === "object").toBe(true);
      for (const problem of problems) expectOneLine(problem);
    });
  });
});

/** Too deep to be written: then there is nothing to compare. */
function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

describe("found by fuzzing", () => {
  const span = { traceId: "1".repeat(32), spanId: "2".repeat(16), startTimeUnixNano: "1", endTimeUnixNano: "2" };
  let deep: unknown = [];
  for (let depth = 0; depth < 20_000; depth += 1) deep = [deep];

  test.each(["flags", "kind", "name", "status", "attributes", "events"])(
    "a deeply nested %s exhausts no stack",
    (member) => {
      const spans = [{ ...span, [member]: deep }];
      const { views, problems } = readOtlpRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
      expect(problems).toEqual([]);
      takeThrough(views);
    },
  );
});
