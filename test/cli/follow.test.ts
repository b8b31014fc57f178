import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { until } from "../support/telemetry.ts";
import { CommandFolder, type Ran, rowsOf } from "./command.ts";
import { framed } from "./compressed.ts";
import { agentRun, type OtlpSpan, request } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
  folder.write("e.yaml", "expectations: [{ status: approved, expected_steps: [search, open] }]");
});
afterEach(() => folder.remove());

const ARGS = ["--expectations", "e.yaml", "--scorers", "step_accuracy"];
const path = (name = "t.jsonl") => join(folder.path, name);
const line = (...spans: OtlpSpan[]) => `${JSON.stringify(request(spans))}\n`;
const append = (...spans: OtlpSpan[]) => appendFileSync(path(), line(...spans));

interface Run {
  readonly ended: Promise<Ran>;
  stop(): Promise<Ran>;
  /** The last row of each unit. */
  latest(): Readonly<Record<string, Record<string, unknown>>>;
}

function following(files: readonly string[], idle = "0.3", stdin?: readonly string[]): Run {
  let output = "";
  let stop = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const ended = folder.run(["score", ...files, "--follow", "--idle", idle, ...ARGS], {
    untilStopped: () => stopped,
    onOutput: (text) => {
      output = text;
    },
    ...(stdin === undefined ? {} : { stdin }),
  });
  return {
    ended,
    stop: () => {
      stop();
      return ended;
    },
    latest: () => Object.fromEntries(rowsOf(output).map((row) => [row["unit_id"], row])),
  };
}

/** Rows of `score` over the same spans, by unit. */
async function offline(...spans: OtlpSpan[]): Promise<Record<string, unknown>> {
  folder.write("whole.jsonl", line(...spans));
  const { stdout } = await folder.run(["score", "whole.jsonl", "--format", "jsonl", ...ARGS]);
  return Object.fromEntries(rowsOf(stdout).map((row) => [row["unit_id"], row]));
}

const unitOf = (spans: readonly OtlpSpan[]) =>
  `trajectory:${Buffer.from(spans[0]?.trace ?? "")
    .toString("hex")
    .padStart(32, "0")}`;

describe("score --follow", () => {
  const [t1, t2, t3, t4] = ["t1", "t2", "t3", "t4"].map((trace) => agentRun(trace, ["search", "open"])) as [
    OtlpSpan[],
    OtlpSpan[],
    OtlpSpan[],
    OtlpSpan[],
  ];

  test("scores traces while a file grows, through its rotation, and what is held when it is told to stop", async () => {
    append(...t1.slice(0, 2));
    const run = following(["t.jsonl"]);
    append(...t1.slice(2), ...t2.slice(1), t2[0] as OtlpSpan);
    await until(() => [t1, t2].every((spans) => run.latest()[unitOf(spans)]?.["score"] === 1));
    // One trace across the rotation, and a last write to the old file after it has been renamed.
    append(t3[0] as OtlpSpan);
    renameSync(path(), path("t.jsonl.1"));
    appendFileSync(path("t.jsonl.1"), line(t3[1] as OtlpSpan));
    writeFileSync(path(), `${"\n".repeat(10_000)}${line(...t3.slice(2))}`);
    await until(() => run.latest()[unitOf(t3)]?.["score"] === 1);
    // It is cut short, as logrotate's copytruncate does, and stays shorter than it was.
    truncateSync(path());
    append(...t4);
    const { code, stderr } = await run.stop();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^otel-trajectory: \d+ results; without expectation: 0\n$/);
    const rows = Object.values(run.latest()).map(({ revision: _, ...row }) => row);
    expect(Object.fromEntries(rows.map((row) => [row["unit_id"], row]))).toEqual(
      await offline(...t1, ...t2, ...t3, ...t4),
    );
  });

  test("says what of the file cannot be read, also when it ends in the middle", async () => {
    folder.write("t.jsonl", `${line(...t1)}no json\n${line(...t2)}${line(...t3).slice(0, 80)}`);
    const { stderr } = await following(["t.jsonl"], "30").stop();
    expect(stderr.split("\n").map((each) => each.slice(0, 37))).toEqual([
      "otel-trajectory: t.jsonl:2: not JSON:",
      "otel-trajectory: t.jsonl:4: not JSON:",
      "otel-trajectory: 2 results; without e",
      "",
    ]);
  });

  test("follows messages of protobuf, and several files at once", async () => {
    const messages = framed([t1, t2].map((spans) => protobufOf(request(spans))));
    writeFileSync(path("a"), messages.subarray(0, 100));
    folder.write("b", line(...t3));
    const run = following(["a", "b"]);
    appendFileSync(path("a"), messages.subarray(100));
    await until(() => Object.keys(run.latest()).length === 3);
    expect((await run.stop()).code).toBe(0);
  });

  test("a part that comes late changes the row, which says so", async () => {
    append(...t1.slice(0, 2));
    const run = following(["t.jsonl"], "0.05");
    await until(() => run.latest()[unitOf(t1)]?.["score"] === 0.5);
    append(...t1.slice(2));
    await until(() => run.latest()[unitOf(t1)]?.["score"] === 1);
    expect(run.latest()[unitOf(t1)]).toMatchObject({ revision: 1 });
    await run.stop();
  });

  test("misses no file where rotation is faster than it looks", async () => {
    append(...t1);
    const run = following(["t.jsonl"]);
    await until(() => unitOf(t1) in run.latest());
    renameSync(path(), path("t-2026-09-14T05-02-14.173-size.jsonl"));
    folder.write("t-2026-09-14T05-02-14.174-size.jsonl", line(...t2));
    folder.write("t-2026-09-14T05-02-14.175-size.jsonl", line(...t3));
    // What came before is of no concern, nor is what another name rotated.
    folder.write("t-2026-09-13T05-02-14.173-size.jsonl", line(...agentRun("t0", ["search"])));
    folder.write("u-2026-09-15T05-02-14.173-size.jsonl", line(...agentRun("u0", ["search"])));
    append(...t4);
    await until(() => unitOf(t4) in run.latest());
    await run.stop();
    expect(Object.keys(run.latest()).sort()).toEqual([t1, t2, t3, t4].map(unitOf).sort());
  });

  test("waits for a file between two steps of a rotation", async () => {
    append(...t1);
    const run = following(["t.jsonl"]);
    await until(() => unitOf(t1) in run.latest());
    rmSync(path());
    await new Promise((resolve) => setTimeout(resolve, 300));
    folder.write("t.jsonl", line(...t2));
    await until(() => unitOf(t2) in run.latest());
    expect((await run.stop()).code).toBe(0);
  });

  test("ends by itself where standard input does, and says why a unit is not whole", async () => {
    const { code, stdout } = await following(["-"], "30", [line(...t1), line(...t2.slice(1))]).ended;
    expect(code).toBe(0);
    const [whole, part] = rowsOf(stdout);
    expect([whole?.["score"], whole?.["incomplete_reasons"]]).toEqual([1, undefined]);
    expect(part?.["incomplete_reasons"]).toEqual(["parent_missing"]);
  });

  test.each<[string[], string]>([
    [["--fail-under", "1"], "--follow: has no end to be judged by, so that it goes without --fail-under"],
    [["--strict"], "without --strict"],
    [["--diff"], "without --diff"],
    [["--per-file"], "without --per-file"],
    [["--format", "html"], "--follow: prints rows, --format jsonl"],
    [["--idle", "0"], "Expected seconds"],
  ])("refuses %j", async (args, problem) => {
    append(...t1);
    const { code, stderr } = await folder.run(["score", "t.jsonl", "--follow", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  test("refuses what is not there, what is compressed, and --idle without it", async () => {
    writeFileSync(path("z"), gzipSync("x"));
    const refused = async (...args: string[]) => {
      const { code, stderr } = await folder.run(["score", ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused("none", "--follow")).toContain("none: cannot be read: ENOENT");
    expect(await refused(".", "--follow")).toContain(".: cannot be read: EISDIR");
    expect(await refused("z", "--follow")).toContain(
      "--follow: z is compressed; expected a file that is being written to",
    );
    expect(await refused("z", "--idle", "1")).toContain("--idle: only with --follow");
  });
});
