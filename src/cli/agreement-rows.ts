import { show } from "../model/errors.ts";
import type { AgreementRow } from "../score/agreement.ts";
import { parseCsv } from "./csv.ts";

const COLUMNS = ["unit_id", "judge", "human"] as const;
const EXPECTED = "{ unit_id, judge, human }";

/**
 * Rows of a text: a JSON array, JSON one a line, or CSV whose first line names the columns. Other columns are passed
 * over. A row that cannot be used is told, with its place, and skipped.
 */
export function agreementRows(text: string, complain: (place: string, problem: string) => void): AgreementRow[] {
  const start = text.replace(/^\uFEFF/, "").trimStart();
  if (start.startsWith("[")) return rowsOfArray(start, complain);
  if (start.startsWith("{")) return rowsOfLines(text, complain);
  return start === "" ? [] : rowsOfCsv(text.replace(/^\uFEFF/, ""), complain);
}

type Complain = (place: string, problem: string) => void;

function rowsOfArray(text: string, complain: Complain): AgreementRow[] {
  const list = parsed(text);
  if (!Array.isArray(list)) {
    complain("1", "not JSON");
    return [];
  }
  return list.flatMap((value: unknown, index) => rowOf(value, `[${index}]`, complain));
}

function rowsOfLines(text: string, complain: Complain): AgreementRow[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const value = parsed(line);
    if (value !== undefined) return rowOf(value, String(index + 1), complain);
    complain(String(index + 1), "not JSON");
    return [];
  });
}

function rowsOfCsv(text: string, complain: Complain): AgreementRow[] {
  const [head, ...records] = parseCsv(text);
  const places = COLUMNS.map((column) => head?.fields.findIndex((field) => field.trim() === column) ?? -1);
  const missing = COLUMNS.filter((_column, index) => (places[index] as number) < 0);
  if (missing.length > 0) {
    complain(String(head?.line ?? 1), `no column ${missing.join(", ")}`);
    return [];
  }
  return records.flatMap(({ line, fields }) => {
    const value = Object.fromEntries(COLUMNS.map((column, index) => [column, fields[places[index] as number]?.trim()]));
    return rowOf(value, String(line), complain);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}

function rowOf(value: unknown, place: string, complain: Complain): AgreementRow[] {
  const given = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const [unit_id, judge, human] = COLUMNS.map((column) => labelOf(Object.hasOwn(given, column) ? given[column] : ""));
  if (unit_id !== undefined && judge !== undefined && human !== undefined) return [{ unit_id, judge, human }];
  complain(place, `expected ${EXPECTED}, got ${show(value)}`);
  return [];
}

/** Labels are words; numbers and truth values count as the words they are written as. */
function labelOf(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
