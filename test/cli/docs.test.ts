import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SCORE_FORMATS } from "../../src/cli/row-writer.ts";
import { diffOf } from "../../src/report/diff-lines.ts";
import { renderDiff } from "../../src/report/diff-text.ts";
import { HALF } from "../report/entries.ts";
import { CommandFolder } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

const page = readFileSync(new URL("../../docs/reports.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text]) => (text ?? "").trim().split("\n"));

describe("docs/reports.md", () => {
  let folder: CommandFolder;
  beforeAll(() => {
    folder = new CommandFolder();
    folder.lines("traces.jsonl", [request(agentRun("t", ["a", "b"], { "task.type": "refund" }))]);
    folder.write("expectations.yaml", "expectations: [{ match: { agent: assistant }, expected_steps: [a] }]");
    folder.write("config.yaml", page.match(/^```yaml\n(scorers:[\s\S]*?)^```$/m)?.[1] ?? "");
    folder.write("labels.csv", "unit_id,judge,human\n1,pass,fail\n2,fail,fail\n");
  });
  afterAll(() => folder.remove());

  test("has commands", () => expect(commands.length).toBeGreaterThanOrEqual(7));

  test.each(commands)("$ %s", async (line) => {
    const [npx, name, ...args] = line.split(" ");
    expect([npx, name]).toEqual(["npx", "otel-trajectory"]);
    const { code, stdout } = await folder.run(args);
    expect(code).toBe(0);
    expect(stdout.length).toBeGreaterThan(50);
  });

  test("shows the diff as it is", () => {
    const [, text] = page.match(/^```text\n([\s\S]*?)\n```$/m) ?? [];
    expect(diffOf(HALF).total).toBe(4);
    expect(text).toBe(renderDiff(HALF, { groups: true }));
  });

  test.each(SCORE_FORMATS)("names the format %s", (format) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`${format}\`.* \\|`, "m"));
  });
});
