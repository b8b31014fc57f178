import type { ScoreResult } from "../model/result.ts";
import { oneLine } from "./one-line.ts";

/** One aligned step, each side as text on one line; null where the side is absent. */
export interface DiffLine {
  readonly expected: string | null;
  readonly actual: string | null;
  readonly same: boolean;
  /** Index of the group in what was expected; absent outside of groups. */
  readonly group?: number;
}

/**
 * The aligned steps of a result. Works from the metadata alone, so also on results read back from a file; never throws.
 *
 * For step lists a line is an entry of `metadata.steps`, then of `extra_steps`. For tool selection a line is an
 * expected tool; the actual side of one that was called repeats the expected spelling. A result without a score, or
 * without lists, has none.
 */
export function diffLines(result: ScoreResult): DiffLine[] {
  try {
    return result.status === "scored" ? linesOf(result.metadata) : [];
  } catch {
    // Metadata of a custom scorer may be anything, getters that throw included.
    return [];
  }
}

function linesOf(metadata: Readonly<Record<string, unknown>>): DiffLine[] {
  const { steps, extra_steps: extra, expected_tools: expected, missing_tools: missing } = metadata;
  if (Array.isArray(steps)) return [...steps.map(stepLine), ...listOf(extra).map(extraLine)];
  if (!Array.isArray(expected)) return [];
  const absent = new Set(listOf(missing));
  return expected.map((tool) => ({
    expected: side(tool),
    actual: absent.has(tool) ? null : side(tool),
    same: !absent.has(tool),
  }));
}

function stepLine(entry: unknown): DiffLine {
  const step = typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : {};
  const line = { expected: side(step.expected), actual: side(step.actual), same: isSame(step) };
  return typeof step.group === "number" ? { ...line, group: step.group } : line;
}

function isSame(step: Readonly<Record<string, unknown>>): boolean {
  return step.op === "match";
}

function extraLine(name: unknown): DiffLine {
  return { expected: null, actual: side(name), same: false };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name, or a call as `name(key=value, …)` with its arguments in key order. */
function side(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value === "" ? '""' : oneLine(value);
  if (typeof value !== "object") return oneLine(String(value));
  const { name, args } = value as { readonly name?: unknown; readonly args?: unknown };
  const shown = typeof name === "string" ? oneLine(name) : null;
  if (typeof args !== "object" || args === null) return shown;
  const given = args as Readonly<Record<string, unknown>>;
  const parts = Object.keys(given)
    .sort()
    .map((key) => `${oneLine(key)}=${oneLine(JSON.stringify(given[key]) ?? "undefined")}`);
  return `${shown ?? "(none)"}(${parts.join(", ")})`;
}
