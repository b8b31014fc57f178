import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandFolder, rowsOf } from "./command.ts";
import { agentRun, hex, request } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
  folder.lines("t.jsonl", [request(agentRun("t1", ["a", "b"])), request(agentRun("t2", ["a", "c"]))]);
  folder.write(
    "approved.yaml",
    "expectations: [{ id: e, status: approved, expected_steps: [a, b], expected_tools: [a] }]",
  );
  folder.write("proposed.yaml", "expectations: [{ id: e, expected_steps: [a, b], expected_tools: [a] }]");
  folder.write("steps.yaml", "expectations: [{ status: approved, expected_steps: [a, b] }]");
});
afterEach(() => folder.remove());

const id = (trace: string): string => `trajectory:${hex(trace, 32)}`;
const score = (...args: string[]) => folder.run(["score", "t.jsonl", "--format", "jsonl", ...args]);

describe("rows", () => {
  test("are as documented", async () => {
    const { code, stdout, stderr } = await score("--expectations", "approved.yaml", "--scorers", "step_accuracy");
    expect([code, stderr]).toEqual([0, ""]);
    // a, b observed as a, c: one substitution of two steps, 1 - 1/2.
    expect(rowsOf(stdout)).toMatchObject([
      {
        unit_id: id("t1"),
        metric: "step_accuracy",
        version: "2.0.0",
        status: "scored",
        score: 1,
        label: "informational",
      },
      {
        unit_id: id("t2"),
        metric: "step_accuracy",
        version: "2.0.0",
        status: "scored",
        score: 0.5,
        metadata: { edit_distance: 1 },
      },
    ]);
  });

  test("say why a unit was not scored", async () => {
    const { code, stdout } = await score("--expectations", "steps.yaml", "--scorers", "agent.tool_selection_accuracy");
    expect([code, rowsOf(stdout)[0]]).toEqual([
      0,
      {
        unit_id: id("t1"),
        metric: "tool_selection_accuracy",
        version: "2.0.0",
        status: "non_evaluable",
        reason: "no_expectation",
        metadata: {},
      },
    ]);
  });

  test("json is one array, unit by unit, scorer by scorer", async () => {
    const { stdout } = await folder.run(["score", "t.jsonl", "--expectations", "approved.yaml", "--format", "json"]);
    const rows = JSON.parse(stdout) as { unit_id: string; metric: string }[];
    expect(rows.map(({ unit_id, metric }) => [unit_id, metric])).toEqual(
      ["t1", "t2"].flatMap((trace) =>
        ["step_accuracy", "tool_selection_accuracy"].map((metric) => [id(trace), metric]),
      ),
    );
  });

  test("--unit session scores sessions, against rules for sessions", async () => {
    folder.write("s.yaml", "expectations: [{ unit: session, expected_steps: [a, b, a, c] }]");
    folder.lines("t.jsonl", [
      request(agentRun("t1", ["a", "b"], { "session.id": "s" })),
      request(agentRun("t2", ["a", "c"], { "session.id": "s" }, 9_000)),
    ]);
    const { stdout } = await score("--expectations", "s.yaml", "--unit", "session", "--scorers", "step_accuracy");
    expect(rowsOf(stdout)).toMatchObject([{ unit_id: "session:s", score: 1 }]);
  });

  test.each([
    ["session", "a trajectory", "expectations: [{ expected_steps: [a] }]"],
    ["trajectory", "a session", "expectations: [{ unit: session, expected_steps: [a] }]"],
  ])("--unit %s says that the expectations are about %s", async (unit, about, rules) => {
    folder.write("e.yaml", rules);
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"]))]);
    const options = ["--expectations", "e.yaml", "--unit", unit, "--scorers", "step_accuracy"];
    const { stdout } = await folder.run(["score", "t.jsonl", ...options]);
    const note = `nothing was scored: the expectations are about ${about}, none has unit: ${unit}`;
    expect(stdout).toContain(`note: step_accuracy: ${note}\n`);
  });

  test("expectations on the spans go before those of the file", async () => {
    const attributes = { "aip.expected_steps": '["a","c"]', "aip.expectation.status": "approved" };
    folder.lines("t.jsonl", [request(agentRun("t1", ["a", "c"], attributes))]);
    const { stdout } = await score("--expectations", "steps.yaml", "--scorers", "step_accuracy");
    expect(rowsOf(stdout)).toMatchObject([{ score: 1 }]);
  });

  test("rules match on agent, root span and attributes of the root", async () => {
    folder.lines("t.jsonl", [
      request(agentRun("t1", ["a"], { "task.type": "refund" })),
      request(agentRun("t2", ["a"], { "task.type": "other" })),
    ]);
    const match = "{ agent: assistant, root_span: invoke_agent assistant, attributes: { task.type: refund } }";
    folder.write("m.yaml", `expectations: [{ match: ${match}, expected_steps: [a] }]`);
    const { stdout } = await score("--expectations", "m.yaml", "--scorers", "step_accuracy");
    expect(rowsOf(stdout).map(({ status }) => status)).toEqual(["scored", "non_evaluable"]);
  });
});

describe("configuration", () => {
  test("selects and configures scorers and trajectories", async () => {
    folder.write(
      "c.yaml",
      "scorers: { step_accuracy: { scoring_method: strict_position, metric_name: strict } }\ntrajectory: { root: trace }",
    );
    const { stdout } = await score("--expectations", "approved.yaml", "--config", "c.yaml");
    expect(rowsOf(stdout).map(({ metric, score }) => [metric, score])).toEqual([
      ["strict", 1],
      ["strict", 0.5],
    ]);
  });

  test("--scorers selects among what the file configures, and more", async () => {
    folder.write("c.json", '{"scorers":{"step_accuracy":{"threshold":0.5}}}');
    const { stdout } = await score(
      "--expectations",
      "approved.yaml",
      "--config",
      "c.json",
      "--scorers",
      "tool_selection_accuracy,step_accuracy",
    );
    expect(
      rowsOf(stdout)
        .map(({ metric, label }) => [metric, label])
        .slice(0, 2),
    ).toEqual([
      ["tool_selection_accuracy", "informational"],
      ["step_accuracy", "pass"],
    ]);
  });

  test("a run-level expectation of the configuration needs no file of expectations", async () => {
    folder.write("c.yaml", "scorers: { step_accuracy: { expected_steps: [a, b] } }");
    const { stdout } = await score("--config", "c.yaml");
    expect(rowsOf(stdout).map(({ score }) => score)).toEqual([1, 0.5]);
  });
});

describe("gates", () => {
  const bare = "--scorers step_accuracy";
  // Means: step_accuracy (1 + 0.5) / 2 = 0.75, tool_selection_accuracy 1.
  const rows: [string, string, number, string][] = [
    ["no gate", "--expectations approved.yaml", 0, ""],
    ["a mean that reaches the bar", `--expectations approved.yaml --fail-under 0.75 ${bare}`, 0, ""],
    [
      "a mean below the bar",
      "--expectations approved.yaml --fail-under 0.8",
      1,
      "FAILED: step_accuracy: mean 0.7500 of 2 units under approved expectations is below 0.8",
    ],
    [
      "proposed expectations alone",
      `--expectations proposed.yaml --fail-under 0.5 ${bare}`,
      1,
      "--fail-under: no unit was scored under an approved expectation",
    ],
    [
      "no expectation at all",
      "--fail-under 0",
      1,
      "--fail-under: no unit was scored under an approved expectation; give expectations that match",
    ],
    ["a metric without expectations beside one that gates", "--expectations steps.yaml --fail-under 0.7", 0, ""],
    ["strict, everything resolved", "--expectations approved.yaml --strict", 0, ""],
    [
      "strict, one metric without expectations",
      "--expectations steps.yaml --strict",
      1,
      "tool_selection_accuracy: 2 units without a usable expectation (--strict)",
    ],
    [
      "a fail label under an approved expectation",
      "--expectations approved.yaml --config high.yaml",
      1,
      "step_accuracy: 1 unit below the threshold",
    ],
    ["no fail label under a proposed one", "--expectations proposed.yaml --config high.yaml", 0, ""],
  ];
  test.each(rows)("%s", async (_name, args, code, message) => {
    folder.write("high.yaml", "scorers: { step_accuracy: { threshold: 0.9 } }");
    const ran = await score(...args.split(" "));
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(message);
    if (code === 0) expect(ran.stderr).not.toContain("FAILED");
    // Standard output stays rows, whatever the verdict.
    expect(rowsOf(ran.stdout).length).toBeGreaterThanOrEqual(2);
  });

  test("proposed ones are said not to gate", async () => {
    const { stderr } = await score(
      "--expectations",
      "proposed.yaml",
      "--fail-under",
      "0.5",
      "--scorers",
      "step_accuracy",
    );
    expect(stderr).toContain("note: step_accuracy: 2 units under proposed expectations not gating");
    const quiet = await score("--expectations", "proposed.yaml", "--fail-under", "0.5", "--quiet");
    expect(quiet.stderr).not.toContain("note");
    expect(quiet.stderr).toContain("FAILED");
  });

  test("approved expectations of which nothing was scored fail", async () => {
    folder.lines("t.jsonl", [request(agentRun("t1", []))]);
    const { code, stderr } = await score(
      "--expectations",
      "approved.yaml",
      "--fail-under",
      "0",
      "--scorers",
      "tool_selection_accuracy",
    );
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("tool_selection_accuracy: none of 1 unit under approved expectations was scored"),
    ]);
  });

  test("a trace of something else fails nothing under --strict, an agent without expectation does", async () => {
    folder.write("none.yaml", "expectations: []");
    folder.lines("t.jsonl", [request([{ trace: "t9", id: "x", name: "GET /health", at: 1 }])]);
    expect((await score("--expectations", "none.yaml", "--strict")).code).toBe(0);
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"]))]);
    expect((await score("--expectations", "none.yaml", "--strict")).code).toBe(1);
  });
});

describe("table", () => {
  test("rows, a summary and a verdict", async () => {
    const { code, stdout, stderr } = await folder.run([
      "score",
      "t.jsonl",
      "--expectations",
      "steps.yaml",
      "--fail-under",
      "0.8",
    ]);
    expect([code, stderr]).toEqual([1, ""]);
    expect(stdout.split("\n")).toEqual([
      `unit${" ".repeat(39)}  metric                    score  label          why`,
      `${id("t1")}  step_accuracy            1.0000  informational`,
      `${id("t1")}  tool_selection_accuracy       -  non_evaluable  no_expectation`,
      `${id("t2")}  step_accuracy            0.5000  informational  missing: b; extra: c`,
      `${id("t2")}  tool_selection_accuracy       -  non_evaluable  no_expectation`,
      "",
      "metric                     mean  scored  approved  not scored",
      "step_accuracy            0.7500       2         2  0",
      "tool_selection_accuracy       -       0         0  2 no_expectation",
      "",
      "FAILED: step_accuracy: mean 0.7500 of 2 units under approved expectations is below 0.8",
      "",
    ]);
  });

  const verdicts: [string, string[], string][] = [
    ["without a gate", [], "OK: nothing failed, no gate was asked for"],
    ["with one that holds", ["--fail-under", "0.7"], "PASSED: every gate holds (--fail-under 0.7)"],
    [
      "with --strict alone, which gates no score",
      ["--strict"],
      "PASSED: every gate holds (--strict: no unit without a usable expectation; no mean was gated, see --fail-under)",
    ],
    [
      "with both",
      ["--strict", "--fail-under", "0.7"],
      "PASSED: every gate holds (--fail-under 0.7; --strict: no unit without a usable expectation)",
    ],
  ];
  test.each(verdicts)("verdict %s", async (_name, args, verdict) => {
    const { stdout } = await folder.run(["score", "t.jsonl", "--expectations", "approved.yaml", ...args]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(verdict);
  });

  test("--quiet leaves out the rows", async () => {
    const { stdout } = await folder.run(["score", "t.jsonl", "--expectations", "approved.yaml", "--quiet"]);
    expect(stdout).not.toContain("trajectory:");
    expect(stdout).toContain("step_accuracy");
  });
});

describe("tool_trajectory_avg, the mean of exact_match over a run", () => {
  // t1 agrees with [a, b], t2 does not: one of two.
  const args = ["score", "t.jsonl", "--expectations", "approved.yaml", "--scorers", "exact_match"];

  test("stands in the summary of the table, with the number of the others beside it", async () => {
    const rule = { match: { trace_id: hex("t1", 32) }, expected_steps: ["a", "b"] };
    folder.write("named.json", JSON.stringify({ expectations: [rule] }));
    const { stdout } = await folder.run(args);
    expect(stdout).toMatch(/tool_trajectory_avg +0\.5000 +2 +2 +0/);
    const one = await folder.run(["score", "t.jsonl", "--expectations", "named.json", "--scorers", "exact_match"]);
    expect(one.stdout).toMatch(/tool_trajectory_avg +1\.0000 +1 +0 +1 no_expectation/);
  });

  test("is said beside rows, and is part of reports", async () => {
    const rows = await folder.run([...args, "--format", "jsonl"]);
    expect(rows.stderr).toContain("tool_trajectory_avg: 0.5000 (2 scored; not scored: 0)");
    expect((await folder.run([...args, "--format", "jsonl", "--quiet"])).stderr).toBe("");
    expect((await folder.run([...args, "--format", "markdown"])).stdout).toContain("tool_trajectory_avg");
  });
});
