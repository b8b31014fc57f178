import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandFolder, rowsOf } from "./command.ts";
import { agentRun, hex, type OtlpSpan, request } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
  // As the live test of trajectory_shape has it: three calls, an output, an empty text and none recorded.
  const said = (text: string) => JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: text }] }]);
  const [root, tool] = agentRun("t1", ["a"], { "session.id": "s-1" });
  const chats = [said("hello"), said(""), undefined].map((output, index) => chat(index, output));
  folder.lines("chats.jsonl", [request([root, tool, ...chats] as OtlpSpan[])]);
  folder.lines("none.jsonl", [request(agentRun("t1", ["a"]))]);
});
afterEach(() => folder.remove());

function chat(index: number, output: string | undefined): OtlpSpan {
  const attributes = {
    "gen_ai.operation.name": "chat",
    ...(output === undefined ? {} : { "gen_ai.output.messages": output }),
  };
  return { trace: "t1", id: `c${index}`, parent: "t1-r", name: "chat m", at: 1_100 + 10 * index, attributes };
}

const shape = (file: string, ...args: string[]) => folder.run(["score", file, ...args]);
const last = (text: string): string[] => text.trimEnd().split("\n").slice(-2);

describe("trajectory_shape from a file", () => {
  const ID = hex("t1", 32);

  test.each([
    ["trajectory", `trajectory:${ID}`],
    ["session", "session:s-1"],
    ["step", `step:${ID}`],
  ])("scores the %s that it is configured for as it does live", async (unit, id) => {
    folder.write("c.yaml", `scorers: { trajectory_shape: { unit: ${unit} } }`);
    const { stdout } = await shape("chats.jsonl", "--config", "c.yaml", "--format", "jsonl");
    expect(rowsOf(stdout)).toMatchObject([{ unit_id: id, status: "scored", metadata: { total_members: 3 } }]);
    expect(rowsOf(stdout)[0]?.score).toBeCloseTo(2 / 3, 9);
  });

  test("scores the unit of the command line", async () => {
    const args = ["--scorers", "trajectory_shape", "--unit", "trajectory", "--format", "jsonl"];
    const { stdout, stderr } = await shape("chats.jsonl", ...args);
    expect([rowsOf(stdout)[0]?.unit_id, stderr]).toEqual([`trajectory:${ID}`, ""]);
  });

  test("says that its own unit, the call, leaves it nothing to score", async () => {
    const { code, stdout } = await shape("chats.jsonl", "--scorers", "trajectory_shape");
    expect(stdout.match(/not_aggregate/g)).toHaveLength(4);
    expect([code, ...last(stdout)]).toEqual([
      0,
      "note: trajectory_shape: nothing was scored: a call has no members; --unit trajectory scores whole runs",
      "OK: nothing failed, no gate was asked for",
    ]);
  });

  test("says that there is no unit at all, on standard error where rows are printed", async () => {
    const note =
      "note: trajectory_shape: nothing was scored: the input holds no call; --unit trajectory scores whole runs";
    expect(last((await shape("none.jsonl", "--scorers", "trajectory_shape")).stdout)[0]).toBe(note);
    const rows = await shape("none.jsonl", "--scorers", "trajectory_shape", "--format", "jsonl");
    expect([rows.stdout, rows.stderr]).toEqual(["", `otel-trajectory: ${note}\n`]);
  });
});
