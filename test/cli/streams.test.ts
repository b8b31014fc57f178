import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Host, runOn } from "../../src/cli/streams.ts";
import { CommandFolder } from "./command.ts";
import { agentRun, request } from "./otlp.ts";

let folder: CommandFolder;
beforeAll(() => {
  folder = new CommandFolder();
  folder.lines("t.jsonl", [request(agentRun("t1", ["a"]))]);
  folder.write("approved.yaml", "expectations: [{ status: approved, expected_steps: [b] }]");
});
afterAll(() => folder.remove());

/** A stream that takes what it is given, or fails with `code` some turns after each write. */
function stream(code?: string) {
  let text = "";
  const writable = new Writable({
    write(chunk, _encoding, done) {
      if (code === undefined) text += chunk;
      const error = code === undefined ? null : Object.assign(new Error(`${code}: no write`), { code });
      setTimeout(() => done(error), 5);
    },
  });
  return { writable: writable as unknown as NodeJS.WriteStream, text: () => text };
}

async function ran(args: string, outCode?: string, errCode?: string): Promise<{ code: unknown; stderr: string }> {
  const [out, err] = [stream(outCode), stream(errCode)];
  async function* stdin() {}
  const host: Host = {
    stdout: out.writable,
    stderr: err.writable,
    stdin: stdin(),
    env: {},
    cwd: () => folder.path,
    on: () => undefined,
    off: () => undefined,
  };
  await runOn(host, args.split(" "));
  await new Promise((resolve) => setTimeout(resolve, 50));
  return { code: host.exitCode, stderr: err.text() };
}

describe("output that cannot be written", () => {
  test.each([
    "score t.jsonl",
    "score t.jsonl --format jsonl",
    "steps t.jsonl",
    "steps t.jsonl --format table",
    "record t.jsonl --quiet",
    "manifest",
    "--help",
  ])("is exit code 2 and one line: %s", async (args) => {
    expect(await ran(args, "ENOSPC")).toEqual({
      code: 2,
      stderr: "otel-trajectory: standard output: cannot be written: ENOSPC: no write\n",
    });
  });

  test("outweighs a gate that does not hold", async () => {
    const args = "score t.jsonl --expectations approved.yaml --fail-under 1 --scorers step_accuracy";
    expect((await ran(args)).code).toBe(1);
    expect((await ran(args, "EIO")).code).toBe(2);
  });

  test("is nobody's loss where the reader left: the verdict counts", async () => {
    const args = "score t.jsonl --expectations approved.yaml --fail-under 1 --scorers step_accuracy";
    expect(await ran("steps t.jsonl", "EPIPE")).toEqual({ code: 0, stderr: "" });
    expect(await ran(args, "EPIPE")).toEqual({ code: 1, stderr: "" });
  });

  test("counts on standard error too, where nothing can be said", async () => {
    expect(await ran("record t.jsonl", undefined, "ENOSPC")).toEqual({ code: 2, stderr: "" });
    expect(await ran("record t.jsonl", undefined, "EPIPE")).toEqual({ code: 0, stderr: "" });
  });
});
