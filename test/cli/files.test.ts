import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { byAge, fits } from "../../src/cli/input-files.ts";
import { MAX_FRAME_BYTES } from "../../src/cli/read-frames.ts";
import { jaegerOf } from "../support/jaeger.ts";
import { protobufOf } from "../support/otlp-protobuf.ts";
import { CommandFolder } from "./command.ts";
import { framed, ZSTD } from "./compressed.ts";
import { feedAll } from "./feed.ts";
import { agentRun, request } from "./otlp.ts";

const REQUESTS = [request(agentRun("t1", ["search", "open"])), request(agentRun("t2", ["send"]))];
const TEXT = REQUESTS.map((each) => `${JSON.stringify(each)}\n`).join("");
const JSONS = REQUESTS.map((each) => Buffer.from(JSON.stringify(each)));
const PROTOS = REQUESTS.map(protobufOf);

let folder: CommandFolder;
let expected: string;
beforeEach(async () => {
  folder = new CommandFolder();
  folder.write("plain.jsonl", TEXT);
  expected = (await folder.run(["steps", "plain.jsonl"])).stdout;
});
afterEach(() => folder.remove());

const write = (name: string, bytes: Uint8Array) => writeFileSync(join(folder.path, name), bytes);
const steps = (...args: string[]) => folder.run(["steps", ...args]);

describe("every form in which the Collector writes files gives the same rows", () => {
  const forms: [string, Uint8Array][] = [
    ["gzip", gzipSync(TEXT)],
    [
      "gzip, one after the other",
      Buffer.concat(JSONS.map((json) => gzipSync(Buffer.concat([json, Buffer.from("\n")])))),
    ],
    ["zstd, one frame after the other", ZSTD.lines],
    ["messages of protobuf", framed(PROTOS)],
    ["messages of JSON", framed(JSONS)],
    ["messages of protobuf, each zstd", framed(PROTOS.map(ZSTD.raw))],
    ["messages of JSON, each zstd", framed([ZSTD.first, ZSTD.second])],
    ["messages of protobuf, each gzip", framed(PROTOS.map((each) => gzipSync(each)))],
    ["messages of protobuf, the file zstd", ZSTD.raw(framed(PROTOS))],
    ["messages of protobuf, the file gzip", gzipSync(framed(PROTOS))],
    ["messages, one of them empty", framed([Buffer.alloc(0), ...PROTOS])],
    ["Jaeger's download", Buffer.from(JSON.stringify(jaegerOf(REQUESTS)))],
    ["Jaeger's download over several lines, gzip", gzipSync(JSON.stringify(jaegerOf(REQUESTS), null, 2))],
  ];

  test("there are rows", () => expect(expected.trim().split("\n")).toHaveLength(2));

  test.each(forms)("%s", async (_, bytes) => {
    write("f", bytes);
    expect(await steps("f")).toEqual({ code: 0, stdout: expected, stderr: "" });
    // In any pieces, from a pipe.
    for (const size of [1, 7, 1_000]) {
      const stdin: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) stdin.push(bytes.subarray(at, at + size));
      expect(await folder.run(["steps", "-"], { stdin })).toEqual({ code: 0, stdout: expected, stderr: "" });
    }
  });
});

describe("what the file exporter itself wrote gives the same rows", () => {
  const written = fileURLToPath(new URL("../fixtures/files/", import.meta.url));
  const files = readdirSync(written).filter((file) => file !== "README.md");

  test("there are files", () => expect(files).toHaveLength(6));

  test.each(files)("%s", async (file) => {
    expect(await steps(join(written, file))).toEqual({ code: 0, stdout: expected, stderr: "" });
  });
});

test("a link in a folder is what it leads to", async () => {
  mkdirSync(join(folder.path, "in"));
  folder.write("in/real.jsonl", TEXT);
  symlinkSync(folder.path, join(folder.path, "in/folder.jsonl"));
  expect(await steps("in")).toEqual({ code: 0, stdout: expected, stderr: "" });
  symlinkSync(join(folder.path, "gone"), join(folder.path, "in/nowhere.jsonl"));
  const { code, stderr } = await steps("in");
  expect([code, stderr]).toEqual([2, expect.stringContaining("in/nowhere.jsonl: cannot be read: ENOENT")]);
});

describe("what is broken is told with its place, and the rest is read", () => {
  const [first = Buffer.alloc(0)] = PROTOS;
  const second = 4 + first.length;
  const cases: [string, Uint8Array, string][] = [
    [
      "a message that is no protobuf",
      framed([first, Buffer.from([0x0a, 0x7f, 1])]),
      `f: byte ${second}: not protobuf: `,
    ],
    [
      "a message that ends too early",
      framed([first, first]).subarray(0, second + 50),
      `f: byte ${second}: the message ends too early: expected ${first.length} bytes`,
    ],
    [
      "a length that ends too early",
      framed([first, first]).subarray(0, second + 2),
      `f: byte ${second}: the message ends too early: expected its length`,
    ],
    [
      "a length that is none",
      Buffer.concat([framed([first]), Buffer.from([0xff, 0, 0, 0, 1])]),
      `f: byte ${second}: a message of 4278190080 bytes, expected at most ${MAX_FRAME_BYTES}`,
    ],
    ["a message of broken JSON", framed([first, Buffer.from("{]")]), `f: byte ${second}: not JSON: `],
    ["a message of broken zstd", framed([first, ZSTD.first.subarray(0, 60)]), `f: byte ${second}: zstd: `],
    ["a message of broken gzip", framed([first, gzipSync("x").subarray(0, 12)]), `f: byte ${second}: gzip: `],
    [
      "spans that cannot be used",
      framed([first, protobufOf({ resourceSpans: [{ scopeSpans: [{ spans: [{ traceId: "00" }] }] }] })]),
      `f: byte ${second}: resourceSpans[0].scopeSpans[0].spans[0].traceId must be 16 bytes`,
    ],
  ];

  test.each(cases)("%s", async (_, bytes, problem) => {
    write("f", bytes);
    const { code, stdout, stderr } = await steps("f");
    expect([code, stdout]).toEqual([0, `${expected.split("\n")[0]}\n`]);
    expect(stderr).toContain(`otel-trajectory: ${problem}`);
    expect(stderr.split("\n")).toHaveLength(2);
  });

  test.each([
    ["gzip of a few lines", () => gzipSync(TEXT), /^otel-trajectory: f:2: gzip: unexpected end of file/],
    [
      "gzip",
      () => gzipSync(Buffer.concat(Array.from({ length: 400 }, () => Buffer.from(TEXT)))),
      /^otel-trajectory: f:\d+: gzip: unexpected end of file/,
    ],
    ["zstd", () => ZSTD.lines, /^otel-trajectory: f:2: zstd: unexpected EOF/],
  ])("%s that ends too early", async (_, bytes, problem) => {
    write("f", bytes().subarray(0, bytes().length - 20));
    const { code, stdout, stderr } = await steps("f");
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toBe(expected.split("\n")[0]);
    expect(stderr).toMatch(problem);
    folder.write("e.yaml", "expectations: [{ status: approved, expected_steps: [search, open] }]");
    expect((await folder.run(["score", "f", "--strict", "--expectations", "e.yaml"])).code).toBe(1);
  });

  test("a short gzip file that is cut gives the lines that are whole, and one complaint", async () => {
    const lines = TEXT.trimEnd().split("\n");
    const whole = gzipSync(lines.join("\n"), { level: 0 });
    // Ten bytes of header, five of the block's; the text as it is; eight behind it.
    const text = whole.length - 8 - Buffer.byteLength(lines.join("\n"));
    const ends = lines.map((_line, index) => text + Buffer.byteLength(lines.slice(0, index + 1).join("\n")));
    // Around the end of each line, and within what is behind the text.
    for (const cut of ends.flatMap((end) => [-40, -1, 0, 1, 2, 7].map((beside) => end + beside))) {
      const held = whole.subarray(text, Math.min(cut, whole.length - 8)).toString();
      const complete = held
        .split("\n")
        .filter((line) => lines.includes(line))
        .join("\n");
      const wanted = await feedAll(Buffer.from(complete), [10_000]);
      const { views, problems } = await feedAll(whole.subarray(0, cut), [10_000]);
      expect([cut, views.length, problems]).toEqual([cut, wanted.views.length, ["gzip: unexpected end of file"]]);
    }
  });

  test.each([
    ["behind it", gzipSync(TEXT), Buffer.from("GARBAGE!!"), Buffer.alloc(0)],
    ["between two", gzipSync(TEXT), Buffer.from("xx"), gzipSync(TEXT)],
  ])("what a short gzip file holds before rubbish is read: %s", async (_, first, rubbish, second) => {
    const wanted = await feedAll(Buffer.from(TEXT), [10_000]);
    const { views, problems } = await feedAll(Buffer.concat([first, rubbish, second]), [10_000]);
    // What is written at once with the rubbish is lost: a line at most.
    expect(views.length).toBeGreaterThanOrEqual(wanted.views.length - 3);
    expect(views.length).toBeGreaterThan(0);
    expect(problems).toEqual([expect.stringMatching(/^gzip: incorrect header check/)]);
  });

  test.each([[[10_000]], [[100]], [[1]]])("gzip that breaks, in pieces of %o bytes", async (sizes) => {
    // What is random does not shrink: it breaks far behind the text.
    const first = gzipSync(Buffer.concat([Buffer.from(TEXT), randomBytes(6_000)]));
    const second = gzipSync(TEXT).fill(0xff, 30, 60);
    const { views, problems } = await feedAll(Buffer.concat([first, second]), sizes);
    expect(views).toHaveLength((await feedAll(Buffer.from(TEXT), [10_000])).views.length);
    expect(problems.at(-1)).toMatch(/^gzip: (invalid|incorrect)/);
  });

  test.each([[[10_000]], [[100]], [[1]]])(
    "a zstd file with rubbish behind its first frame, in pieces of %o bytes",
    async (sizes) => {
      const { views, problems } = await feedAll(
        Buffer.concat([ZSTD.first, Buffer.from([0, 0, 1, 44]), ZSTD.second]),
        sizes,
      );
      expect(views.map(({ trace_id }) => trace_id)).toEqual(Array(views.length).fill(views[0]?.trace_id));
      expect(views.length).toBeGreaterThan(0);
      expect(problems).toEqual([expect.stringMatching(/^zstd: invalid/)]);
    },
  );

  test("a file of nothing else is unusable", async () => {
    write("f", framed([Buffer.from([0x0a, 0x7f, 1])]));
    expect(await steps("f")).toMatchObject({ code: 2, stderr: expect.stringContaining("f: byte 0: not protobuf: ") });
  });
});

describe("rotated files", () => {
  const NAMES = [
    "a.jsonl.2.gz",
    "a.jsonl.1",
    "a.jsonl",
    "b-2026-09-14T05-02-14.173.jsonl",
    "b-2026-09-14T05-02-15.001.jsonl.zst",
    "b-2026-10-01T00-00-00.000-size.jsonl",
    "b.jsonl",
  ];

  test("are in the order in which they were written", () => {
    expect([...NAMES].reverse().sort(byAge)).toEqual(NAMES);
    expect(["a.10", "a.9", "a"].sort(byAge)).toEqual(["a.10", "a.9", "a"]);
  });

  test("of a folder are one input, and one trace in two of them is one trace", async () => {
    mkdirSync(join(folder.path, "logs"));
    mkdirSync(join(folder.path, "logs", "deeper"));
    const run = agentRun("t1", ["search", "open"]);
    write("logs/t-2026-09-14T05-02-14.173.json.gz", gzipSync(JSON.stringify(request(run.slice(0, 2)))));
    write("logs/t.json", Buffer.from(JSON.stringify(request(run.slice(2)))));
    write("logs/.hidden", Buffer.from("no"));
    const one = { code: 0, stdout: `${expected.split("\n")[0]}\n`, stderr: "" };
    expect(await steps("logs")).toEqual(one);
    expect(await steps("logs/t*.json*")).toEqual(one);
    expect((await steps("logs", "--per-file")).stdout.split("\n")).toHaveLength(3);
    write("logs/zz.txt", Buffer.from("no"));
    expect((await steps("logs")).stderr).toContain("logs/zz.txt:1: not JSON");
    expect(await steps("logs/t?2026*")).toMatchObject({ code: 0 });
  });

  test("that are not there are told", async () => {
    expect(await steps("no*.jsonl")).toMatchObject({
      code: 2,
      stderr: "otel-trajectory: no*.jsonl: there are no files; expected files of OTLP\n",
    });
    expect(await steps("none/no*.jsonl")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("there are no files"),
    });
  });

  test.each([
    ["a.jsonl", "*", true],
    ["a.jsonl", "a.*", true],
    ["a.jsonl", "?.jsonl", true],
    ["ab.jsonl", "?.jsonl", false],
    ["a.jsonl", "*.json", false],
    ["aXbXc", "a*X*c", true],
    ["a", "a**", true],
    ["", "?", false],
    ["a+b", "a+b", true],
  ])("%s fits %s: %s", (name, pattern, yes) => {
    expect(fits(name, pattern)).toBe(yes);
  });

  test("a pattern that goes back and forth is no matter", () => {
    expect(fits("a".repeat(250), `${"a*".repeat(120)}b`)).toBe(false);
  });
});
