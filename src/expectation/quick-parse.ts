import type { Column, ExpectedStep } from "../model/expectation.ts";

/** Lists with more names than this are left to the schema, which refuses what is too large. */
const MOST = 50_000;

const HYPHEN = 45;
const UNDERSCORE = 95;

/** Column values that have been checked and then frozen all the way down: nobody can have changed them since. */
const KNOWN: Record<Column, WeakSet<object>> = {
  expected_steps: new WeakSet(),
  expected_tools: new WeakSet(),
  expected_calls: new WeakSet(),
  max_calls: new WeakSet(),
  forbidden_tools: new WeakSet(),
};

/** Remembers a value that passed its schema and has been frozen all the way down. */
export function remember(column: Column, value: unknown): void {
  if (typeof value === "object" && value !== null && Object.isFrozen(value)) KNOWN[column].add(value);
}

/** Whether a value is one that {@link remember} was given for the column. */
export function isKnown(column: Column, value: unknown): boolean {
  return typeof value === "object" && value !== null && KNOWN[column].has(value);
}

/** A copy of a list of usable names; undefined: ask the schema, which also says what is wrong. */
export function quickNames(value: unknown): string[] | undefined {
  try {
    return Array.isArray(value) && value.length > 0 && value.length <= MOST ? copyNames(value) : undefined;
  } catch {
    // Getters and proxies of the host can throw; the schema's way reports that.
    return undefined;
  }
}

/** A copy of a list of usable names and of lists of them, with at least one name; undefined: ask the schema. */
export function quickSteps(value: unknown): ExpectedStep[] | undefined {
  try {
    if (!Array.isArray(value) || value.length === 0 || value.length > MOST) return undefined;
    const copy: ExpectedStep[] = [];
    let names = 0;
    for (let index = 0; index < value.length; index += 1) {
      const step: unknown = value[index];
      if (typeof step === "string") {
        if (!isUsable(step)) return undefined;
        names += 1;
        copy.push(step);
        continue;
      }
      if (!Array.isArray(step)) return undefined;
      const members = step.length > MOST ? undefined : copyNames(step);
      if (members === undefined) return undefined;
      names += members.length;
      if (names > MOST) return undefined;
      copy.push(members);
    }
    return names === 0 ? undefined : copy;
  } catch {
    return undefined;
  }
}

function copyNames(list: readonly unknown[]): string[] | undefined {
  const copy: string[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const name = list[index];
    if (typeof name !== "string" || !isUsable(name)) return undefined;
    copy.push(name);
  }
  return copy;
}

/** Mostly decided by the first letter. */
function isUsable(name: string): boolean {
  const first = name.charCodeAt(0);
  if (first !== HYPHEN && first !== UNDERSCORE) return name.length > 0;
  for (let index = 1; index < name.length; index += 1) {
    const code = name.charCodeAt(index);
    if (code !== HYPHEN && code !== UNDERSCORE) return true;
  }
  return false;
}
