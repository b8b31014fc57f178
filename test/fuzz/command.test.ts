import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandFolder, type Ran } from "../cli/command.ts";
import { agentRun, request } from "../cli/otlp.ts";
import { FUZZ_TIMEOUT, fuzz } from "./fuzz.ts";

const LINES = [request(agentRun("t1", ["search", "open"])), request(agentRun("t2", ["send"], {}, 5_000))];
const TEXT = LINES.map((line) => `${JSON.stringify(line)}\n`).join("");
const EXPECTATIONS =
  "expectations:\n  - match: { agent: assistant }\n    status: approved\n    expected_steps: [search, open]\n";
const CSV = 'unit_id,judge,human\na,yes,no\n"b,1",yes,"y""es"\n';

let folder: CommandFolder;
beforeAll(() => {
  folder = new CommandFolder();
  folder.write("t.jsonl", TEXT);
  folder.write("e.yaml", EXPECTATIONS);
  folder.write("agree.csv", CSV);
});
afterAll(() => folder.remove());

const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  cut: fc.nat(30),
  put: fc.oneof(
    fc.constantFrom(
      "",
      "\n",
      "\r\n",
      "{",
      "}",
      "[",
      "]",
      '"',
      ",",
      ":",
      "\\",
      "\u0000",
      "\u001b[2J",
      "null",
      "1e999",
      "\ufeff",
      "é",
      "\n{\n",
      "[".repeat(9_000),
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  ),
});
const edits = fc.array(edit, { maxLength: 5 });

function edited(text: string, made: readonly { at: number; cut: number; put: string }[]): string {
  return made.reduce((now, { at, cut, put }) => {
    const place = Math.floor(at * now.length);
    return now.slice(0, place) + put + now.slice(place + cut);
  }, text);
}

/** Cuts bytes into chunks, through characters too. */
function chunksOf(text: string, cuts: readonly number[]): Uint8Array[] {
  const bytes = Buffer.from(text);
  const places = [...new Set([0, ...cuts.map((cut) => Math.floor(cut * bytes.length)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

/** Codes as documented; what is wrong is one line of words each, and no control character reaches a terminal. */
function wellBehaved({ code, stdout, stderr }: Ran): void {
  expect([0, 1, 2]).toContain(code);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come out.
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  for (const line of stderr.split("\n").slice(0, -1)) expect(line).toMatch(/^otel-trajectory: ./);
  if (code === 2) expect(stderr).not.toBe("");
}

describe("the command", () => {
  test("reads any input, in any chunks, as it reads it whole", { timeout: FUZZ_TIMEOUT }, async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
    await fuzz(fc.tuple(edits, cuts), 60, async ([made, places]) => {
      const text = edited(TEXT, made);
      const args = ["score", "-", "--expectations", "e.yaml", "--format", "jsonl"];
      const whole = await folder.run(args, { stdin: [Buffer.from(text)] });
      wellBehaved(whole);
      for (const row of whole.stdout.split("\n").slice(0, -1)) expect(JSON.parse(row)).toHaveProperty("unit_id");
      expect(await folder.run(args, { stdin: chunksOf(text, places) })).toEqual(whole);
    });
  });

  test("takes any arguments", { timeout: FUZZ_TIMEOUT }, async () => {
    const words = [
      "score",
      "steps",
      "record",
      "agree",
      "manifest",
      "t.jsonl",
      "agree.csv",
      "e.yaml",
      "nowhere",
      ".",
      "-",
      "--",
      "--explain",
      "--format",
      "jsonl",
      "html",
      "junit",
      "markdown",
      "--expectations",
      "--config",
      "--scorers",
      "step_accuracy,tool_f1",
      ",",
      "--unit",
      "session",
      "call",
      "--fail-under",
      "0.5",
      "NaN",
      "--strict",
      "--follow",
      "--idle",
      "--diff",
      "--per-file",
      "--quiet",
      "--root",
      "trace",
      "--case-attribute",
      "x",
      "--help",
      "--version",
      "agent.step_accuracy",
      "__proto__",
      "",
    ];
    const word = fc.oneof(
      { arbitrary: fc.constantFrom(...words), weight: 9 },
      { arbitrary: fc.string({ unit: "binary", maxLength: 6 }), weight: 1 },
    );
    await fuzz(fc.array(word, { maxLength: 8 }), 150, async (args) => {
      wellBehaved(await folder.run(args, { stdin: [TEXT] }));
    });
  });

  test("takes any configuration, expectations and labels", { timeout: FUZZ_TIMEOUT }, async () => {
    const config =
      "scorers:\n  step_accuracy: { threshold: 0.5, scoring_method: edit_distance }\n  tool_f1: {}\ntrajectory: { root: trace }\n";
    await fuzz(fc.tuple(fc.constantFrom("config", "expectations", "agree"), edits), 60, async ([what, made]) => {
      if (what === "agree") return wellBehaved(await folder.run(["agree", "-"], { stdin: [edited(CSV, made)] }));
      folder.write("fuzzed.yaml", edited(what === "config" ? config : EXPECTATIONS, made));
      return wellBehaved(await folder.run(["score", "t.jsonl", `--${what}`, "fuzzed.yaml"]));
    });
  });
});

test("found by fuzzing: dashes alone are no command, told in one line", async () => {
  const ran = await folder.run(["--"]);
  wellBehaved(ran);
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("expected a command") });
});
