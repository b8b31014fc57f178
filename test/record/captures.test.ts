import { afterAll, beforeAll, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { CommandFolder, rowsOf } from "../cli/command.ts";
import { captures, captureText } from "../support/captures.ts";

let folder: CommandFolder;
beforeAll(() => {
  folder = new CommandFolder();
});
afterAll(() => folder.remove());

const ALL = captures();

test("there are captures", () => expect(ALL.length).toBeGreaterThan(100));

test("every capture follows the recording that was drawn from it", async () => {
  let scored = 0;
  for (const capture of ALL) {
    folder.write("capture.jsonl", captureText(capture));
    const recorded = await folder.run(["record", "capture.jsonl"]);
    if (recorded.code === 2) {
      // Nothing to record: no agent in it, or nothing that can be read.
      expect([capture.file, recorded.stderr]).toEqual([capture.file, expect.stringContaining("no run to record")]);
      continue;
    }
    folder.write("recorded.yaml", recorded.stdout);
    const run = await folder.run([
      ...["score", "capture.jsonl", "--expectations", "recorded.yaml", "--format", "jsonl"],
      ...["--scorers", "step_accuracy,tool_selection_accuracy"],
    ]);
    expect([capture.file, run.code, run.stderr]).toEqual([capture.file, 0, ""]);
    const rules = parseDocument(recorded.stdout).toJS().expectations as Record<string, unknown>[];
    expect(rules.length).toBeGreaterThan(0);
    for (const row of rowsOf(run.stdout)) {
      if (row.status === "scored") scored += 1;
      expect([capture.file, row.score ?? 1]).toEqual([capture.file, 1]);
    }
  }
  expect(scored).toBeGreaterThan(ALL.length);
}, 120_000);
