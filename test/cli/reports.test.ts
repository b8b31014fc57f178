import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { htmlProblems, markdownPage, textsOf, xmlElements } from "../report/readers.ts";
import { CommandFolder } from "./command.ts";
import { agentRun, request, toolSpan } from "./otlp.ts";

let folder: CommandFolder;
const ids = {
  good: "0".repeat(24) + Buffer.from("good").toString("hex"),
  half: "0".repeat(24) + Buffer.from("half").toString("hex"),
};

beforeAll(() => {
  folder = new CommandFolder();
  folder.lines("t.jsonl", [
    request(agentRun("good", ["a", "b"])),
    request(agentRun("half", ["a"], {}, 2_000)),
    // A health check: nobody expects a trajectory of it.
    request([{ trace: "http", id: "h", name: "GET /", at: 3_000 }]),
    // A tool call of no agent matches no rule.
    request([{ ...toolSpan("lone", "x", 0), parent: "lone-p" }]),
  ]);
  folder.write(
    "approved.yaml",
    "expectations: [{ match: { agent: assistant }, status: approved, expected_steps: [a, b] }]",
  );
  folder.write("proposed.yaml", "expectations: [{ match: { agent: assistant }, expected_steps: [[a, b]] }]");
  folder.write("gate.yaml", "scorers: { step_accuracy: { threshold: 0.9 } }");
});
afterAll(() => folder.remove());

const score = (...args: string[]) => folder.run(["score", "t.jsonl", "--scorers", "step_accuracy", ...args]);

describe("--format junit", () => {
  test("cases of units, and of the run", async () => {
    const { code, stdout, stderr } = await score(
      ...["--expectations", "approved.yaml", "--config", "gate.yaml", "--fail-under", "0.8", "--format", "junit"],
    );
    expect(code).toBe(1);
    expect(stderr).toContain("otel-trajectory: FAILED: step_accuracy: 1 unit below the threshold\n");
    const elements = xmlElements(stdout);
    expect(elements[0]?.attributes).toMatchObject({ tests: "5", failures: "2", errors: "0", skipped: "2" });
    const cases = elements.filter(({ name }) => name === "testcase");
    expect(cases.map(({ attributes }) => [attributes.classname, attributes.name])).toEqual([
      ["step_accuracy", `trajectory:${ids.good}`],
      ["step_accuracy", `trajectory:${ids.half}`],
      ["step_accuracy", expect.stringMatching(/^trajectory:/)],
      ["step_accuracy", expect.stringMatching(/^trajectory:/)],
      ["gates", "the run as a whole, 1"],
    ]);
    const failures = elements.filter(({ name }) => name === "failure");
    expect(failures.map(({ attributes, text }) => [attributes.message, text])).toEqual([
      [
        "score 0.5000 is below the threshold; missing: b",
        "   0: expected a  actual a\n!! 1: expected b  actual (none)",
      ],
      [
        "step_accuracy: mean 0.7500 of 2 units under approved expectations is below 0.8",
        "step_accuracy: mean 0.7500 of 2 units under approved expectations is below 0.8",
      ],
    ]);
  });

  test("--strict fails the unit that nothing is expected of, and not the health check", async () => {
    const { code, stdout } = await score("--expectations", "approved.yaml", "--strict", "--format", "junit");
    expect(code).toBe(1);
    const elements = xmlElements(stdout);
    expect(elements[0]?.attributes).toMatchObject({ tests: "5", failures: "1", skipped: "1" });
    expect(elements.filter(({ name }) => name === "failure").map(({ attributes }) => attributes.message)).toEqual([
      "no_expectation",
    ]);
  });
});

test("--format markdown", async () => {
  const { code, stdout } = await score("--expectations", "proposed.yaml", "--format", "markdown");
  expect(code).toBe(0);
  const page = markdownPage(stdout);
  expect(textsOf(page, "strong")).toEqual(["OK: nothing failed, no gate was asked for"]);
  expect(textsOf(page, "td").slice(0, 5)).toEqual(["step_accuracy", "0.7500", "2", "0", "2 no_expectation"]);
  expect(textsOf(page, "pre")).toEqual(["   0: ┌ expected a  actual a\n!! 1: └ expected b  actual (none)\n"]);
});

test("--format html", async () => {
  const { code, stdout, stderr } = await score(
    "--expectations",
    "proposed.yaml",
    "--format",
    "html",
    "--fail-under",
    "0.5",
  );
  expect(code).toBe(1);
  expect(htmlProblems(stdout)).toEqual([]);
  expect(textsOf(stdout, "h1")).toEqual(["Trajectory scores"]);
  expect(stdout).toContain('data-outcome="informational" data-perfect="no"');
  expect(textsOf(stdout, "li").join("\n")).toContain("--fail-under: no unit was scored under an approved expectation");
  expect(stderr).toContain("note: step_accuracy: 2 units under proposed expectations not gating");
});

describe("--diff", () => {
  const lines = "step_accuracy\n   0: ┌ expected a  actual a\n!! 1: └ expected b  actual (none)\n";
  const colored = lines.replace("!! 1: └ expected b  actual (none)", (line) => `\u001b[31m${line}\u001b[39m`);

  test.each<[string, { tty?: boolean; env?: Record<string, string> }, string]>([
    ["plain where it is no terminal", {}, lines],
    ["coloured on a terminal", { tty: true }, colored],
    ["plain where NO_COLOR is set", { tty: true, env: { NO_COLOR: "1" } }, lines],
    ["coloured where NO_COLOR is empty", { tty: true, env: { NO_COLOR: "" } }, colored],
  ])("is %s", async (_name, options, expected) => {
    const args = [
      "score",
      "t.jsonl",
      "--scorers",
      "step_accuracy",
      "--expectations",
      "proposed.yaml",
      "--diff",
      "--quiet",
    ];
    const loud = await folder.run(args.slice(0, -1), options);
    expect(loud.stdout).toContain(`\ntrajectory:${ids.half}: ${expected}\n`);
    expect(loud.stdout.split("expected a")).toHaveLength(2);
    expect((await folder.run(args, options)).stdout).not.toContain("expected a");
  });
});
