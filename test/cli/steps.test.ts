import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CommandFolder, rowsOf } from "./command.ts";
import { agentRun, hex, request, toolSpan } from "./otlp.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
});
afterEach(() => folder.remove());

const names = (row: Record<string, unknown> | undefined): string[] =>
  ((row?.steps ?? []) as { name: string }[]).map(({ name }) => name);

describe("rows", () => {
  test("are as documented", async () => {
    folder.lines("t.jsonl", [request(agentRun("t1", ["search", "mcp__lab__open"], { "session.id": "s" }))]);
    const { code, stdout, stderr } = await folder.run(["steps", "t.jsonl"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(rowsOf(stdout)).toEqual([
      {
        unit_id: `trajectory:${hex("t1", 32)}`,
        trace_ids: [hex("t1", 32)],
        session_id: "s",
        kinds: ["TOOL", "AGENT"],
        steps: [
          { kind: "TOOL", name: "search", source: "span" },
          { kind: "TOOL", name: "open", raw_name: "mcp__lab__open", source: "span" },
        ],
        tools: ["search", "open"],
      },
    ]);
  });

  test("of sessions merge their traces; a trace without a session is its own", async () => {
    folder.lines("t.jsonl", [
      request(agentRun("t2", ["b"], { "session.id": "s" }, 9_000)),
      request(agentRun("t1", ["a"], { "session.id": "s" }, 1_000)),
      request(agentRun("t3", ["c"])),
    ]);
    const { stdout } = await folder.run(["steps", "t.jsonl", "--unit", "session"]);
    const rows = rowsOf(stdout);
    expect(rows.map((row) => [row.unit_id, row.session_id, names(row)])).toEqual([
      ["session:s", "s", ["a", "b"]],
      [`session:${hex("t3", 32)}`, undefined, ["c"]],
    ]);
    expect(rows[0]?.trace_ids).toEqual([hex("t1", 32), hex("t2", 32)]);
  });

  test("--root trace and the other trajectory options are obeyed", async () => {
    const server = { trace: "t1", id: "web", name: "POST /chat", at: 900 };
    const spans = agentRun("t1", ["a"]).map((span) => (span.parent === undefined ? { ...span, parent: "web" } : span));
    folder.lines("t.jsonl", [request([server, ...spans])]);
    const entry = await folder.run(["steps", "t.jsonl"]);
    const trace = await folder.run(["steps", "t.jsonl", "--root", "trace"]);
    expect([names(rowsOf(entry.stdout)[0]), names(rowsOf(trace.stdout)[0])]).toEqual([["a"], ["assistant", "a"]]);
  });

  test("own evaluation spans are no part of a run", async () => {
    folder.lines("t.jsonl", [request(agentRun("t1", ["a"])), request([toolSpan("t1", "ours", 5)], "otel-trajectory")]);
    const { stdout } = await folder.run(["steps", "t.jsonl"]);
    expect(names(rowsOf(stdout)[0])).toEqual(["a"]);
  });
});

describe("formats", () => {
  beforeEach(() => folder.lines("t.jsonl", [request(agentRun("t1", ["a", "b"])), request(agentRun("t2", []))]));

  test("json is one array", async () => {
    const { stdout } = await folder.run(["steps", "t.jsonl", "--format", "json"]);
    expect(JSON.parse(stdout)).toHaveLength(2);
  });

  test("a table by default on a terminal, aligned, without trailing blanks", async () => {
    const { stdout } = await folder.run(["steps", "t.jsonl"], { tty: true });
    const id = (trace: string): string => `trajectory:${hex(trace, 32)}`;
    expect(stdout.split("\n")).toEqual([
      `unit${" ".repeat(39)}  session  steps`,
      `${id("t1")}           a -> b`,
      `${id("t2")}           (none)`,
      "",
      "2 units",
      "",
    ]);
  });

  test("control characters do not reach the terminal", async () => {
    folder.lines("t.jsonl", [request(agentRun("t1", ["a\u001b[2J\nb"]))]);
    const { stdout } = await folder.run(["steps", "t.jsonl", "--format", "table"]);
    expect(stdout).toContain("a\\x1b[2J\\x0ab");
  });
});

describe("input", () => {
  const one = request(agentRun("t1", ["a"]));
  const two = request(agentRun("t2", ["b"]));
  const pretty = (value: object): string => JSON.stringify(value, null, 2);
  const cases: [string, string, string[], string[]][] = [
    ["one request", JSON.stringify(one), ["a"], []],
    ["one a line, blank lines between", `${JSON.stringify(one)}\n\n  \n${JSON.stringify(two)}`, ["a", "b"], []],
    ["carriage returns", `${JSON.stringify(one)}\r\n${JSON.stringify(two)}\r\n`, ["a", "b"], []],
    ["a byte order mark", `\uFEFF${JSON.stringify(one)}\n`, ["a"], []],
    ["a pretty-printed request", pretty(one), ["a"], []],
    ["two pretty-printed requests", `${pretty(one)}\n${pretty(two)}\n`, ["a", "b"], []],
    ["an array of requests", JSON.stringify([one, two]), ["a", "b"], []],
    [
      "a broken line between",
      `${JSON.stringify(one)}\n{"resourceSpans":[{"x\n${JSON.stringify(two)}\n`,
      ["a", "b"],
      ["t.jsonl:2: not JSON"],
    ],
    [
      "a line cut between tokens",
      `${JSON.stringify(one)}\n{"resourceSpans":[\n${JSON.stringify(two)}\n`,
      ["a", "b"],
      ["t.jsonl:2: not JSON: it ends too early"],
    ],
    [
      "a last line that is cut",
      `${JSON.stringify(one)}\n{"resourceSpans":[`,
      ["a"],
      ["t.jsonl:2: not JSON: it ends too early"],
    ],
    [
      "a broken pretty-printed request",
      `${pretty(one).replace('"spanId"', "spanId")}\n${JSON.stringify(two)}`,
      ["b"],
      ["t.jsonl:1: not JSON"],
    ],
    ["text around", `hello\n${JSON.stringify(one)}\n42\n`, ["a"], ["t.jsonl:1: not JSON", "t.jsonl:3: "]],
    [
      "logs among traces",
      `{"resourceLogs":[]}\n${JSON.stringify(one)}`,
      ["a"],
      ["t.jsonl:1: expected an ExportTraceServiceRequest"],
    ],
  ];
  test.each(cases)("%s", async (_name, text, tools, complaints) => {
    folder.write("t.jsonl", text);
    const { code, stdout, stderr } = await folder.run(["steps", "t.jsonl"]);
    expect([code, rowsOf(stdout).flatMap(names)]).toEqual([0, tools]);
    const lines = stderr.split("\n").filter((line) => line !== "");
    expect(lines).toEqual(complaints.map((text) => expect.stringContaining(`otel-trajectory: ${text}`)));
  });

  test("a broken span names its place, the rest is read", async () => {
    const broken = JSON.parse(JSON.stringify(request(agentRun("t1", ["a", "b"])).valueOf()));
    broken.resourceSpans[0].scopeSpans[0].spans[2].spanId = "zz";
    folder.lines("t.jsonl", [broken]);
    const { stdout, stderr } = await folder.run(["steps", "t.jsonl"]);
    expect(rowsOf(stdout).flatMap(names)).toEqual(["a"]);
    expect(stderr).toContain("t.jsonl:1: resourceSpans[0].scopeSpans[0].spans[2].spanId must be 16 hex digits");
  });

  test("- is standard input, in chunks that split characters", async () => {
    const bytes = Buffer.from(`${JSON.stringify(request(agentRun("t1", ["größe"])))}\n`);
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte));
    const { code, stdout } = await folder.run(["steps", "-"], { stdin: chunks });
    expect([code, rowsOf(stdout).flatMap(names)]).toEqual([0, ["größe"]]);
  });

  test("one trace in two files is one trace, unless --per-file", async () => {
    const [root, a, b] = agentRun("t1", ["a", "b"]);
    folder.lines("1.jsonl", [request([root, a].filter((span) => span !== undefined))]);
    folder.lines("2.jsonl", [request([b].filter((span) => span !== undefined))]);
    const joined = await folder.run(["steps", "1.jsonl", "2.jsonl"]);
    const apart = await folder.run(["steps", "1.jsonl", "2.jsonl", "--per-file"]);
    expect(rowsOf(joined.stdout).map(names)).toEqual([["a", "b"]]);
    expect(rowsOf(apart.stdout).map(names)).toEqual([["a"], ["b"]]);
  });

  test("--quiet skips in silence", async () => {
    folder.write("t.jsonl", `nonsense\n${JSON.stringify(one)}\n`);
    expect(await folder.run(["steps", "t.jsonl", "--quiet"])).toMatchObject({ code: 0, stderr: "" });
  });
});
