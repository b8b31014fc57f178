import { afterEach, beforeEach, expect, test } from "vitest";
import { CommandFolder, rowsOf } from "./command.ts";
import { agentRun, hex, request, toolSpan } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
  folder.lines("t.jsonl", [
    request(agentRun("t1", ["search", "open"], { "session.id": "s" })),
    request([toolSpan("t1", "ours", 5)], "otel-trajectory"),
    request(agentRun("t2", [])),
  ]);
});
afterEach(() => folder.remove());

test("every span of every trace as text, on a terminal and off it", async () => {
  const { code, stdout, stderr } = await folder.run(["steps", "t.jsonl", "--explain"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout.split("\n")).toEqual([
    `trace       ${hex("t1", 32)}`,
    "session     s",
    "entry agent assistant",
    "steps       1 search  2 open",
    "tools       the same",
    "options     root entry-agent, delegations same-name, failed calls count",
    "",
    "step  kind   span                    read by  why",
    "   -  AGENT  invoke_agent assistant  gen-ai   the agent that owns the trace: no step of its own trajectory",
    "   1  TOOL     execute_tool search   gen-ai   step 1: search",
    "   2  TOOL     execute_tool open     gen-ai   step 2: open",
    "   -  TOOL   execute_tool ours       gen-ai   telemetry of the evaluation itself",
    "",
    "4 spans",
    "",
    `trace       ${hex("t2", 32)}`,
    "entry agent assistant",
    "steps       (none)",
    "tools       (none)",
    "options     root entry-agent, delegations same-name, failed calls count",
    "",
    "step  kind   span                    read by  why",
    "   -  AGENT  invoke_agent assistant  gen-ai   the agent that owns the trace: no step of its own trajectory",
    "",
    "1 span",
    "",
  ]);
  expect((await folder.run(["steps", "t.jsonl", "--explain"], { tty: true })).stdout).toBe(stdout);
});

test("as data: one array, or one trace a line", async () => {
  const lines = rowsOf((await folder.run(["steps", "t.jsonl", "--explain", "--format", "jsonl"])).stdout);
  expect(lines.map((line) => line.trace_id)).toEqual([hex("t1", 32), hex("t2", 32)]);
  const array: unknown = JSON.parse((await folder.run(["steps", "t.jsonl", "--explain", "--format", "json"])).stdout);
  expect(array).toEqual(lines);
  expect((lines[0] as { spans: unknown[] }).spans[1]).toMatchObject({
    name: "execute_tool search",
    kind: "TOOL",
    convention: "gen-ai",
    reason: "step",
    steps: [1],
    tools: [1],
  });
});

test("the trajectory options are obeyed and named", async () => {
  const { stdout } = await folder.run(["steps", "t.jsonl", "--explain", "--root", "trace", "--failed-calls", "ignore"]);
  expect(stdout).toContain("options     root trace, delegations same-name, failed calls ignore\n");
  expect(stdout).toContain("the root of the trace\n");
});

test("one trace in two files is explained once, or once a file", async () => {
  const files = ["t.jsonl", "t.jsonl"];
  const together = rowsOf((await folder.run(["steps", ...files, "--explain", "--format", "jsonl"])).stdout);
  const apart = rowsOf((await folder.run(["steps", ...files, "--explain", "--per-file", "--format", "jsonl"])).stdout);
  expect([together.length, apart.length]).toEqual([2, 4]);
  expect(
    (together[0] as { spans: { reason: string }[] }).spans.filter((span) => span.reason === "duplicate_id"),
  ).toHaveLength(3);
});
