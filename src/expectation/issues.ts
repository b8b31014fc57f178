import type { z } from "zod";
import { show } from "../model/errors.ts";

type Issue = z.core.$ZodIssue;

/** Writes a path as a reader would: `expectations[2].expected_steps[1]`. */
export function pathText(root: string, path: readonly PropertyKey[]): string {
  let text = root;
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else text += text === "" ? String(key) : `.${String(key)}`;
  }
  return text;
}

/**
 * One line per problem: the path of the bad field, what is allowed there, and the value that was found.
 *
 * `root` names the value that was parsed (empty for a whole document); `value` is that value.
 */
export function describeIssues(issues: readonly Issue[], root: string, value: unknown): string[] {
  return issues.map((issue) => describeIssue(issue, root, value));
}

function describeIssue(issue: Issue, root: string, value: unknown): string {
  const { path, message } = deepest(issue);
  const found = valueAt(value, path);
  const place = pathText(root, path);
  const text = message.includes("unknown key") ? message : `${message}, got ${found === undefined ? "nothing" : show(found)}`;
  return place === "" ? text : `${place}: ${text}`;
}

/**
 * A union reports that no branch fits; the branch that fits at its top and fails further in is the one that was
 * meant, so its first complaint is the useful one.
 */
function deepest(issue: Issue): { path: readonly PropertyKey[]; message: string } {
  let path: readonly PropertyKey[] = issue.path;
  let current = issue;
  while (current.code === "invalid_union") {
    const inner = current.errors.find((branch) => (branch[0]?.path.length ?? 0) > 0)?.[0];
    if (inner === undefined) break;
    path = [...path, ...inner.path];
    current = inner;
  }
  return { path, message: current.message };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<PropertyKey, unknown>)[key];
  }
  return current;
}
