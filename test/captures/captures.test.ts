import { describe, expect, test } from "vitest";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import { normalizeName } from "../../src/model/names.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { mergeSession } from "../../src/trajectory/session.ts";
import { type Capture, captures, captureText, type ExpectedTrajectory } from "../support/captures.ts";
import { tracesOfViews, viewsOfOtlp } from "../support/read-traces.ts";

/** TOOL names compare by the naming rule, AGENT names to the letter; `failed` stands where the spans show it. */
function comparable(kind: string, name: string, failed: boolean | undefined): string {
  return `${kind} ${kind === "TOOL" ? normalizeName(name) : name}${failed === true ? " failed" : ""}`;
}

interface Reading {
  readonly steps: readonly Step[];
  readonly tools: readonly Step[];
  readonly unread: readonly string[];
  readonly kinds: readonly string[];
}

function outcome(read: Reading, sessionId: string | undefined): Record<string, unknown> {
  const reason = read.unread.includes("steps")
    ? "steps_not_recorded"
    : read.kinds.length === 0
      ? "kinds_missing"
      : undefined;
  return {
    steps: read.steps.map(({ kind, name, failed }) => comparable(kind, name, failed)),
    tools: read.tools.map(({ name }) => normalizeName(name)),
    session_id: sessionId ?? null,
    source: read.steps[0]?.source ?? "none",
    reason,
  };
}

function wanted(want: ExpectedTrajectory): Record<string, unknown> {
  return {
    steps: want.steps.map(({ kind, name, failed }) => comparable(kind, name, failed)),
    tools: want.tools.map(normalizeName),
    session_id: want.session_id,
    source: want.source,
    reason: want.reason,
  };
}

function readingOf(trace: AssembledTrace): Reading {
  return { ...trace, steps: trace.steps.map(({ step }) => step), tools: trace.tools.map(({ step }) => step) };
}

const ALL = captures();

describe("real captures give what a perfect reader outputs", () => {
  test("all files of the three families are here", () => {
    expect(ALL).toHaveLength(137);
  });

  test.each(ALL.map((capture) => [capture.file, capture] as const))("%s", (_, capture: Capture) => {
    const traces = mergeSession(tracesOfViews(viewsOfOtlp(captureText(capture)))).traces;
    const want = capture.expect;
    if (want.traces === undefined) {
      expect(traces).toHaveLength(1);
      const [only] = traces;
      if (only === undefined) throw new Error("no trace");
      expect(outcome(readingOf(only), only.session_id)).toEqual(wanted(want as ExpectedTrajectory));
      return;
    }
    expect(traces.map((trace) => trace.trace_id)).toEqual(want.traces.map((trace) => trace.trace_id));
    expect(traces.map((trace) => outcome(readingOf(trace), trace.session_id))).toEqual(want.traces.map(wanted));
    if (want.session_id !== null && want.steps !== undefined) {
      const session = mergeSession(traces);
      const { reason: _reason, ...merged } = outcome(session, session.session_id);
      const { reason: _wantedReason, ...wantMerged } = wanted(want as ExpectedTrajectory);
      expect(merged).toEqual(wantMerged);
    } else {
      expect(new Set(traces.map((trace) => trace.session_id ?? trace.trace_id)).size).toBeGreaterThan(1);
    }
  });
});
