import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const node = promisify(execFile);

/** What each example must print, line by line in this order; other lines may stand between. */
const EXAMPLES: Readonly<Record<string, readonly RegExp[]>> = {
  "vercel-ai-agent.mjs": [
    /^1\. The agent does its work/,
    /^ {2}answer: Order 1042 is refunded/,
    /^2\. The agent is lucky/,
    /^ {2}answer: Order 1042 is refunded/,
    /^ {2}step_accuracy +1\.00 {2}pass$/,
    /^ {2}tool_selection_accuracy +1\.00 {2}pass$/,
    // authenticate and fetch_policy are missing of four steps; of the three expected tools one was called.
    /^ {2}step_accuracy +0\.50 {2}fail$/,
    /^ +!! .*authenticate/,
    /^ {2}tool_selection_accuracy +0\.33 {2}fail$/,
    /^ {2}trajectory\.step_accuracy\.score +1$/,
    /^ {2}trajectory\.step_accuracy\.score +0\.5$/,
  ],
  "vercel-ai-behind-http.mjs": [
    /^POST \/chat/,
    /^ {2}answer: Order 1042 is refunded/,
    /^ {2}step_accuracy +1\.00 /,
    /^The root span is the web server's, "POST", and carries the scores:/,
    /^ {2}trajectory\.step_accuracy\.score +1$/,
    /^The events belong to the agent's own span, "ai\.generateText"\./,
  ],
  "session.mjs": [
    /^turn 1/,
    /^turn 2/,
    /^turn 3/,
    /^ {2}session_step_accuracy +1\.00 {2}pass/,
    /^ {2}session\.id: sess-7f3a, unit: session:sess-7f3a$/,
  ],
  "node-sdk.mjs": [
    /^answer: Order 1042 is refunded/,
    /^ {2}step_accuracy +1\.00 {2}pass/,
    /^ {2}tool_selection_accuracy +1\.00 {2}pass/,
    /^ {2}trajectory\.evaluation\.score .*count=1$/,
    /^ {2}trajectory\.evaluation\.score .*count=1$/,
  ],
};

describe("examples", () => {
  test("every example is asserted", () => {
    const files = readdirSync(`${root}examples`).filter((file) => file.endsWith(".mjs"));
    expect(files.sort()).toEqual(Object.keys(EXAMPLES).sort());
  });

  test.each(Object.entries(EXAMPLES))("%s", async (file, wanted) => {
    const { stdout, stderr } = await node(process.execPath, [`examples/${file}`], { cwd: root, timeout: 25_000 });
    expect(stderr).toBe("");
    const lines = stdout.split("\n");
    let from = 0;
    for (const pattern of wanted) {
      const at = lines.findIndex((line, index) => index >= from && pattern.test(line));
      expect(at, `${pattern} in:\n${stdout}`).toBeGreaterThanOrEqual(0);
      from = at + 1;
    }
  });

  test("the expectations file says what the examples' inline expectations say", () => {
    const text = readFileSync(`${root}examples/expectations.yaml`, "utf8");
    expect(text).toContain("expected_steps: [authenticate, [fetch_order, fetch_policy], issue_refund]");
  });

  test("the demo tells the good run from the lucky one", async () => {
    const { stdout } = await node(process.execPath, ["scripts/demo.mjs"], { cwd: root, timeout: 25_000 });
    expect(stdout).toMatch(/Scores 1\.00 and 0\.50\./);
    expect(stdout.match(/the agent's answer {3}Order 1042 is refunded/g)).toHaveLength(2);
    expect(stdout).toMatch(/^ +!! .*authenticate/m);
  });
});
