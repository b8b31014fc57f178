import { show, TrajectoryError } from "../model/errors.ts";

/** One unit, labelled by a judge and by a person. */
export interface AgreementRow {
  readonly unit_id: string;
  readonly judge: string;
  readonly human: string;
}

/** How far two raters agree. */
export interface Agreement {
  /** Rows. */
  readonly n: number;
  /** `pass`, then `fail` (in any case), then the others by code unit: the order of rows and columns. */
  readonly labels: readonly string[];
  /** Counts: rows are what the judge said, columns what the human said. */
  readonly table: readonly (readonly number[])[];
  /** Observed agreement; null without rows. */
  readonly po: number | null;
  /** Agreement by chance, from the totals of rows and columns; null without rows. */
  readonly pe: number | null;
  /** Cohen's kappa, `(po - pe) / (1 - pe)`, -1 to 1; null without rows and where pe is 1. */
  readonly kappa: number | null;
}

/**
 * Agreement of a judge with people: Cohen's kappa (J. Cohen, 1960) over any number of labels. O(rows + labels^2).
 *
 * @throws TrajectoryError `invalid_input` for a row whose labels are no text
 */
export function agreement(rows: readonly AgreementRow[]): Agreement {
  if (!Array.isArray(rows)) {
    throw new TrajectoryError("invalid_input", "rows", `rows: must be a list of rows, got ${show(rows)}`);
  }
  for (const [index, row] of rows.entries()) checkRow(row, index);
  const labels = [...new Set(rows.flatMap(({ judge, human }) => [judge, human]))].sort(compareLabels);
  const places = new Map(labels.map((label, place) => [label, place]));
  const table = labels.map(() => new Array<number>(labels.length).fill(0));
  for (const { judge, human } of rows) {
    const row = table[places.get(judge) as number] as number[];
    row[places.get(human) as number] = (row[places.get(human) as number] as number) + 1;
  }
  return { n: rows.length, labels, table, ...chanceCorrected(table, rows.length) };
}

function chanceCorrected(table: readonly (readonly number[])[], n: number): Pick<Agreement, "po" | "pe" | "kappa"> {
  if (n === 0) return { po: null, pe: null, kappa: null };
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  let diagonal = 0;
  let chance = 0;
  table.forEach((row, place) => {
    diagonal += row[place] as number;
    chance += sum(row) * sum(table.map((other) => other[place] as number));
  });
  // Whole numbers up to here, so that a pe of 1 is known for certain.
  const square = n * n;
  const kappa = chance === square ? null : (n * diagonal - chance) / (square - chance);
  return { po: diagonal / n, pe: chance / square, kappa };
}

function checkRow(row: unknown, index: number): void {
  const where = `rows[${index}]`;
  if (typeof row !== "object" || row === null) {
    throw new TrajectoryError("invalid_input", where, `${where}: must be { unit_id, judge, human }, got ${show(row)}`);
  }
  for (const key of ["judge", "human"] as const) {
    const label: unknown = (row as Partial<AgreementRow>)[key];
    if (typeof label === "string" && label !== "") continue;
    const place = `${where}.${key}`;
    throw new TrajectoryError("invalid_input", place, `${place}: must be a label, got ${show(label)}`);
  }
}

const FIRST = ["pass", "fail"];

function compareLabels(left: string, right: string): number {
  const rank = (label: string): number => {
    const place = FIRST.indexOf(label.toLowerCase());
    return place < 0 ? FIRST.length : place;
  };
  return rank(left) - rank(right) || (left < right ? -1 : 1);
}
