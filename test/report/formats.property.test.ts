import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ScoreResult } from "../../src/model/result.ts";
import { renderDiff } from "../../src/report/diff-text.ts";
import { renderHtml } from "../../src/report/html.ts";
import { renderJunit } from "../../src/report/junit.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import type { Outcome } from "../../src/report/report.ts";
import { entryOf, reportOf } from "./entries.ts";
import { htmlProblems, markdownPage, textsOf, xmlElements } from "./readers.ts";

const SEED = { seed: 42, numRuns: 100 };

/** Text of every kind of character, and of those that formats live on. */
const name = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({
    unit: fc.constantFrom(
      "|",
      "`",
      "\\",
      "<",
      ">",
      "&",
      "]",
      "!",
      "-",
      "\n",
      "\r",
      "*",
      "_",
      "\ud800",
      " ",
      "a",
      '"',
      "'",
    ),
    maxLength: 20,
  }),
  fc.string({ unit: "grapheme", maxLength: 250 }),
);
/** Characters that every format shows as they are. */
const plain = fc.string({
  unit: fc.constantFrom(..."abcXYZ019_-.:|`\\<>&]*~\"'#@!$[(){}"),
  minLength: 1,
  maxLength: 30,
});

const report = (names: fc.Arbitrary<string>) =>
  fc
    .array(
      fc.record({
        unit: names,
        why: names,
        agent: names,
        outcome: fc.constantFrom<Outcome>("failed", "error", "informational", "passed", "not_evaluated"),
        steps: fc.array(fc.record({ op: fc.constantFrom("match", "delete"), expected: names, actual: names }), {
          maxLength: 4,
        }),
      }),
      { minLength: 1, maxLength: 5 },
    )
    .map((rows) =>
      reportOf(
        rows.map(({ unit, why, agent, outcome, steps }) => {
          const result: ScoreResult = { status: "scored", score: 0, label: "informational", metadata: { steps } };
          return entryOf({ unit_id: unit, why, agent, outcome, result });
        }),
        { notes: rows.map(({ why }) => why), run_failures: [], gated: true },
      ),
    );

describe("whatever the names are", () => {
  test("JUnit is well-formed and has a case per entry", () =>
    fc.assert(
      fc.property(report(name), (run) => {
        const cases = xmlElements(renderJunit(run)).filter((element) => element.name === "testcase");
        expect(cases).toHaveLength(run.entries.length + 1);
      }),
      SEED,
    ));

  test("HTML has no parse error, one script, and a row per entry", () =>
    fc.assert(
      fc.property(report(name), (run) => {
        const page = renderHtml(run);
        expect(htmlProblems(page)).toEqual([]);
        expect(textsOf(page, "script")).toHaveLength(1);
        expect(textsOf(page, "details")).toHaveLength(run.entries.filter((entry) => stepsOf(entry).length > 0).length);
      }),
      SEED,
    ));

  test("Markdown keeps its tables, and nothing but them", () =>
    fc.assert(
      fc.property(report(name), (run) => {
        const page = markdownPage(renderMarkdown(run));
        expect(textsOf(page, "table")).toHaveLength(2);
        expect(textsOf(page, "td")).toHaveLength(5 * (1 + run.entries.length));
        expect(textsOf(page, "li")).toHaveLength(run.notes.length);
        for (const tag of ["a", "img", "em", "del", "script", "h1", "h2"]) expect(textsOf(page, tag)).toEqual([]);
      }),
      SEED,
    ));
});

test("the diff has one line per step, and none of it moves a cursor, whatever the names are", () =>
  fc.assert(
    fc.property(
      fc.array(fc.record({ op: fc.constantFrom("match", "delete"), expected: name, actual: name }), { maxLength: 5 }),
      (steps) => {
        const result: ScoreResult = { status: "scored", score: 0, label: "informational", metadata: { steps } };
        const text = renderDiff(result, { groups: true });
        expect(text === "" ? 0 : text.split("\n").length).toBe(steps.length);
        expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}|\p{Cs}/u);
        for (const [index, line] of text.split("\n").entries()) {
          if (steps.length > 0) expect(line.startsWith(steps[index]?.op === "match" ? "   " : "!! ")).toBe(true);
        }
      },
    ),
    SEED,
  ));

describe("names that can be shown are read back as they were", () => {
  test("from JUnit", () =>
    fc.assert(
      fc.property(report(plain), (run) => {
        const cases = xmlElements(renderJunit(run)).filter((element) => element.name === "testcase");
        expect(cases.slice(0, -1).map(({ attributes }) => attributes.name)).toEqual(
          run.entries.map((entry) => entry.unit_id),
        );
      }),
      SEED,
    ));

  test("from HTML", () =>
    fc.assert(
      fc.property(report(plain), (run) => {
        const codes = new Set(textsOf(renderHtml(run), "code"));
        for (const entry of run.entries) {
          expect(codes).toContain(entry.unit_id);
          for (const { expected } of stepsOf(entry)) expect(codes).toContain(expected);
        }
      }),
      SEED,
    ));

  test("from Markdown", () =>
    fc.assert(
      fc.property(report(plain), (run) => {
        const cells = textsOf(markdownPage(renderMarkdown(run)), "td");
        for (const entry of run.entries) {
          expect(cells).toContain(entry.unit_id);
          expect(cells).toContain(entry.why);
        }
      }),
      SEED,
    ));
});

function stepsOf(entry: { readonly result: ScoreResult }): { readonly expected: string }[] {
  return entry.result.status === "scored" ? (entry.result.metadata.steps as { expected: string }[]) : [];
}
