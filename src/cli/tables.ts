import stringWidth from "string-width";
import { quotedIfBlank } from "../report/one-line.ts";
import { scoreText } from "../report/report.ts";
import type { Agreement } from "../score/agreement.ts";
import { count, type GateOptions, gatesOf, isGated, type MetricTally, type Verdict } from "./gate.ts";
import { printable } from "./io.ts";
import type { ScoreRow, StepsRow } from "./rows.ts";
import { why } from "./why.ts";

/** Aligned columns of a terminal without lines and colours: the same in a terminal, a log and a mail. O(cells). */
function render(head: readonly string[], rows: readonly (readonly string[])[], right: readonly string[] = []): string {
  const lines = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map(() => 1);
  for (const line of lines) {
    for (const [column, cell] of line.entries()) widths[column] = Math.max(widths[column] ?? 1, stringWidth(cell));
  }
  const aligned = (cell: string, column: number): string => {
    const space = " ".repeat((widths[column] ?? 1) - stringWidth(cell));
    return right.includes(head[column] ?? "") ? space + cell : cell + space;
  };
  return lines.map((line) => `${line.map(aligned).join("  ").trimEnd()}\n`).join("");
}

/** The steps of each unit, in one line each. */
export function stepsTable(rows: readonly StepsRow[]): string {
  const lines = rows.map((row) => [
    row.unit_id,
    row.session_id ?? "",
    row.steps.map((step) => `${quotedIfBlank(step.name)}${step.failed === true ? " (failed)" : ""}`).join(" -> ") ||
      "(none)",
    row.unread === undefined ? "" : `${row.unread.join(", ")} not recorded`,
  ]);
  return `${render(["unit", "session", "steps", ""], lines)}\n${count(rows.length, "unit")}\n`;
}

/** Every result, in one line each. */
export function scoreTable(rows: readonly ScoreRow[]): string {
  const lines = rows.map((row) => [
    row.unit_id,
    row.metric,
    row.score === undefined ? "-" : scoreText(row.score),
    row.label ?? row.status,
    why(row),
  ]);
  return render(["unit", "metric", "score", "label", "why"], lines, ["score"]);
}

/** One line per metric: its mean, and what was not scored, by reason. */
export function summaryTable(tallies: readonly MetricTally[]): string {
  const lines = tallies.flatMap((tally) =>
    namesOf(tally).map((name) => [
      name,
      tally.mean === undefined ? "-" : scoreText(tally.mean),
      String(tally.scored),
      String(tally.approvedScored),
      notScored(tally),
    ]),
  );
  return render(["metric", "mean", "scored", "approved", "not scored"], lines, ["mean", "scored", "approved"]);
}

/** The names under which a run's mean of a metric is known. */
export function namesOf(tally: MetricTally): string[] {
  return tally.mean_name === undefined ? [tally.metric] : [tally.metric, tally.mean_name];
}

/** What was not scored, by reason; `0` when everything was. */
export function notScored(tally: MetricTally): string {
  const reasons = [...tally.reasons].map(([reason, number]) => `${number} ${reason}`);
  if (tally.errors > 0) reasons.push(count(tally.errors, "error"));
  return reasons.length === 0 ? "0" : reasons.join(", ");
}

/** The verdict, last line first to be looked for. */
export function verdictText(verdict: Verdict, options: GateOptions): string {
  const notes = verdict.notes.map((note) => `note: ${note}\n`).join("");
  if (verdict.failures.length > 0) return notes + verdict.failures.map((failure) => `FAILED: ${failure}\n`).join("");
  const passed = isGated(options)
    ? `PASSED: every gate holds (${gatesOf(options)})`
    : "OK: nothing failed, no gate was asked for";
  return `${notes}${passed}\n`;
}

/** The table of two raters and what follows from it. */
export function agreementTable({ n, labels, table, po, pe, kappa }: Agreement): string {
  const head = ["judge \\ human", ...labels];
  const lines = labels.map((label, row) => [label, ...(table[row] ?? []).map(String)]);
  const shown = (value: number | null): string => (value === null ? "-" : value.toFixed(4));
  const figures = [
    ["rows", String(n), ""],
    ["po", shown(po), "observed agreement"],
    ["pe", shown(pe), "agreement by chance"],
    ["kappa", shown(kappa), kappa === null ? "none: chance alone would agree as much" : "(po - pe) / (1 - pe)"],
  ];
  return `${render(head, lines, labels)}\n${render(["", "", ""], figures).trimStart()}`;
}
