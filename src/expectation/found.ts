import { digestOf } from "../model/digest.ts";
import { show } from "../model/errors.ts";
import type { Column, Expectation } from "../model/expectation.ts";
import type { ColumnResolution, ResolutionFailure } from "../model/resolution.ts";
import { COLUMNS, type ColumnValues, parseColumn } from "./parse.ts";
import { remember } from "./quick-parse.ts";
import type { Found } from "./source.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A table of columns while it is being filled. */
export type Filling = Mutable<Found>;

/** What a source says of a column beside its value. */
export interface Header {
  readonly id?: string;
  readonly status: "proposed" | "approved";
}

/** A source that cannot answer fails for every column: nobody knows what it would have said. */
export function failedFound(reason: ResolutionFailure, message: string): Found {
  const failed: ColumnResolution = { state: "failed", reason, message };
  return Object.fromEntries(COLUMNS.map((column) => [column, failed]));
}

/** Fails just the columns that something speaks of: what is wrong beside a value says nothing about other columns. */
export function failedColumns(columns: readonly Column[], message: string): Found {
  const all = failedFound("invalid_expectation", message);
  return Object.fromEntries(columns.map((column) => [column, all[column]]));
}

/** A column that resolved. The digest covers the value, the id and the status, and nothing else. */
export function resolvedColumn<C extends Column>(
  column: C,
  value: ColumnValues[C],
  header: Header,
  origin: "own" | "run",
): ColumnResolution {
  const supplied = { ...header, [column]: value };
  // One rule's value is handed to many scorers, users' own among them: none may change it for the next.
  const expectation: Expectation = freezeDeep({ ...supplied, origin });
  remember(column, expectation[column]);
  return { state: "resolved", expectation, digest: digestOf(supplied) };
}

function freezeDeep<T extends object>(root: T): T {
  const pending: object[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const member of Object.values(value)) if (typeof member === "object" && member !== null) pending.push(member);
  }
  return root;
}

/** Reads an id and a status as written by people; says what is wrong, with `names` for the two fields. */
export function readHeader(
  id: unknown,
  status: unknown,
  names: { readonly id: string; readonly status: string },
): { readonly ok: true; readonly header: Header } | { readonly ok: false; readonly message: string } {
  if (id !== undefined && typeof id !== "string") {
    return { ok: false, message: `${names.id}: must be text, got ${show(id)}` };
  }
  if (status !== undefined && status !== "proposed" && status !== "approved") {
    return { ok: false, message: `${names.status}: must be proposed or approved, got ${show(status)}` };
  }
  const known = status ?? "proposed";
  // An empty id names nothing.
  return { ok: true, header: id === undefined || id === "" ? { status: known } : { id, status: known } };
}

const KEYS: ReadonlySet<string> = new Set(["id", "status", "origin", ...COLUMNS]);

/**
 * Reads an expectation that code handed over, column by column, so that one bad column does not take the others
 * with it. `where` is put before each message. Never throws.
 */
export function readExpectation(value: unknown, origin: "own" | "run", where: string): Found {
  try {
    return readColumns(value, origin, where);
  } catch (error) {
    return failedFound("invalid_expectation", `${where}: could not be read: ${reasonOf(error)}`);
  }
}

function readColumns(value: unknown, origin: "own" | "run", where: string): Found {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return failedFound("invalid_expectation", `${where}: must be an expectation, got ${show(value)}`);
  }
  const unknownKey = Object.keys(value).find((key) => !KEYS.has(key));
  if (unknownKey !== undefined) {
    const message = `${where}: unknown key ${show(unknownKey)}; allowed: ${[...KEYS].join(", ")}`;
    return failedFound("invalid_expectation", message);
  }
  const given = value as Expectation;
  const header = readHeader(given.id ?? undefined, given.status ?? undefined, { id: "id", status: "status" });
  // Rows of a database say null where they say nothing.
  const columns = COLUMNS.filter((column) => (given[column] ?? undefined) !== undefined);
  if (!header.ok) return failedColumns(columns, `${where}: ${header.message}`);
  const found: Filling = {};
  for (const column of columns) found[column] = readColumn(column, given[column], header.header, origin, where);
  return found;
}

/** One column with its id, status and origin, or why it is not usable. */
export function readColumn(
  column: Column,
  value: unknown,
  header: Header,
  origin: "own" | "run",
  where: string,
): ColumnResolution {
  const parsed = parseColumn(column, value);
  if (parsed.ok) return resolvedColumn(column, parsed.value, header, origin);
  return { state: "failed", reason: "invalid_expectation", message: `${where}: ${parsed.message}` };
}

/** The message of whatever was thrown. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : show(error);
  } catch {
    return "an error that cannot be shown";
  }
}
