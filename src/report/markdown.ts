import { diffOf } from "./diff-lines.ts";
import { renderDiff } from "./diff-text.ts";
import { markdownCode, markdownFence, markdownText } from "./markdown-text.ts";
import { shortLine } from "./one-line.ts";
import {
  entryScore,
  isPerfect,
  mostUrgentFirst,
  type Report,
  type ReportEntry,
  scoreText,
  verdictLine,
} from "./report.ts";

/** Rows of the table of differences. */
const MAX_ROWS = 50;
/** Alignments that are shown, and lines of each. */
const MAX_DIFFS = 20;
const MAX_LINES = 40;
const LONGEST_LINE = 300;
/** Hosts refuse comments of more than 65 536 characters. */
const MAX_CHARACTERS = 60_000;

/**
 * A run as GitHub-flavoured Markdown, short enough for a comment on a pull request: the verdict, one row per metric,
 * one row per result that is not perfect (failed ones first), and the alignment of the first of them. Names stand as
 * code, so that they neither break a table nor notify anybody. O(entries log entries).
 */
export function renderMarkdown(report: Report): string {
  const parts = [`### Trajectory scores\n\n**${verdictLine(report)}**\n`];
  const remarks = [...report.failures.map((line) => `FAILED: ${line}`), ...report.notes.map((line) => `note: ${line}`)];
  if (remarks.length > 0) parts.push(remarks.map((line) => `- ${markdownText(line)}\n`).join(""));
  parts.push(metricsTable(report));
  const differing = mostUrgentFirst(report.entries.filter((entry) => !isPerfect(entry)));
  if (differing.length > 0) parts.push(differencesTable(differing, report.entries.length));
  let size = parts.reduce((sum, part) => sum + part.length + 1, 0);
  for (const entry of differing.filter((item) => diffOf(item.result, 0).total > 0).slice(0, MAX_DIFFS)) {
    const part = alignment(entry);
    size += part.length + 1;
    if (size > MAX_CHARACTERS) break;
    parts.push(part);
  }
  return parts.join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |\n`;
}

function metricsTable(report: Report): string {
  const rows = report.metrics.map((summary) =>
    row([
      markdownCode(summary.metric),
      summary.mean === undefined ? "-" : scoreText(summary.mean),
      String(summary.scored),
      String(summary.approved),
      markdownText(summary.not_scored),
    ]),
  );
  return `| metric | mean | scored | approved | not scored |\n| --- | ---: | ---: | ---: | --- |\n${rows.join("")}`;
}

function differencesTable(differing: readonly ReportEntry[], all: number): string {
  const shown = differing.slice(0, MAX_ROWS);
  const rows: string[] = [];
  let size = 0;
  for (const entry of shown) {
    const text = row([
      markdownCode(entry.unit_id),
      markdownCode(entry.metric),
      entryScore(entry),
      entry.outcome.replace("_", " "),
      markdownText(entry.why),
    ]);
    size += text.length;
    if (size > MAX_CHARACTERS / 2) break;
    rows.push(text);
  }
  const left = differing.length - rows.length;
  const title = `${differing.length} of ${all} ${all === 1 ? "result" : "results"} not perfect`;
  const head = "| unit | metric | score | outcome | why |\n| --- | --- | ---: | --- | --- |\n";
  return `#### ${title}\n\n${head}${rows.join("")}${left > 0 ? `\n${left} more not listed.\n` : ""}`;
}

function alignment(entry: ReportEntry): string {
  const lines = renderDiff(entry.result, { groups: true }).split("\n");
  const shown = lines.slice(0, MAX_LINES).map((line) => shortLine(line, LONGEST_LINE));
  if (lines.length > shown.length) shown.push(`   ... ${lines.length - shown.length} more`);
  const title = `${codeElement(entry.metric)} of ${codeElement(entry.unit_id)}`;
  return `<details><summary>${title}</summary>\n\n${markdownFence(shown.join("\n"), "diff")}\n\n</details>\n`;
}

/** Inside of an HTML block a code span of Markdown is no code. */
function codeElement(name: string): string {
  return `<code>${markdownText(name)}</code>`;
}
