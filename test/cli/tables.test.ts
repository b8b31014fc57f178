import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as rows from "../../src/cli/rows.ts";
import { scoreTable } from "../../src/cli/tables.ts";
import { CommandFolder } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

vi.mock("../../src/cli/rows.ts", { spy: true });

const row = (unit: string, metric: string, score: number): rows.ScoreRow => ({
  unit_id: unit,
  metric,
  version: "1",
  status: "scored",
  score,
  label: "pass",
  metadata: {},
});

describe("the table of scores", () => {
  test("aligns by the columns of a terminal: wide characters take two, combining ones none", () => {
    const table = scoreTable([
      row("plain", "m", 1),
      row("查找工具", "m", 0.5),
      row("e\u0301", "m", 1),
      row("", "m", 1),
    ]);
    expect(table.split("\n")).toEqual([
      "unit      metric   score  label  why",
      "plain     m       1.0000  pass",
      "查找工具  m       0.5000  pass",
      "e\u0301         m       1.0000  pass",
      "          m       1.0000  pass",
      "",
    ]);
  });
});

describe("--quiet", () => {
  let folder: CommandFolder;
  beforeEach(() => {
    folder = new CommandFolder();
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"])), request(agentRun("t2", ["a"]))]);
  });
  afterEach(() => folder.remove());

  test("makes no rows that it would not show", async () => {
    const args = ["score", "t.jsonl", "--scorers", "step_accuracy"];
    vi.mocked(rows.scoreRow).mockClear();
    const { stdout } = await folder.run([...args, "--quiet"]);
    expect([vi.mocked(rows.scoreRow).mock.calls.length, stdout.includes("step_accuracy")]).toEqual([0, true]);
    await folder.run(args);
    expect(vi.mocked(rows.scoreRow)).toHaveBeenCalledTimes(2);
  });
});
