import { describe, expect, test } from "vitest";
import type { AssembledTrace } from "../../src/model/assembled.ts";
import { canonicalJson } from "../../src/model/digest.ts";
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

/** Recorded arguments of the tools that really ran; delegations are no tools of the scenario. */
function argumentsOf(capture: Capture): { readonly recorded: string[]; readonly statuses: string[] } {
  const names = new Set(capture.truth.filter(({ kind }) => kind === "tool").map(({ name }) => normalizeName(name)));
  const tools = tracesOfViews(viewsOfOtlp(captureText(capture)))
    .flatMap((trace) => trace.tools.map(({ step }) => step))
    .filter(({ name }) => names.has(normalizeName(name)));
  return {
    recorded: tools
      .filter((step) => step.args_status === "ok")
      .map((step) => `${normalizeName(step.name)} ${canonicalJson(step.args)}`),
    statuses: tools.map((step) => step.args_status ?? ""),
  };
}

function trueArguments(capture: Capture): string[] {
  return capture.truth
    .filter(({ kind, args }) => kind === "tool" && args !== undefined)
    .map(({ name, args }) => `${normalizeName(name)} ${canonicalJson(args)}`);
}

describe("real captures give what a perfect reader outputs", () => {
  test("all files are here", () => {
    expect(ALL).toHaveLength(250);
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
    expect(traces.map((trace) => outcome(readingOf(trace), trace.session_id))).toEqual(
      // In files of several traces the session id that they share stands at the top.
      want.traces.map((trace) => wanted({ ...trace, session_id: want.session_id ?? null })),
    );
    if (want.steps !== undefined) {
      const session = mergeSession(traces);
      const { reason: _reason, ...merged } = outcome(session, session.session_id);
      const { reason: _wantedReason, ...wantMerged } = wanted(want as ExpectedTrajectory);
      expect(merged).toEqual(wantMerged);
    } else {
      expect(want.session_id).toBeNull();
    }
  });
});

test("where spans cannot show the tools, the reading says so and shows no step", () => {
  const blind = ALL.filter((capture) => capture.evidence === "none");
  expect(blind).toHaveLength(17);
  for (const capture of blind) {
    const [trace, ...others] = tracesOfViews(viewsOfOtlp(captureText(capture)));
    expect(others).toEqual([]);
    const { reason } = capture.expect;
    // Where no span of an agent was exported at all, there is no kind either.
    const said = reason === "kinds_missing" ? { kinds: [], unread: [] } : { unread: ["steps", "tools"] };
    expect(trace).toMatchObject({ steps: [], tools: [], ...said });
  }
  expect(blind.filter((capture) => capture.expect.reason === "kinds_missing")).toHaveLength(2);
});

/** Instrumentations that record no arguments on the spans of tools, with any setting. */
const NO_ARGUMENTS = ["ax@", "claude-code-native@"];

describe("arguments that were recorded are those that the tools were called with", () => {
  test.each(ALL.map((capture) => [capture.file, capture] as const))("%s", (_, capture) => {
    const { recorded, statuses } = argumentsOf(capture);
    const left = trueArguments(capture);
    for (const call of recorded) {
      expect(left).toContain(call);
      left.splice(left.indexOf(call), 1);
    }
    // LangChain records the bare value of a single argument; without content capture nothing is recorded, or all is.
    const allowed = capture.file.startsWith("openinference-langchain@") ? ["ok", "unparsed"] : ["ok"];
    const never = NO_ARGUMENTS.some((framework) => capture.file.startsWith(framework));
    if (capture.file.includes(".nocontent.") || never) allowed.push("absent");
    if (never) expect(recorded).toEqual([]);
    for (const status of statuses) expect(allowed).toContain(status);
  });

  test("most captures record them", () => {
    const all = ALL.map((capture) => argumentsOf(capture).recorded.length);
    // 250 files, less 17 that show no calls (evidence: none), 10 of instrumentations that record no arguments (4 of Ax,
    // 6 of Claude Code), 28 more with tool spans captured without content, and 2 of LangChain whose tools all take one
    // argument.
    expect(all.filter((count) => count > 0)).toHaveLength(193);
  });
});
