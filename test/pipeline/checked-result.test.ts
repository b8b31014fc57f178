import { describe, expect, test } from "vitest";
import type { ScoreResult } from "../../src/model/result.ts";
import { checkedResult } from "../../src/pipeline/checked-result.ts";

const scored = (given: object): unknown =>
  checkedResult({ status: "scored", score: 1, label: "pass", metadata: {}, ...given } as ScoreResult);
const error = (message: RegExp): unknown => ({
  status: "error",
  error: { type: "invalid_result", message: expect.stringMatching(message) },
});

describe("what a scorer of the host gives", () => {
  test.each([
    ["a score beyond 1", { score: 1.01 }, /score must be a number from 0 to 1, got 1.01/],
    ["no number", { score: Number.NaN }, /got NaN/],
    ["a label of its own", { label: "customer 17" }, /label must be one of pass, fail, informational/],
    ["a status of its own", { status: "great" }, /status must be scored, non_evaluable or error, got great/],
  ])("%s is an error", (_, given, message) => {
    expect(scored(given)).toEqual(error(message));
  });

  test("a reason of its own is an error: metrics would have a series for each", () => {
    const given = { status: "non_evaluable", reason: "order 17" } as never;
    expect(checkedResult(given)).toEqual(error(/^reason must be one of not_sampled, /));
  });

  test("without a label it is informational, without metadata it has none", () => {
    expect(scored({ label: undefined, metadata: undefined })).toEqual({
      status: "scored",
      score: 1,
      label: "informational",
      metadata: {},
    });
  });

  test("metadata that throws when it is read is an error of that scorer", () => {
    const metadata = {
      get x(): never {
        throw new RangeError("mine");
      },
    };
    expect(scored({ metadata })).toEqual({ status: "error", error: { type: "RangeError", message: "mine" } });
  });

  test("metadata is copied, and what is no data in it is left out", () => {
    const list = [1];
    const given = scored({ metadata: { list, big: 1n } }) as { metadata: { list: number[] } };
    list.push(2);
    expect(given.metadata).toEqual({ list: [1], big: 1n });
    expect(scored({ metadata: { list, f: () => 1 } })).toMatchObject({ metadata: { list: [1, 2] } });
    expect(scored({ metadata: new Proxy({ a: 1 }, {}) })).toMatchObject({ metadata: { a: 1 } });
  });
});
