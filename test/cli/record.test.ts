import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { CommandFolder, rowsOf } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
});
afterEach(() => folder.remove());

const write = (runs: readonly (readonly string[])[], attributes: Record<string, string> = {}, name = "t.jsonl"): void =>
  folder.lines(
    name,
    runs.map((tools, index) => request(agentRun(`t${index}`, tools, attributes, 1_000 * (index + 1)))),
  );

/** Scores of a recording over its own runs, by metric. */
async function scoresOf(recording: string, files: readonly string[], ...args: readonly string[]): Promise<number[]> {
  folder.write("recorded.yaml", recording);
  const scored = await folder.run(["score", ...files, "--expectations", "recorded.yaml", "--format", "jsonl", ...args]);
  expect(scored.stderr).toBe("");
  return rowsOf(scored.stdout).map((row) => row.score as number);
}

describe("record", () => {
  test("merges the runs of one case, and says what it was drawn from", async () => {
    write([
      ["authenticate", "fetch_order", "fetch_policy", "refund"],
      ["authenticate", "fetch_policy", "fetch_order", "notify", "refund"],
    ]);
    const { code, stdout, stderr } = await folder.run(["record", "t.jsonl"]);
    expect(code).toBe(0);
    expect(stdout).toBe(`# Drawn from observed runs. Rules are ordered; the first that matches wins.
# Review each one, then set its status to approved: only then does it give pass or fail.

expectations:
  # 2 runs: trajectory:00000000000000000000000000007430, trajectory:00000000000000000000000000007431
  - id: assistant
    match: { agent: assistant, root_span: invoke_agent assistant }
    status: proposed
    expected_steps: [ authenticate, [ fetch_order, fetch_policy ], { optional: notify }, refund ]
    expected_tools: [ authenticate, fetch_order, fetch_policy, refund ]
`);
    expect(stderr).toBe("otel-trajectory: 1 expectation proposed from 2 runs; review, then set status: approved\n");
    expect(await scoresOf(stdout, ["t.jsonl"])).toEqual([1, 1, 1, 1]);
  });

  test("an attribute tells cases apart; runs without it go by agent and root span", async () => {
    write([["a"], ["b"]], { "task.type": "refund" }, "refund.jsonl");
    folder.lines("other.jsonl", [
      request(agentRun("o1", ["c"], { "task.type": "order" })),
      request(agentRun("o2", ["d"])),
    ]);
    const files = ["refund.jsonl", "other.jsonl"];
    const { stdout } = await folder.run(["record", ...files, "--case-attribute", "task.type"]);
    expect(parseDocument(stdout).toJS().expectations).toEqual([
      {
        id: "refund",
        match: { attributes: { "task.type": "refund" } },
        status: "proposed",
        expected_steps: [{ optional: "a" }, { optional: "b" }],
      },
      {
        id: "order",
        match: { attributes: { "task.type": "order" } },
        status: "proposed",
        expected_steps: ["c"],
        expected_tools: ["c"],
      },
      {
        id: "assistant",
        match: { agent: "assistant", root_span: "invoke_agent assistant" },
        status: "proposed",
        expected_steps: ["d"],
        expected_tools: ["d"],
      },
    ]);
    expect(await scoresOf(stdout, files, "--scorers", "step_accuracy")).toEqual([1, 1, 1, 1]);
  });

  test("an attribute with the name of a prototype is an attribute", async () => {
    write([["a"]], { constructor: "y" });
    for (const key of ["constructor", "toString"]) {
      const { stdout, code } = await folder.run(["record", "t.jsonl", "--case-attribute", key]);
      expect(code).toBe(0);
      expect(stdout).toContain(key === "toString" ? "agent: assistant" : `attributes: { ${key}: `);
      expect(await scoresOf(stdout, ["t.jsonl"], "--scorers", "step_accuracy")).toEqual([1]);
    }
  });

  test.each(["__proto__", ""])("the attribute %j is no key that a rule can match on", async (key) => {
    write([["a"]]);
    const { code, stderr } = await folder.run(["record", "t.jsonl", "--case-attribute", key]);
    expect([code, stderr]).toEqual([
      2,
      `otel-trajectory: --case-attribute: expected the key of an attribute, got ${JSON.stringify(key)}\n`,
    ]);
  });

  test("sessions are recorded as sessions", async () => {
    write([["a"], ["b"]], { "session.id": "s1" });
    const { stdout } = await folder.run(["record", "t.jsonl", "--unit", "session"]);
    expect(parseDocument(stdout).toJS().expectations).toMatchObject([{ unit: "session", expected_steps: ["a", "b"] }]);
    expect(await scoresOf(stdout, ["t.jsonl"], "--unit", "session")).toEqual([1, 1]);
  });

  test("a run that called nothing is expected to call nothing", async () => {
    write([[]]);
    const { stdout } = await folder.run(["record", "t.jsonl"]);
    expect(parseDocument(stdout).toJS().expectations).toMatchObject([{ expected_calls: [] }]);
    expect(stdout).toContain("# no step was observed");
  });

  test("approved, it passes a gate", async () => {
    write([
      ["a", "b"],
      ["b", "a"],
    ]);
    const { stdout } = await folder.run(["record", "t.jsonl"]);
    folder.write("approved.yaml", stdout.replaceAll("status: proposed", "status: approved"));
    const gate = await folder.run([
      "score",
      "t.jsonl",
      "--expectations",
      "approved.yaml",
      "--fail-under",
      "1",
      "--strict",
    ]);
    expect(gate.code).toBe(0);
    expect(gate.stdout).toContain("PASSED: every gate holds");
  });

  test("writes a new file, and never over one", async () => {
    write([["a"]]);
    const args = ["record", "t.jsonl", "--output", "golden.yaml", "--quiet"];
    expect(await folder.run(args)).toEqual({ code: 0, stdout: "", stderr: "" });
    const path = join(folder.path, "golden.yaml");
    const before = readFileSync(path, "utf8");
    expect(before).toContain("expected_steps: [ a ]");
    const again = await folder.run(args);
    expect(again).toEqual({
      code: 2,
      stdout: "",
      stderr: "otel-trajectory: golden.yaml: exists already; expected the name of a new file\n",
    });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect((await folder.run(["record", "t.jsonl", "--output", "no/where.yaml"])).code).toBe(2);
    expect(existsSync(join(folder.path, "no"))).toBe(false);
  });

  test("input without a run of an agent is one mistake", async () => {
    folder.lines("t.jsonl", [request([{ trace: "t", id: "a", name: "GET /", at: 1 }])]);
    expect(await folder.run(["record", "t.jsonl"])).toEqual({
      code: 2,
      stdout: "",
      stderr: "otel-trajectory: t.jsonl: no run to record; expected traces of agents\n",
    });
  });

  test("steps that were not recorded are nothing to expect", async () => {
    const spans = agentRun("t", []);
    const chat = {
      ...{ trace: "t", id: "t-c", parent: "t-r", name: "chat", at: 1_010 },
      attributes: { "gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": '["tool_calls"]' },
    };
    folder.lines("t.jsonl", [request([...spans, chat]), request(agentRun("u", ["a"]))]);
    const { stderr, stdout } = await folder.run(["record", "t.jsonl"]);
    expect(stderr).toContain("its steps and tools were not recorded; left out");
    expect(stdout).toContain("# 1 run: ");
  });
});
