import { sha256Hex } from "../model/digest.ts";
import { chartsHtml } from "./html-charts.ts";
import { outcomeText, resultRow } from "./html-results.ts";
import { HTML_SCRIPT } from "./html-script.ts";
import { HTML_STYLE } from "./html-style.ts";
import { htmlText, htmlWhole } from "./html-text.ts";
import { mostUrgentFirst, type Outcome, type Report, scoreText, verdictLine } from "./report.ts";

/** Rows that one page holds, and lines of their alignments: more would not be read and would not scroll. */
const MAX_ROWS = 3_000;
const MAX_LINES = 60_000;

const OUTCOMES: readonly Outcome[] = ["failed", "error", "informational", "passed", "not_evaluated"];

/**
 * A run as one self-contained HTML page: verdict, metrics, distribution of the scores, and a table of results with a
 * filter and the alignment of each. It loads nothing, runs nothing but its own filter (a content security policy says
 * so), can be used with the keyboard and with a screen reader, and follows the reader's light or dark setting. Names
 * are text, whatever they hold. Bounded: at most {@link MAX_ROWS} rows, those first that ask for action.
 */
export function renderHtml(report: Report): string {
  const budget = { lines: MAX_LINES };
  const rows = mostUrgentFirst(report.entries).slice(0, MAX_ROWS);
  const left = report.entries.length - rows.length;
  const caption = `Failed gates and errors first, then scores from the lowest.${left > 0 ? ` ${left} more results are not listed.` : ""}`;
  return [
    head(),
    `<body>\n<a class="skip" href="#results">Skip to the results</a>\n<header>\n<h1>Trajectory scores</h1>\n${verdict(report)}</header>\n<main>\n`,
    `<section>\n<h2 id="metrics">Metrics</h2>\n<div class="scroll" role="region" aria-labelledby="metrics" tabindex="0">${metricsTable(report)}</div>\n</section>\n`,
    `<section aria-labelledby="distribution">\n<h2 id="distribution">Distribution</h2>\n${chartsHtml(report.metrics, report.entries)}\n</section>\n`,
    `<section>\n<h2 id="results" tabindex="-1">Results</h2>\n${filter(report)}`,
    `<div class="scroll" role="region" aria-labelledby="results" tabindex="0"><table id="all">\n<caption>${caption}</caption>\n<thead><tr><th scope="col">unit</th><th scope="col">metric</th><th scope="col" class="number">score</th><th scope="col">outcome</th><th scope="col">why</th></tr></thead>\n<tbody>\n`,
    ...rows.map((entry) => resultRow(entry, budget)),
    `</tbody>\n</table></div>\n</section>\n</main>\n<script>${HTML_SCRIPT}</script>\n</body>\n</html>\n`,
  ].join("");
}

function head(): string {
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${base64OfHex(sha256Hex(HTML_SCRIPT))}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n',
    `<title>Trajectory scores</title>\n<style>${HTML_STYLE}</style>\n</head>\n`,
  ].join("");
}

function base64OfHex(hex: string): string {
  return btoa(hex.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
}

function verdict(report: Report): string {
  const bad = report.failures.length > 0;
  const lines = [...report.failures.map((line) => `FAILED: ${line}`), ...report.notes.map((line) => `note: ${line}`)];
  const list = lines.length === 0 ? "" : `<ul>${lines.map((line) => `<li>${htmlWhole(line)}</li>`).join("")}</ul>\n`;
  return `<p class="verdict${bad ? " bad" : ""}">${verdictLine(report)}</p>\n${list}`;
}

function metricsTable(report: Report): string {
  const rows = report.metrics.map(
    ({ metric, mean, scored, approved, not_scored }) =>
      `<tr><th scope="row"><code>${htmlText(metric)}</code></th><td class="number">${mean === undefined ? "-" : scoreText(mean)}</td><td class="number">${scored}</td><td class="number">${approved}</td><td>${htmlWhole(not_scored)}</td></tr>`,
  );
  return `<table><caption>Means over the scored units; approved ones count for gates.</caption><thead><tr><th scope="col">metric</th><th scope="col" class="number">mean</th><th scope="col" class="number">scored</th><th scope="col" class="number">approved</th><th scope="col">not scored</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

/** Hidden until its script runs, since it does nothing without. */
function filter(report: Report): string {
  const metrics = report.metrics.map(({ metric }) => option(metric, metric));
  const outcomes = OUTCOMES.map((outcome) => option(outcome, outcomeText(outcome)));
  return [
    '<form id="filter" role="search" aria-label="Filter the results" hidden>\n',
    '<label>Text in unit, agent, steps or reason <input type="search" name="text" autocomplete="off"></label>\n',
    `<label>Metric <select name="metric"><option value="">all</option>${metrics.join("")}</select></label>\n`,
    `<label>Outcome <select name="outcome"><option value="">all</option><option value="imperfect">not perfect</option>${outcomes.join("")}</select></label>\n`,
    '<button type="reset">Clear</button>\n<p role="status" id="shown"></p>\n</form>\n',
  ].join("");
}

function option(value: string, text: string): string {
  return `<option value="${htmlText(value)}">${htmlText(text)}</option>`;
}
