import { type DiffLine, diffOf } from "./diff-lines.ts";
import { htmlText } from "./html-text.ts";
import { entryScore, isPerfect, type Outcome, type ReportEntry } from "./report.ts";

/** Lines of one alignment that the page holds. */
const MAX_LINES = 200;

/** Counts down what a page may hold, over all of its alignments. */
export interface LineBudget {
  lines: number;
}

/** One row of the results: the unit, its score, why, and the alignment to be opened. */
export function resultRow(entry: ReportEntry, budget: LineBudget): string {
  const unit = htmlText(entry.unit_id);
  const agent = entry.agent === "" ? "" : `<br><span class="faint">${htmlText(entry.agent)}</span>`;
  const incomplete =
    entry.incomplete.length === 0
      ? ""
      : `<p class="faint">not whole: ${entry.incomplete.map((reason) => htmlText(reason)).join(", ")}</p>`;
  const data = `data-metric="${htmlText(entry.metric)}" data-outcome="${entry.outcome}" data-perfect="${isPerfect(entry) ? "yes" : "no"}"`;
  return [
    `<tr ${data}><th scope="row"><code>${unit}</code>${agent}</th>`,
    `<td class="metric"><code>${htmlText(entry.metric)}</code></td><td class="number">${entryScore(entry)}</td>`,
    `<td class="outcome ${entry.outcome}">${outcomeText(entry.outcome)}</td>`,
    `<td>${htmlText(entry.why)}${incomplete}${alignment(entry, unit, budget)}</td></tr>\n`,
  ].join("");
}

/** An outcome in words. */
export function outcomeText(outcome: Outcome): string {
  return outcome.replace("_", " ");
}

function alignment(entry: ReportEntry, unit: string, budget: LineBudget): string {
  const limit = Math.max(0, Math.min(MAX_LINES, budget.lines));
  const { lines, total, differing } = diffOf(entry.result, limit);
  if (total === 0) return "";
  if (lines.length === 0) return '<p class="faint">alignment left out: the page would grow too large</p>';
  budget.lines -= lines.length;
  const left = total - lines.length;
  const summary = `${total} ${total === 1 ? "step" : "steps"}, ${differing} ${differing === 1 ? "differs" : "differ"}`;
  const more = left > 0 ? `<p class="faint">${left} more ${left === 1 ? "step" : "steps"} not shown</p>` : "";
  const head = `<thead><tr><th scope="col">step</th><th scope="col">expected</th><th scope="col">actual</th><th scope="col">verdict</th></tr></thead>`;
  return `<details><summary>${summary}<span class="hidden-text"> in ${htmlText(entry.metric)} of ${unit}</span></summary><table>${head}${bodies(lines)}</table>${more}</details>`;
}

/** Members of a group stand in a body of their own, whose first row says so. */
function bodies(lines: readonly DiffLine[]): string {
  let text = "";
  let open: number | undefined | null = null;
  lines.forEach((line, index) => {
    if (line.group !== open) {
      if (open !== null) text += "</tbody>";
      text +=
        line.group === undefined
          ? "<tbody>"
          : `<tbody class="group"><tr><th scope="rowgroup" colspan="4">in any order</th></tr>`;
      open = line.group;
    }
    const name = line.same ? "same" : "differs";
    const mark = line.same ? "same" : "!! differs";
    text += `<tr class="${name}"><th scope="row">${index}</th><td>${side(line.expected)}</td><td>${side(line.actual)}</td><td class="mark">${mark}</td></tr>`;
  });
  return `${text}</tbody>`;
}

function side(text: string | null): string {
  return text === null ? '<span class="faint">(none)</span>' : `<code>${htmlText(text)}</code>`;
}
