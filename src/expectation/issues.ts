import type { z } from "zod";
import { show } from "../model/errors.ts";

type Issue = z.core.$ZodIssue;

/** Keys that stand in a path as they are; others, which users may write, are shown as text of sane length. */
const PLAIN_KEY = /^[\w.$@/-]{1,80}$/;

/** Writes a path as a reader would: `expectations[2].expected_steps[1]`. */
export function pathText(root: string, path: readonly PropertyKey[]): string {
  let text = root;
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (typeof key === "string" && !PLAIN_KEY.test(key)) text += `[${show(key)}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** One mistake: where, and one line that names the place, what is allowed there and what was found. */
export interface Problem {
  /** Path of the bad field; empty for the whole value. */
  readonly path: string;
  /** The whole line, place first. */
  readonly line: string;
}

/** Puts the place before the text, where there is one. */
export function problemAt(path: string, text: string): Problem {
  return { path, line: path === "" ? text : `${path}: ${text}` };
}

/** Problems of a value that was refused. `root` names that value; empty for a whole document. */
export function describeIssues(issues: readonly Issue[], root: string, value: unknown): Problem[] {
  // A key that is misspelled is missing under its own name too: the former says what to do.
  const ordered = [...issues.filter(isUnknownKey), ...issues.filter((issue) => !isUnknownKey(issue))];
  return ordered.map((issue) => {
    const { path, message, unknownKey } = deepest(issue);
    const found = valueAt(value, path);
    // The message about an unknown key names it; the object around it would only be noise.
    const text = unknownKey ? message : `${message}, got ${found === undefined ? "nothing" : show(found)}`;
    return problemAt(pathText(root, path), text);
  });
}

/**
 * A union reports that no branch fits; the branch that fits at its top and fails further in is the one that was
 * meant, so its first complaint is the useful one.
 */
function deepest(issue: Issue): { path: readonly PropertyKey[]; message: string; unknownKey: boolean } {
  let path: readonly PropertyKey[] = issue.path;
  let current = issue;
  while (current.code === "invalid_union") {
    const meant = current.errors.filter((branch) => (branch[0]?.path.length ?? 0) > 0);
    const branch = meant.find((each) => !each.some(isUnknownKey)) ?? meant[0];
    const inner = branch?.find(isUnknownKey) ?? branch?.[0];
    if (inner === undefined) break;
    path = [...path, ...inner.path];
    current = inner;
  }
  return { path, message: current.message, unknownKey: isUnknownKey(current) };
}

function isUnknownKey({ code }: Issue): boolean {
  return code === "unrecognized_keys";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
