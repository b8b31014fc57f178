import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandFolder } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
  folder.lines("t.jsonl", [request(agentRun("t1", ["a"])), '{"broken', request(agentRun("t2", ["a"])), '{"broken']);
  folder.write("e.yaml", "expectations: [{ status: approved, expected_steps: [a], expected_tools: [a] }]");
});
afterEach(() => folder.remove());

const score = (...args: string[]) => folder.run(["score", "t.jsonl", "--expectations", "e.yaml", ...args]);
const REASON = "FAILED: 2 requests of the input could not be read, the first is t.jsonl:2";

describe("requests that cannot be read", () => {
  test.each([["--fail-under 0.9"], ["--strict"], ["--fail-under 0.9 --strict"], ["--strict --quiet"]])(
    "pass no gate: %s",
    async (args) => {
      const { code, stdout } = await score(...args.split(" "));
      expect([code, stdout.trimEnd().split("\n").at(-1)]).toEqual([1, REASON]);
    },
  );

  test.each(["json", "jsonl", "markdown", "junit", "html"])("nor as %s, quiet or not", async (format) => {
    const ran = await score("--strict", "--quiet", "--format", format);
    expect([ran.code, ran.stderr]).toEqual([1, `otel-trajectory: ${REASON}\n`]);
  });

  test("stay a warning where no gate was asked for", async () => {
    const { code, stdout, stderr } = await score();
    expect([code, stdout.includes("FAILED")]).toEqual([0, false]);
    expect(stderr).toMatch(/t\.jsonl:2: not JSON[^\n]*skipped\n[^\n]*t\.jsonl:4: not JSON/);
  });

  test("are a request whose spans are broken, counted once", async () => {
    const broken = JSON.parse(JSON.stringify(request(agentRun("t3", ["a", "b"]))));
    for (const span of broken.resourceSpans[0].scopeSpans[0].spans.slice(1)) span.spanId = "zz";
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"])), broken]);
    expect((await score("--strict")).stdout).toContain("FAILED: 1 request of the input could not be read");
  });

  test("are not the logs and metrics that an exporter wrote into the same file", async () => {
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"])), { resourceLogs: [] }, { resourceMetrics: [] }]);
    const { code, stderr } = await score("--strict");
    expect([code, stderr.split("\n").length]).toEqual([0, 3]);
  });
});
