import type { ScoreResult } from "../model/result.ts";
import { type DiffLine, diffOf } from "./diff-lines.ts";
import { oneLine } from "./one-line.ts";

const NONE = "(none)";
/** Longer names do not push the second column further to the right. */
const WIDEST = 40;

/** How a diff is laid out. */
export interface DiffOptions {
  /** Members of a group that may come in any order are joined by a bracket. @defaultValue false */
  readonly groups?: boolean | undefined;
  /** Terminal colours, for a reader that is a terminal. @defaultValue false */
  readonly color?: boolean | undefined;
  /** Arguments are shown where the result has them; otherwise names alone. @defaultValue true */
  readonly arguments?: boolean | undefined;
}

/**
 * The two sides of a result, one line per aligned step; lines that differ start with `!!`, others with two spaces, an
 * absent side is `(none)`. Deterministic. Works from the metadata alone, so also on results read back from a file.
 *
 * For step lists a line is an entry of `metadata.steps`, then of `extra_steps`. For tool selection a line is an
 * expected tool; the actual side of one that was called repeats the expected spelling. A result without a score gives
 * one line that says why; one without lists gives an empty text.
 */
export function renderDiff(result: ScoreResult, options: DiffOptions = {}): string {
  try {
    if (result.status === "non_evaluable") return `not evaluated: ${oneLine(result.reason)}`;
    if (result.status === "error") return `error: ${oneLine(result.error.type)}: ${oneLine(result.error.message)}`;
  } catch {
    return "";
  }
  return layOut(diffOf(result, undefined, options.arguments !== false).lines, options);
}

function layOut(lines: readonly DiffLine[], { groups, color }: DiffOptions): string {
  const width = Math.min(
    WIDEST,
    lines.reduce((most, line) => Math.max(most, (line.expected ?? NONE).length), 0),
  );
  const digits = String(Math.max(0, lines.length - 1)).length;
  const bracketed = groups === true && lines.some((line) => line.group !== undefined);
  return lines
    .map((line, index) => {
      const place = String(index).padStart(digits);
      const bracket = bracketed ? ` ${bracketOf(lines, index)}` : "";
      const sides = `expected ${(line.expected ?? NONE).padEnd(width)}  actual ${line.actual ?? NONE}`;
      const text = `${line.same ? "  " : "!!"} ${place}:${bracket} ${sides}`;
      return color === true && !line.same ? `\u001b[31m${text}\u001b[39m` : text;
    })
    .join("\n");
}

/** The bracket's part beside one line: a group's first line opens it, its last closes it. */
function bracketOf(lines: readonly DiffLine[], index: number): string {
  const group = lines[index]?.group;
  if (group === undefined) return " ";
  const opens = lines[index - 1]?.group !== group;
  const closes = lines[index + 1]?.group !== group;
  if (opens && closes) return "[";
  if (opens) return "┌";
  return closes ? "└" : "│";
}
