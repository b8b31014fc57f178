import { renderDiff } from "./diff-text.ts";
import { entryScore, type Report, type ReportEntry } from "./report.ts";
import { xmlAttribute, xmlText } from "./xml-text.ts";

/**
 * A run as JUnit XML: one suite per metric, one case per unit in it. A failed gate of a unit is a `failure` that
 * carries the diff, a unit without a score is `skipped` with its reason, an error an `error`. Scores below 1 that gate
 * nothing pass, with the diff as their output. What no single unit shows (a mean below its bar) is a case of the suite
 * `gates`. Well-formed whatever the names are. O(entries).
 */
export function renderJunit(report: Report): string {
  const suites = report.metrics.map(({ metric }) =>
    suiteOf(
      metric,
      report.entries.filter((entry) => entry.metric === metric).map((entry) => caseOf(entry)),
    ),
  );
  if (report.gated) suites.push(suiteOf("gates", gateCases(report)));
  const total = suites.reduce((sum, { counts }) => add(sum, counts), NOTHING);
  const body = suites.map(({ text }) => text).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="otel-trajectory"${countsText(total)}>\n${body}</testsuites>\n`;
}

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
  readonly seconds: number;
}

interface Case {
  readonly text: string;
  readonly counts: Counts;
}

const NOTHING: Counts = { tests: 0, failures: 0, errors: 0, skipped: 0, seconds: 0 };

function add(a: Counts, b: Counts): Counts {
  return {
    tests: a.tests + b.tests,
    failures: a.failures + b.failures,
    errors: a.errors + b.errors,
    skipped: a.skipped + b.skipped,
    seconds: a.seconds + b.seconds,
  };
}

function countsText({ tests, failures, errors, skipped, seconds }: Counts): string {
  return ` tests="${tests}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${seconds.toFixed(3)}"`;
}

function suiteOf(name: string, cases: readonly Case[]): { readonly text: string; readonly counts: Counts } {
  const counts = cases.reduce((sum, item) => add(sum, item.counts), NOTHING);
  const body = cases.map(({ text }) => text).join("");
  const text = `  <testsuite name="${xmlAttribute(name)}"${countsText(counts)}>\n${body}  </testsuite>\n`;
  return { text, counts };
}

function caseOf(entry: ReportEntry): Case {
  const counts = { ...NOTHING, tests: 1, seconds: Math.max(0, entry.duration_s) };
  const write = (inner: string): string => caseText(entry.metric, entry.unit_id, counts.seconds, inner);
  switch (entry.outcome) {
    case "failed":
      return { text: write(problem("failure", "gate", entry.why, diffOf(entry))), counts: { ...counts, failures: 1 } };
    case "error": {
      const type = entry.result.status === "error" ? entry.result.error.type : "error";
      return { text: write(problem("error", type, entry.why, "")), counts: { ...counts, errors: 1 } };
    }
    case "not_evaluated":
      return { text: write(`<skipped message="${xmlAttribute(entry.why)}"/>`), counts: { ...counts, skipped: 1 } };
    case "passed":
    case "informational": {
      const perfect = entry.result.status === "scored" && entry.result.score === 1;
      const output = `score ${entryScore(entry)} (${entry.outcome})\n${diffOf(entry)}`;
      return { text: write(perfect ? "" : `<system-out>${xmlText(output)}</system-out>`), counts };
    }
  }
}

function diffOf(entry: ReportEntry): string {
  return renderDiff(entry.result, { groups: true });
}

function problem(tag: "failure" | "error", type: string, message: string, body: string): string {
  return `<${tag} type="${xmlAttribute(type)}" message="${xmlAttribute(message)}">${xmlText(body)}</${tag}>`;
}

function caseText(className: string, name: string, seconds: number, inner: string): string {
  const head = `    <testcase classname="${xmlAttribute(className)}" name="${xmlAttribute(name)}" time="${seconds.toFixed(3)}"`;
  return inner === "" ? `${head}/>\n` : `${head}>\n      ${inner}\n    </testcase>\n`;
}

/** The gates of the whole run: a case for each that does not hold, or one that says that they do. */
function gateCases({ run_failures: failures }: Report): Case[] {
  const counts = { ...NOTHING, tests: 1 };
  if (failures.length === 0) return [{ text: caseText("gates", "the run as a whole", 0, ""), counts }];
  return failures.map((failure, index) => ({
    text: caseText("gates", `the run as a whole, ${index + 1}`, 0, problem("failure", "gate", failure, failure)),
    counts: { ...counts, failures: 1 },
  }));
}
