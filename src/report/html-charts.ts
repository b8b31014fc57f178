import { htmlText } from "./html-text.ts";
import type { MetricSummary, ReportEntry } from "./report.ts";

/** Upper ends of the classes, as those of the emitted histogram; the last class is exactly the perfect runs. */
const BOUNDS: readonly number[] = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999999];

/** How the scores of each metric are spread: one small table per metric, with a bar beside each number. O(entries). */
export function chartsHtml(metrics: readonly MetricSummary[], entries: readonly ReportEntry[]): string {
  const counts = new Map(metrics.map(({ metric }) => [metric, new Array<number>(BOUNDS.length + 1).fill(0)]));
  for (const { metric, result } of entries) {
    const classes = counts.get(metric);
    if (classes === undefined || result.status !== "scored") continue;
    const found = BOUNDS.findIndex((bound) => result.score <= bound);
    const index = found < 0 ? BOUNDS.length : found;
    classes[index] = (classes[index] ?? 0) + 1;
  }
  const charts = [...counts].filter(([, classes]) => classes.some((count) => count > 0));
  if (charts.length === 0) return '<p class="faint">No score was given.</p>';
  return `<div class="charts">${charts.map(([metric, classes]) => chart(metric, classes)).join("\n")}</div>`;
}

function chart(metric: string, classes: readonly number[]): string {
  const most = classes.reduce((top, count) => Math.max(top, count), 1);
  const total = classes.reduce((sum, count) => sum + count, 0);
  const rows = classes.map((count, index) => {
    const width = Math.round((count / most) * 1000) / 10;
    const bar = `<svg aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 1"><rect width="${width}" height="1"/></svg>`;
    return `<tr><th scope="row">${className(index)}</th><td class="number">${count}</td><td class="track">${bar}</td></tr>`;
  });
  const caption = `<caption><code>${htmlText(metric)}</code>: ${total} ${total === 1 ? "score" : "scores"}</caption>`;
  const head = `<thead><tr><th scope="col">score</th><th scope="col" class="number">units</th><td></td></tr></thead>`;
  return `<table>${caption}${head}<tbody>${rows.join("")}</tbody></table>`;
}

function className(index: number): string {
  if (index === 0) return "0";
  if (index === BOUNDS.length) return "1";
  return index === BOUNDS.length - 1 ? "above 0.9, below 1" : `above ${BOUNDS[index - 1]}, to ${BOUNDS[index]}`;
}
