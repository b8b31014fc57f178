import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandFolder } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

let folder: CommandFolder;
beforeAll(() => {
  folder = new CommandFolder();
  mkdirSync(join(folder.path, "folder"));
  folder.lines("t.jsonl", [request(agentRun("t1", ["a"]))]);
  folder.write("empty.jsonl", "");
  folder.write("text.txt", "hello\nworld\n");
  folder.write("bad.yaml", "expectations:\n  - expected_steps: [a]\n  - expected_steps: [a, [b, 3]]\n");
  folder.write("broken.yaml", "expectations: [\n  a: b: c\n");
  folder.write("key.yaml", "scoers: {}");
  folder.write("scorer.yaml", "scorers: { step_acuracy: {} }");
  folder.write("field.yaml", "scorers: { step_accuracy: { treshold: 1 } }");
  folder.write("value.yaml", "scorers: { step_accuracy: { threshold: 2 } }");
  folder.write("shape.yaml", "scorers: [step_accuracy]");
  folder.write("root.yaml", "trajectory: { root: agent }");
  folder.write("option.yaml", "trajectory: { rooot: trace }");
  folder.write("pollution.yaml", "__proto__: { x: 1 }");
});
afterAll(() => folder.remove());

const rows: [string, string[], string][] = [
  ["no command", [], "expected a command: steps, score, record, agree, manifest, serve or consume"],
  ["an unknown command", ["scroe"], "unknown command 'scroe'"],
  ["no file", ["steps"], "missing required argument 'files'"],
  ["an unknown option", ["steps", "t.jsonl", "--foo"], "unknown option '--foo'"],
  [
    "a format that is not there",
    ["score", "t.jsonl", "--format", "pdf"],
    "Allowed choices are table, json, jsonl, markdown, junit, html.",
  ],
  ["a report of steps", ["steps", "t.jsonl", "--format", "html"], "Allowed choices are table, json, jsonl."],
  ["a unit that is not there", ["steps", "t.jsonl", "--unit", "step"], "Allowed choices are trajectory, session."],
  ["a root that is not there", ["steps", "t.jsonl", "--root", "x"], "Allowed choices are entry-agent, trace."],
  [
    "a bar above 1",
    ["score", "t.jsonl", "--fail-under", "90"],
    "argument '90' is invalid. Expected a number from 0 to 1.",
  ],
  ["a bar that is no number", ["score", "t.jsonl", "--fail-under", ""], "Expected a number from 0 to 1."],
  [
    "an unknown scorer",
    ["score", "t.jsonl", "--scorers", "step_accuracy,nope"],
    'unknown scorer "nope"; known: step_accuracy, tool_selection_accuracy',
  ],
  ["--diff without a table", ["score", "t.jsonl", "--diff", "--format", "json"], "--diff: goes with --format table"],
  ["an empty scorer", ["score", "t.jsonl", "--scorers", "step_accuracy,"], "Expected names separated by commas."],
  ["a file that is not there", ["steps", "none.jsonl"], "none.jsonl: cannot be read: ENOENT"],
  ["a folder without files", ["steps", "folder"], "folder: there are no files; expected files of OTLP"],
  ["an empty file", ["steps", "empty.jsonl"], "empty.jsonl: holds nothing; expected OTLP/JSON requests"],
  ["a file of something else", ["steps", "text.txt"], "text.txt:1: not JSON"],
  [
    "expectations that are not there",
    ["score", "t.jsonl", "--expectations", "none.yaml"],
    "none.yaml: cannot be read: ENOENT",
  ],
  [
    "expectations that are wrong",
    ["score", "t.jsonl", "--expectations", "bad.yaml"],
    "bad.yaml: expectations[1].expected_steps[1][1]: must be a name",
  ],
  ["expectations that do not parse", ["score", "t.jsonl", "--expectations", "broken.yaml"], "broken.yaml: "],
  [
    "an unknown section",
    ["score", "t.jsonl", "--config", "key.yaml"],
    'key.yaml: unknown key "scoers"; allowed: scorers, trajectory',
  ],
  [
    "an unknown scorer in the file",
    ["score", "t.jsonl", "--config", "scorer.yaml"],
    'scorer.yaml: scorers: unknown scorer "step_acuracy"',
  ],
  [
    "an unknown field",
    ["score", "t.jsonl", "--config", "field.yaml"],
    'field.yaml: scorers.step_accuracy.treshold: unknown key "treshold"',
  ],
  [
    "a bad value",
    ["score", "t.jsonl", "--config", "value.yaml"],
    "value.yaml: scorers.step_accuracy.threshold: must be a number from 0 to 1, got 2",
  ],
  ["a list for a mapping", ["score", "t.jsonl", "--config", "shape.yaml"], "shape.yaml: scorers: must be a mapping"],
  ["a bad trajectory option", ["score", "t.jsonl", "--config", "root.yaml"], "root.yaml: trajectory.root: expected"],
  ["an unknown trajectory option", ["score", "t.jsonl", "--config", "option.yaml"], "option.yaml: trajectory.rooot"],
  ["a polluting key", ["score", "t.jsonl", "--config", "pollution.yaml"], "pollution.yaml: unknown key"],
  ["an unknown manifest", ["manifest", "nope"], 'unknown scorer "nope"'],
];

describe("exit code 2, one line", () => {
  test.each(rows)("%s", async (_name, args, message) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^otel-trajectory: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });
});

describe("exit code 0", () => {
  test.each([
    [["--help"], "score"],
    [["score", "--help"], "--fail-under"],
    [["--version"], "0."],
  ])("%s", async (args, text) => {
    const { code, stdout, stderr } = await folder.run(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(text);
  });

  test.each([["step_accuracy"], ["agent.step_accuracy"]])("manifest %s", async (name) => {
    const { code, stdout } = await folder.run(["manifest", name]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: "agent.step_accuracy",
      version: "2.0.0",
      required_columns: ["expected_steps"],
    });
  });

  test("manifest without a name lists all", async () => {
    const { stdout } = await folder.run(["manifest"]);
    const names = JSON.parse(stdout).map(({ name }: { name: string }) => name);
    expect(names).toHaveLength(14);
    expect(names.slice(0, 3)).toEqual(["agent.step_accuracy", "agent.tool_selection_accuracy", "agent.exact_match"]);
    expect(names).toEqual(expect.arrayContaining(["trajectory_shape", "agent.rubric", "agent.judge"]));
  });
});
