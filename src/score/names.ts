import type { ClassEquality } from "../align/alignment.ts";
import { normalizeName } from "../model/names.ts";
import type { Step } from "../model/trajectory.ts";
import { normalizedName } from "./seen-names.ts";

/** How names compare: `normalized` as the rule below says, `exact` to the letter. */
export type NameRule = "normalized" | "exact";

/** Key of a class that stands for several names; no name has it. */
const SEVERAL = -2;

/** What of a step a name is compared with. */
export type NamedStep = Pick<Step, "kind" | "name" | "raw_name">;

/**
 * Turns names into small integers, once per score, so that comparing steps compares integers.
 *
 * A TOOL step and an expected name are equal when they agree after {@link normalizeName}; an expected name that begins
 * with `mcp__` is compared with the raw name, normalised the same way. An AGENT step is equal only to the letter. So
 * each side has up to two keys, and two names are equal when they share one. Under `exact` nothing is normalised.
 */
export class NameCodes {
  readonly #rule: NameRule;
  readonly #keys: Map<string, number> = new Map();
  readonly #expectedClasses: Map<string, number> = new Map();
  readonly #severalClasses: Map<string, number> = new Map();
  readonly #actualClasses: Map<string, number> = new Map();
  readonly #expectedTool: number[] = [];
  readonly #expectedAgent: number[] = [];
  /** Classes of names that stand for one another, by the class of all of them. */
  readonly #alternatives: Map<number, readonly number[]> = new Map();
  readonly #actualName: number[] = [];
  readonly #actualRaw: number[] = [];

  constructor(rule: NameRule) {
    this.#rule = rule;
  }

  /** Class of an expected name; equal text has one class. */
  expected(name: string): number {
    let found = this.#expectedClasses.get(name);
    if (found === undefined) {
      found = this.#expectedTool.push(this.#key(expectedToolKey(name, this.#rule))) - 1;
      this.#expectedAgent.push(this.#key(`a${name}`));
      this.#expectedClasses.set(name, found);
    }
    return found;
  }

  /** Class of an expected step that may go by any of several names. */
  expectedAny(names: readonly string[]): number {
    // JSON keeps lists apart whose names hold the separator themselves.
    const text = JSON.stringify(names);
    let found = this.#severalClasses.get(text);
    if (found === undefined) {
      const classes = names.map((name) => this.expected(name));
      found = this.#expectedTool.push(SEVERAL) - 1;
      this.#expectedAgent.push(SEVERAL);
      this.#alternatives.set(found, classes);
      this.#severalClasses.set(text, found);
    }
    return found;
  }

  /** Class of a step; steps of one kind, name and raw name have one class. */
  actual(step: NamedStep): number {
    const { kind, name, raw_name: raw } = step;
    // The length keeps apart names that hold the separator themselves.
    const text = kind === "AGENT" ? `a${name}` : raw === undefined ? `t${name}` : `r${name.length}:${name}${raw}`;
    let found = this.#actualClasses.get(text);
    if (found === undefined) {
      const agent = kind === "AGENT";
      found = this.#actualName.push(this.#key(agent ? `a${name}` : calledKey(name, this.#rule))) - 1;
      this.#actualRaw.push(agent ? -1 : this.#key(rawKey(raw ?? name, this.#rule)));
      this.#actualClasses.set(text, found);
    }
    return found;
  }

  /** Whether an expected class and a step's class name the same thing. */
  readonly equal: ClassEquality = (expected, actual) => {
    const tool = this.#expectedTool[expected];
    const name = this.#actualName[actual];
    if (tool === SEVERAL) return this.#alternatives.get(expected)?.some((one) => this.equal(one, actual)) ?? false;
    return tool === name || tool === this.#actualRaw[actual] || this.#expectedAgent[expected] === name;
  };

  #key(text: string): number {
    let key = this.#keys.get(text);
    if (key === undefined) {
      key = this.#keys.size;
      this.#keys.set(text, key);
    }
    return key;
  }
}

/**
 * Whether an expected name and a step name the same thing: what {@link NameCodes} says, without keeping anything. For
 * few comparisons; O(length of the names) each.
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
