import type { ScoreResult } from "../model/result.ts";
import { oneLine } from "./one-line.ts";

const NONE = "(none)";
/** Longer names do not push the second column further to the right. */
const WIDEST = 40;

interface Line {
  readonly expected: string;
  readonly actual: string;
  readonly same: boolean;
}

/**
 * The two sides of a result, one line per aligned step; lines that differ start with `!!`, others with two spaces, an
 * absent side is `(none)`. Deterministic. Works from the metadata alone, so also on results read back from a file.
 *
 * For step lists a line is an entry of `metadata.steps`, then of `extra_steps`. For tool selection a line is an
 * expected tool; the actual side of one that was called repeats the expected spelling. A result without a score gives
 * one line that says why; one without lists gives an empty text.
 */
export function renderDiff(result: ScoreResult): string {
  try {
    if (result.status === "non_evaluable") return `not evaluated: ${oneLine(result.reason)}`;
    if (result.status === "error") return `error: ${oneLine(result.error.type)}: ${oneLine(result.error.message)}`;
    return layOut(linesOf(result.metadata));
  } catch {
    // Metadata of a custom scorer may be anything, getters that throw included.
    return "";
  }
}

function linesOf(metadata: Readonly<Record<string, unknown>>): Line[] {
  const { steps, extra_steps: extra, expected_tools: expected, missing_tools: missing } = metadata;
  if (Array.isArray(steps)) return [...steps.map(stepLine), ...listOf(extra).map(extraLine)];
  if (!Array.isArray(expected)) return [];
  const absent = new Set(listOf(missing));
  return expected.map((tool) => ({
    expected: side(tool),
    actual: absent.has(tool) ? NONE : side(tool),
    same: !absent.has(tool),
  }));
}

function stepLine(entry: unknown): Line {
  const step = typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : {};
  return { expected: side(step.expected), actual: side(step.actual), same: step.op === "match" };
}

function extraLine(name: unknown): Line {
  return { expected: NONE, actual: side(name), same: false };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A name, or a call as `name(key=value, …)` with its arguments in key order. */
function side(value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === "string") return value === "" ? '""' : oneLine(value);
  if (typeof value !== "object") return oneLine(String(value));
  const { name, args } = value as { readonly name?: unknown; readonly args?: unknown };
  const shown = typeof name === "string" ? oneLine(name) : NONE;
  if (typeof args !== "object" || args === null) return shown;
  const given = args as Readonly<Record<string, unknown>>;
  const parts = Object.keys(given)
    .sort()
    .map((key) => `${oneLine(key)}=${oneLine(JSON.stringify(given[key]) ?? "undefined")}`);
  return `${shown}(${parts.join(", ")})`;
}

function layOut(lines: readonly Line[]): string {
  const width = Math.min(
    WIDEST,
    lines.reduce((most, line) => Math.max(most, line.expected.length), 0),
  );
  const digits = String(Math.max(0, lines.length - 1)).length;
  return lines
    .map(({ expected, actual, same }, index) => {
      const place = String(index).padStart(digits);
      return `${same ? "  " : "!!"} ${place}: expected ${expected.padEnd(width)}  actual ${actual}`;
    })
    .join("\n");
}
