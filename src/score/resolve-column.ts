import { foundInAnnotations } from "../expectation/from-annotations.ts";
import { type ColumnValues, parseColumn } from "../expectation/parse.ts";
import { show } from "../model/errors.ts";
import type { Column, Expectation } from "../model/expectation.ts";
import type { NonEvaluable } from "../model/result.ts";
import type { Annotations } from "../model/scorer.ts";
import type { Occurrence } from "../model/trajectory.ts";
import { nonEvaluable } from "./verdict.ts";

/** The value of a scorer's column for one occurrence, with what its source says of it. */
export type ResolvedColumn<C extends Column> =
  | {
      readonly ok: true;
      readonly value: ColumnValues[C];
      readonly status: "proposed" | "approved";
      readonly origin: "own" | "run";
    }
  | { readonly ok: false; readonly result: NonEvaluable };

/**
 * Finds a column when a scorer is called: the occurrence's expectation, else the scorer's annotations for the unit id
 * or the bare trace or session id, else its run-level fallback, which says so by its origin. The engine has usually
 * resolved it already; then the first of these answers.
 */
export function resolveColumn<C extends Column>(
  column: C,
  occurrence: Occurrence,
  annotations: Annotations | null | undefined,
  fallback: Expectation | undefined,
): ResolvedColumn<C> {
  const given: unknown = occurrence.expectation;
  if (given !== undefined && given !== null) {
    if (typeof given !== "object") return invalid(`expectation: must be an object, got ${show(given)}`);
    if (has(given, column)) return read(column, given as Expectation);
  }
  if (annotations) {
    const found = foundInAnnotations(requestOf(occurrence), annotations)[column];
    if (found?.state === "failed") return invalid(found.message);
    if (found?.state === "resolved") return read(column, found.expectation);
  }
  if (fallback !== undefined && has(fallback, column)) return read(column, fallback);
  return { ok: false, result: nonEvaluable("no_expectation") };
}

/** A column and its value, of several columns that a scorer can use. */
export type ResolvedPath<C extends Column> =
  | { readonly ok: false; readonly result: NonEvaluable }
  | { [K in C]: Extract<ResolvedColumn<K>, { readonly ok: true }> & { readonly column: K } }[C];

/**
 * The first of several columns, best first, that resolves. Where none does, the first that was there but unusable is
 * the answer: it says more than nothing.
 */
export function resolveFirst<C extends Column>(
  columns: readonly C[],
  occurrence: Occurrence,
  annotations: Annotations | null | undefined,
  fallback: Expectation | undefined,
): ResolvedPath<C> {
  let fallen: NonEvaluable | undefined;
  for (const column of columns) {
    const resolved = resolveColumn(column, occurrence, annotations, fallback);
    if (resolved.ok) return { ...resolved, column } as ResolvedPath<C>;
    if (fallen === undefined && resolved.result.reason !== "no_expectation") fallen = resolved.result;
  }
  return { ok: false, result: fallen ?? nonEvaluable("no_expectation") };
}

/** What a scorer's configuration expects of every unit, where it has a value. */
export function runLevel(column: Column, value: unknown): Expectation | undefined {
  return value === null ? undefined : { [column]: value, origin: "run" };
}

function has(expectation: object, column: Column): boolean {
  const value = Object.hasOwn(expectation, column) ? (expectation as Expectation)[column] : undefined;
  return value !== undefined && value !== null;
}

function read<C extends Column>(column: C, expectation: Expectation): ResolvedColumn<C> {
  const { status = "proposed", origin } = expectation;
  if (status !== "proposed" && status !== "approved") {
    return invalid(`status: must be proposed or approved, got ${show(status)}`);
  }
  const parsed = parseColumn(column, expectation[column]);
  if (!parsed.ok) return invalid(parsed.message);
  return { ok: true, value: parsed.value, status, origin: origin === "run" ? "run" : "own" };
}

function invalid(message: string): { readonly ok: false; readonly result: NonEvaluable } {
  return { ok: false, result: nonEvaluable("invalid_expectation", message) };
}

function requestOf(occurrence: Occurrence): Parameters<typeof foundInAnnotations>[0] {
  const unitId = String(occurrence.unit_id);
  const bare = unitId.slice(unitId.indexOf(":") + 1);
  const session = occurrence.unit === "session";
  const traces = occurrence.trace_ids;
  return {
    unit: session ? "session" : "trajectory",
    unit_id: unitId,
    trace_ids: Array.isArray(traces) && traces.length > 0 ? traces : [bare],
    session_id: typeof occurrence.session_id === "string" ? occurrence.session_id : bare,
  };
}
