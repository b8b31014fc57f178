import { canonicalJson } from "../model/digest.ts";
import type { ScoreResult } from "../model/result.ts";
import { oneLine, quotedIfBlank } from "./one-line.ts";

/** One aligned step, each side as text on one line; null where the side is absent. */
export interface DiffLine {
  readonly expected: string | null;
  readonly actual: string | null;
  readonly same: boolean;
  /** Index of the group in what was expected; absent outside of groups. */
  readonly group?: number;
}

/** The aligned steps of a result: as many lines as were asked for, and the counts of all. */
export interface Diff {
  readonly lines: readonly DiffLine[];
  readonly total: number;
  readonly differing: number;
}

const NOTHING: Diff = { lines: [], total: 0, differing: 0 };

/**
 * The aligned steps of a result. Works from the metadata alone, so also on results read back from a file; never throws.
 *
 * For step lists a line is an entry of `metadata.steps`, then of `extra_steps`. For tool selection a line is an
 * expected tool; the actual side of one that was called repeats the expected spelling. A result without a score, or
 * without lists, has none. O(entries); only the lines that were asked for are spelled.
 */
export function diffOf(
  result: ScoreResult,
  limit: number = Number.POSITIVE_INFINITY,
  withArguments: boolean = true,
): Diff {
  try {
    return result.status === "scored" ? read(result.metadata, limit, withArguments) : NOTHING;
  } catch {
    // Metadata of a custom scorer may be anything, getters that throw included.
    return NOTHING;
  }
}

function read(metadata: Readonly<Record<string, unknown>>, limit: number, withArguments: boolean): Diff {
  const side = (value: unknown): string | null => sideText(value, withArguments);
  const { steps, extra_steps: extra, expected_tools: expected, missing_tools: missing } = metadata;
  if (Array.isArray(steps)) {
    const extras = listOf(extra);
    const shown = steps.slice(0, limit).map((entry) => stepLine(entry, side));
    const same = steps.reduce((count: number, entry: unknown) => count + (isSame(entry) ? 1 : 0), 0);
    const total = steps.length + extras.length;
    const rest = extras
      .slice(0, Math.max(0, limit - shown.length))
      .map((name) => ({ expected: null, actual: side(name), same: false }));
    return { lines: [...shown, ...rest], total, differing: total - same };
  }
  if (!Array.isArray(expected)) return NOTHING;
  const absent = new Set(listOf(missing));
  const lines = expected.slice(0, limit).map((tool) => toolLine(side(tool), !absent.has(tool)));
  return { lines, total: expected.length, differing: expected.filter((tool) => absent.has(tool)).length };
}

function toolLine(expected: string | null, called: boolean): DiffLine {
  return { expected, actual: called ? expected : null, same: called };
}

function stepLine(entry: unknown, side: (value: unknown) => string | null): DiffLine {
  const step = recordOf(entry);
  const [expected, taken, same] = [side(step.expected), side(step.actual), isSame(entry)];
  // Of one name, and yet not what was expected: arguments that are not shown make the difference.
  const actual = !same && taken !== null && taken === expected ? `${taken} (not the same call)` : taken;
  const line = { expected, actual, same };
  return typeof step.group === "number" ? { ...line, group: step.group } : line;
}

function isSame(entry: unknown): boolean {
  return recordOf(entry).op === "match";
}

function recordOf(entry: unknown): Readonly<Record<string, unknown>> {
  return typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name, or a call as `name(key=value, …)` with its arguments in key order, whatever their depth. */
function sideText(value: unknown, withArguments: boolean): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return quotedIfBlank(oneLine(value));
  if (typeof value !== "object") return oneLine(String(value));
  const { name, args } = value as { readonly name?: unknown; readonly args?: unknown };
  const shown = typeof name === "string" ? quotedIfBlank(oneLine(name)) : null;
  if (!withArguments || args === undefined || args === null) return shown;
  return `${shown ?? "(none)"}(${argumentsText(args)})`;
}

function argumentsText(args: unknown): string {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return oneLine(canonicalJson(args));
  const given = args as Readonly<Record<string, unknown>>;
  const keys = Object.keys(given).sort();
  return keys.map((key) => `${oneLine(key)}=${oneLine(canonicalJson(given[key]))}`).join(", ");
}
