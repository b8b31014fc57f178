import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { show, TrajectoryError } from "../../src/model/errors.ts";
import type { SpanRecord } from "../../src/model/span.ts";
import { trajectoryOf } from "../../src/pipeline/trajectory-of.ts";
import { changes, expectOneLine, FUZZ_TIMEOUT, fuzz, hostile, mutated, nasty } from "./fuzz.ts";

const RECORDS: readonly SpanRecord[] = [
  {
    trace_id: "t",
    span_id: "root",
    name: "invoke_agent planner",
    start_ns: 1n,
    end_ns: 9n,
    attributes: { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner", "session.id": "s" },
    scope: { name: "x", version: "1" },
    resource: { "service.name": "shop" },
  },
  {
    trace_id: "t",
    span_id: "tool",
    parent_span_id: "root",
    name: "execute_tool search",
    kind: "CLIENT",
    start_ns: 2n,
    end_ns: 3n,
    status: { code: "ERROR" },
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "search",
      "gen_ai.tool.call.arguments": '{"q":"x"}',
      "aip.expected_steps": '["search"]',
    },
    events: [{ name: "exception", attributes: { "exception.type": "E" } }],
  },
];

/** Bad input is a `TrajectoryError` that names the field; everything else is read. */
function readable(records: unknown): void {
  try {
    const occurrences = trajectoryOf(records as readonly SpanRecord[]);
    for (const { steps } of occurrences) expect(steps.every(({ name }) => typeof name === "string")).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(TrajectoryError);
    const { code, path, message } = error as TrajectoryError;
    expect(code).toBe("invalid_input");
    expect(message.startsWith(path)).toBe(true);
    expectOneLine(message);
  }
}

describe("span records", () => {
  test("changed at random, they are read or refused", { timeout: FUZZ_TIMEOUT }, async () => {
    await fuzz(changes(nasty), 400, (made) => readable(mutated(RECORDS, made)));
  });

  test("anything is read or refused", { timeout: FUZZ_TIMEOUT }, async () => {
    await fuzz(fc.oneof(nasty, fc.array(nasty, { maxLength: 3 })), 300, readable);
  });

  test("objects of the host are read or refused in every place", { timeout: FUZZ_TIMEOUT }, async () => {
    const keys = Object.keys(RECORDS[1] as SpanRecord);
    await fuzz(fc.tuple(fc.constantFrom(...keys), hostile), 500, ([key, value]) =>
      readable([{ ...RECORDS[1], [key]: value }]),
    );
  });
});

describe("found by fuzzing", () => {
  test("branches that are shared over and over are shown in a moment", () => {
    let shared: unknown = ["x"];
    for (let depth = 0; depth < 60; depth += 1) shared = [shared, shared];
    expectOneLine(show(shared), 81);
    expect(() => trajectoryOf([{ ...(RECORDS[0] as SpanRecord), span_id: shared as string }])).toThrow(TrajectoryError);
  });

  test("a record that cannot be read is invalid input, with its place", () => {
    const record = Object.defineProperty({}, "kind", {
      get: () => {
        throw new Error("no");
      },
    });
    for (const bad of [record, Proxy.revocable({}, {}).proxy]) readable([RECORDS[0], bad]);
    expect(() => trajectoryOf([RECORDS[0], record] as SpanRecord[])).toThrow('spans[1] could not be read: "no"');
  });
});
