import { describe, expect, test } from "vitest";

// What `npm run verify:frameworks` says of outcomes; nothing is installed here.
const file = new URL("compat/frameworks/report.mjs", import.meta.url).href;
const { countsOf, findingsOf, markdownOf, tableOf } = (await import(file)) as {
  countsOf(outcomes: readonly object[]): object;
  findingsOf(outcomes: readonly object[]): string[];
  markdownOf(outcomes: readonly object[]): string[];
  tableOf(outcomes: readonly object[]): string[];
};

const framework = { id: "shop", title: "Shop", package: "shop", version: "1.2.3", notRecorded: "" };
const right = (id: string) => ({ id, problems: [], ...(id === "S1" ? { scoreOnSpan: true } : {}) });
const wrong = (id: string, kind: string) => ({ id, problems: [{ kind, what: "steps", actual: ["a"], wanted: ["b"] }] });
const IDS = ["S1", "S3", "S4", "S5", "S6"];
const good = IDS.map(right);
const rows = (before: object[], after: object[] = good) => [
  { order: "before", scenarios: before },
  { order: "after", scenarios: after },
];

describe("the report on frameworks", () => {
  test.each([
    ["all right", { framework, rows: rows(good) }, { passed: 10, failed: 0, skipped: 0 }],
    [
      "one scenario wrong",
      { framework, rows: rows([...good.slice(1), wrong("S1", "steps")]) },
      { passed: 9, failed: 1, skipped: 0 },
    ],
    [
      "an agent that threw",
      { framework, rows: rows([...good.slice(1), { id: "S1", error: "boom" }]) },
      { passed: 9, failed: 1, skipped: 0 },
    ],
    [
      "a run without a report",
      { framework, rows: [{ order: "before", scenarios: [], error: "ended with 1" }, ...rows(good).slice(1)] },
      { passed: 5, failed: 1, skipped: 0 },
    ],
    [
      "not installed, and so not passed",
      { framework, rows: [], skipped: "npm ci failed" },
      { passed: 0, failed: 0, skipped: 1 },
    ],
    [
      "ours cannot be installed beside it",
      { framework, rows: [], failed: "conflict" },
      { passed: 0, failed: 1, skipped: 0 },
    ],
  ])("counts: %s", (_, outcome, counts) => {
    expect(countsOf([outcome])).toEqual(counts);
  });

  test.each([
    ["S1", "steps", ["WRONG", "yes", "yes", "not tried", "yes"]],
    ["S4", "steps", ["yes", "WRONG", "yes", "not tried", "yes"]],
    ["S3", "arguments", ["yes", "yes", "WRONG", "not tried", "yes"]],
    ["S5", "session", ["yes", "yes", "yes", "not tried", "WRONG"]],
  ])("%s with wrong %s shows in its column alone, and in one order alone", (id, kind, cells) => {
    const scenarios = IDS.map((one) => (one === id ? wrong(one, kind) : right(one)));
    const [, first = "", second = ""] = tableOf([{ framework, rows: rows(scenarios) }]);
    const columns = (line: string): string[] => line.split(/ {2,}/).slice(3, 8);
    expect(columns(first)).toEqual(cells);
    expect(columns(second)).toEqual(["yes", "yes", "yes", "not tried", "yes"]);
  });

  test("a finding says where, what came and what should have", () => {
    expect(findingsOf([{ framework, rows: rows([wrong("S1", "steps")], [{ id: "S3", error: "boom" }]) }])).toEqual([
      'shop, ours before the vendor\'s, S1: steps\n  got  ["a"]\n  want ["b"]',
      "shop, ours after the vendor's, S3: boom",
    ]);
  });

  test("a skipped framework is named in the terminal's table and makes no claim in the documentation's", () => {
    const outcomes = [{ framework, rows: [], skipped: "needs Node 22.15; this is v20.19.0" }];
    expect(tableOf(outcomes)[1]).toContain("skipped: needs Node 22.15; this is v20.19.0");
    expect(markdownOf(outcomes)).toHaveLength(2);
  });
});
