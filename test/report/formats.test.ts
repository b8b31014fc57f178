import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ScoreResult } from "../../src/model/result.ts";
import { renderHtml } from "../../src/report/html.ts";
import { renderJunit } from "../../src/report/junit.ts";
import { renderMarkdown } from "../../src/report/markdown.ts";
import { EVERY_OUTCOME, entryOf, HALF, PERFECT, reportOf } from "./entries.ts";
import { htmlProblems, markdownPage, textsOf, xmlProblems } from "./readers.ts";

const golden = (name: string): string => readFileSync(new URL(`../fixtures/reports/${name}`, import.meta.url), "utf8");

describe("as written once and read by a person", () => {
  test("JUnit", () => expect(renderJunit(EVERY_OUTCOME)).toBe(golden("every-outcome.xml")));

  test("Markdown", () => expect(renderMarkdown(EVERY_OUTCOME)).toBe(golden("every-outcome.md")));

  test("HTML", () => {
    const page = renderHtml(EVERY_OUTCOME);
    expect(page.slice(page.indexOf("<body>"), page.indexOf("<script>"))).toBe(golden("every-outcome.html"));
  });

  test.each([
    ["JUnit", renderJunit],
    ["Markdown", renderMarkdown],
    ["HTML", renderHtml],
  ])("%s is the same for the same run, and changes nothing of it", (_name, render) => {
    const before = structuredClone(EVERY_OUTCOME);
    expect(render(EVERY_OUTCOME)).toBe(render(structuredClone(EVERY_OUTCOME)));
    expect(EVERY_OUTCOME).toEqual(before);
  });
});

describe("an empty run", () => {
  test("JUnit has no case", () =>
    expect(renderJunit(reportOf([]))).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="otel-trajectory" tests="0" failures="0" errors="0" skipped="0" time="0.000">\n</testsuites>\n',
    ));

  test("JUnit of a run whose gates hold has one case that says so", () => {
    const text = renderJunit(reportOf([], { gated: true }));
    expect(text).toContain('<testcase classname="gates" name="the run as a whole" time="0.000"/>');
    expect(text).toContain('tests="1" failures="0"');
  });

  test("Markdown has a verdict", () => expect(renderMarkdown(reportOf([]))).toContain("**OK: nothing failed"));

  test("HTML says that there are no scores", () => {
    const page = renderHtml(reportOf([]));
    expect(htmlProblems(page)).toEqual([]);
    expect(page).toContain("No score was given.");
  });
});

describe("hostile names", () => {
  const names: [string, string][] = [
    ["markup", '<script>alert(1)</script><img src=x onerror="alert(1)">'],
    ["the end of a CDATA section", "a]]>b"],
    ["controls and a bell", "a\u0000b\u0007c\u001b[31md"],
    ["lone surrogates and noncharacters", "\ud800x\udfff\uffff\ufffe"],
    ["entities", "&amp;&lt;&#0;"],
    ["quotes", `"'\``],
    ["pipes and backticks", "a|b`c`|``d```e"],
    ["a backslash before a pipe", "a\\|b\\\\|c"],
    ["Markdown", "*a* _b_ ~~c~~ [d](http://e.f) ![g](h) #1 @team :tada: $x$"],
    ["lines", "a\nb\r\nc\u2028d\n\n| x |\n</details>"],
    ["text that runs backwards", "\u202eabc\u202c"],
    ["the end of the script", "</script><!--"],
    ["nothing", ""],
    ["blanks", "  a  "],
  ];
  const reportWith = (name: string) => {
    const result: ScoreResult = {
      status: "scored",
      score: 0,
      label: "fail",
      metadata: { steps: [{ op: "substitute", expected: name, actual: { name, args: { [name]: name } }, group: 0 }] },
    };
    const given = { result, unit_id: `trajectory:${name}`, outcome: "failed", why: name, agent: name } as const;
    return reportOf([entryOf(given)], { failures: [name], run_failures: [name], notes: [name], gated: true });
  };

  test.each(names)("%s leave XML well-formed", (_title, name) => {
    expect(xmlProblems(renderJunit(reportWith(name)))).toEqual([]);
  });

  test.each(names)("%s leave HTML well-formed, and are text", (_title, name) => {
    const page = renderHtml(reportWith(name));
    expect(htmlProblems(page)).toEqual([]);
    expect(textsOf(page, "script")).toHaveLength(1);
    expect(textsOf(page, "img")).toEqual([]);
    expect(textsOf(page, "tr")).toHaveLength(2 + 13 + 2 + 1 + 2);
  });

  test.each(names)("%s stay in their cells of Markdown", (_title, name) => {
    const page = markdownPage(renderMarkdown(reportWith(name)));
    expect(textsOf(page, "td")).toHaveLength(5 + 5);
    expect(textsOf(page, "details")).toHaveLength(1);
    expect(textsOf(page, "pre")).toHaveLength(1);
    for (const tag of ["a", "img", "script", "em", "strong", "del", "input"]) {
      expect([tag, textsOf(page, tag).length]).toEqual([tag, tag === "strong" ? 1 : 0]);
    }
  });
});

describe("large runs", () => {
  const many = Array.from({ length: 5_000 }, (_, index) =>
    entryOf({ result: index % 2 === 0 ? HALF : PERFECT, unit_id: `trajectory:${String(index).padStart(5, "0")}` }),
  );
  const long: ScoreResult = {
    status: "scored",
    score: 0,
    label: "informational",
    metadata: {
      steps: Array.from({ length: 9_000 }, () => ({ op: "delete", expected: "x".repeat(999), actual: null })),
    },
  };

  test("a page has a bounded number of rows, the low scores among them, and says how many are left", () => {
    const page = renderHtml(reportOf(many));
    expect(page.match(/data-outcome=/g)).toHaveLength(3_000);
    expect(page).toContain(" 2000 more results are not listed.");
    expect(page).toContain("trajectory:04998");
    expect(page).not.toContain("trajectory:04999");
    // All are counted in the distribution.
    expect(page).toContain("5000 scores");
  });

  test("a page has a bounded number of steps", () => {
    const page = renderHtml(reportOf(Array.from({ length: 400 }, () => entryOf({ result: long }))));
    // 60 000 lines, at most 200 of each alignment: 300 alignments.
    expect(page.match(/8800 more steps not shown/g)).toHaveLength(300);
    expect(page.match(/alignment left out/g)).toHaveLength(100);
  });

  test("a comment is short enough to be posted", () => {
    const reports = [
      reportOf(many),
      reportOf(Array.from({ length: 400 }, () => entryOf({ result: long, why: "|".repeat(999) }))),
    ];
    for (const report of reports) expect(renderMarkdown(report).length).toBeLessThan(65_536);
    expect(renderMarkdown(reportOf(many))).toContain("2450 more not listed.");
  });

  test("JUnit holds every case", () => expect(renderJunit(reportOf(many)).match(/<testcase /g)).toHaveLength(5_000));
});
