import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCsv } from "../../src/cli/csv.ts";
import { CommandFolder } from "./command.ts";

let folder: CommandFolder;
beforeEach(() => {
  folder = new CommandFolder();
});
afterEach(() => folder.remove());

/** Eight runs: both pass 4, the judge alone passes 2, both fail 2. po = 6/8, pe = (6*4 + 2*4)/64 = 0.5, kappa = 0.5. */
const ROWS: [judge: string, human: string][] = [
  ["PASS", "PASS"],
  ["PASS", "FAIL"],
  ["PASS", "FAIL"],
  ["PASS", "PASS"],
  ["FAIL", "FAIL"],
  ["PASS", "PASS"],
  ["PASS", "PASS"],
  ["FAIL", "FAIL"],
];
const rows = ROWS.map(([judge, human], index) => ({ unit_id: `R${index + 1}`, judge, human }));
const RESULT = {
  n: 8,
  labels: ["PASS", "FAIL"],
  table: [
    [4, 2],
    [0, 2],
  ],
  po: 0.75,
  pe: 0.5,
  kappa: 0.5,
};

const FORMS: [string, string][] = [
  ["a JSON array", JSON.stringify(rows, null, 2)],
  ["JSON one a line", rows.map((row) => JSON.stringify(row)).join("\n")],
  ["CSV", `unit_id,judge,human\n${rows.map((row) => `${row.unit_id},${row.judge},${row.human}`).join("\n")}\n`],
  [
    "CSV with quotes, a byte order mark, other columns, another order and Windows line ends",
    `\uFEFFhuman,note,"unit_id",judge\r\n${rows.map((row) => `"${row.human}","a, ""b""\r\nc",${row.unit_id}, ${row.judge} `).join("\r\n")}\r\n\r\n`,
  ],
];

describe("agree", () => {
  test.each(FORMS)("reads %s", async (_name, text) => {
    folder.write("labels", text);
    const { code, stdout, stderr } = await folder.run(["agree", "labels", "--format", "json"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(RESULT);
  });

  test("prints the table", async () => {
    const { stdout } = await folder.run(["agree", "-"], { stdin: [FORMS[2]?.[1] ?? ""] });
    expect(stdout).toBe(
      [
        "judge \\ human  PASS  FAIL",
        "PASS              4     2",
        "FAIL              0     2",
        "",
        "rows   8",
        "po     0.7500  observed agreement",
        "pe     0.5000  agreement by chance",
        "kappa  0.5000  (po - pe) / (1 - pe)",
        "",
      ].join("\n"),
    );
  });

  test("three labels, numbers and truth values among them", async () => {
    // All three rows lie on the diagonal: po = 1, pe = 3 * (1 * 1) / 9 = 1/3, kappa = (2/3) / (2/3) = 1.
    folder.lines("l.jsonl", [
      { unit_id: 1, judge: true, human: true },
      { unit_id: 2, judge: 3, human: 3 },
      { unit_id: 3, judge: "low", human: "low" },
    ]);
    const { stdout } = await folder.run(["agree", "l.jsonl", "--format", "json"]);
    expect(JSON.parse(stdout)).toMatchObject({ labels: ["3", "low", "true"], po: 1, pe: 1 / 3, kappa: 1 });
  });

  test("no kappa where chance alone agrees", async () => {
    folder.write("l.csv", "unit_id,judge,human\n1,pass,pass\n");
    const { stdout } = await folder.run(["agree", "l.csv"]);
    expect(stdout).toContain("kappa  -       none: chance alone would agree as much\n");
  });

  test("a row that cannot be used is told and skipped", async () => {
    folder.write(
      "l.jsonl",
      `${rows.map((row) => JSON.stringify(row)).join("\n")}\n{"unit_id":"x","judge":"PASS"}\nnope\n`,
    );
    const { code, stdout, stderr } = await folder.run(["agree", "l.jsonl", "--format", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(RESULT);
    expect(stderr).toBe(
      'otel-trajectory: l.jsonl:9: expected { unit_id, judge, human }, got {"unit_id":"x","judge":"PASS"}; skipped\n' +
        "otel-trajectory: l.jsonl:10: not JSON; skipped\n",
    );
    expect((await folder.run(["agree", "l.jsonl", "--quiet"])).stderr).toBe("");
  });

  test("labels that would move the cursor do not", async () => {
    folder.write("l.csv", 'unit_id,judge,human\n1,"\u001b[31m",b\n');
    expect((await folder.run(["agree", "l.csv"])).stdout).not.toContain("\u001b");
  });

  test.each([
    ["an empty file", "", "l: is empty; expected rows of unit_id, judge, human (CSV or JSON)"],
    ["a file without rows", "unit_id,judge,human\n", "l: is empty; expected rows"],
    ["an empty list", "[]", "l: is empty; expected rows"],
    ["a column too few", "unit_id,judge\n1,a\n", "l:1: no column human"],
    ["a file of something else", "hello\nworld\n", "l:1: no column unit_id, judge, human"],
    ["broken JSON", "[1,", "l:1: not JSON"],
    ["rows that are none", "[1, null, []]", "l:[0]: expected { unit_id, judge, human }, got 1"],
    ["rows that only inherit", '[{"__proto__":{"unit_id":"a","judge":"b","human":"c"}}]', "l:[0]: expected"],
    [
      "a column of ids for labels",
      JSON.stringify(Array.from({ length: 101 }, (_, index) => ({ unit_id: index, judge: index, human: 0 }))),
      "l: expected labels in judge and human, at most 100, got 101 different",
    ],
  ])("%s is unusable, in one line", async (_name, text, message) => {
    folder.write("l", text);
    const { code, stdout, stderr } = await folder.run(["agree", "l"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^otel-trajectory: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  test("a file that is not there is named", async () => {
    expect((await folder.run(["agree", "none.csv"])).stderr).toContain("none.csv: cannot be read: ENOENT");
  });
});

describe("parseCsv", () => {
  test.each<[string, string, string[][]]>([
    ["nothing", "", []],
    [
      "a last line without end",
      "a,b\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["empty fields", ",\n", [["", ""]]],
    ["quotes in the middle are text", 'a"b,c\n', [['a"b', "c"]]],
    ["a quote that never ends", '"a,b\nc', [["a,b\nc"]]],
    ["text behind a closing quote", '"a"b,c', [["ab", "c"]]],
  ])("%s", (_name, text, records) => {
    expect(parseCsv(text).map(({ fields }) => fields)).toEqual(records);
  });

  test("records know their lines", () => {
    expect(parseCsv('a\n\n"b\nb"\nc\n').map(({ line }) => line)).toEqual([1, 3, 5]);
  });
});
