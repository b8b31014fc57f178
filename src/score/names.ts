import { normalizeName } from "../model/names.ts";
import type { Step } from "../model/trajectory.ts";
import { normalizedName } from "./seen-names.ts";

/** How names compare: `normalized` as the rule below says, `exact` to the letter. */
export type NameRule = "normalized" | "exact";

/** What of a step a name is compared with. */
export type NamedStep = Pick<Step, "kind" | "name" | "raw_name">;

/**
 * Whether an expected name and a step name the same thing: what `codeNames` says, without keeping anything. For few
 * comparisons; O(length of the names) each.
 */
export function sameName(expected: string, step: NamedStep, rule: NameRule): boolean {
  const { kind, name, raw_name: raw } = step;
  if (expected === name && (raw === undefined || kind === "AGENT" || !expected.startsWith("mcp__"))) return true;
  if (kind === "AGENT") return false;
  const called = raw !== undefined && expected.startsWith("mcp__") ? raw : name;
  return rule === "exact" ? expected === called : sameNormalized(expected, called);
}

/** Whether two names are equal after {@link normalizeName}; most that are not differ in their first letters. */
function sameNormalized(left: string, right: string): boolean {
  let at = 0;
  let other = 0;
  for (;;) {
    let first = left.charCodeAt(at);
    while (first === HYPHEN || first === UNDERSCORE) first = left.charCodeAt(++at);
    let second = right.charCodeAt(other);
    while (second === HYPHEN || second === UNDERSCORE) second = right.charCodeAt(++other);
    // Only of plain letters is it known here what becomes of them in lower case. Behind the end is NaN.
    if (first > ASCII || second > ASCII) return normalizeName(left) === normalizeName(right);
    if (first !== second && lowerCase(first) !== lowerCase(second)) return at >= left.length && other >= right.length;
    at += 1;
    other += 1;
  }
}

const HYPHEN = 45;
const UNDERSCORE = 95;
const ASCII = 127;

function lowerCase(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** Key under which an expected tool name finds {@link calledKey} or {@link rawKey} of a call. */
export function expectedToolKey(name: string, rule: NameRule): string {
  return name.startsWith("mcp__") ? rawKey(name, rule) : calledKey(name, rule);
}

/** Key of a call's bare name. */
export function calledKey(name: string, rule: NameRule): string {
  return `n${rule === "exact" ? name : normalizedName(name)}`;
}

/** Key of a call's raw name. */
export function rawKey(name: string, rule: NameRule): string {
  return `r${rule === "exact" ? name : normalizedName(name)}`;
}
