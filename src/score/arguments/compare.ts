import type { ExpectedCall } from "../../model/expectation.ts";
import type { Step } from "../../model/trajectory.ts";
import { canonicalText } from "./canonical.ts";
import { decimalOf } from "./decimal.ts";
import type { ArgumentPolicy, CallRules } from "./policy.ts";

/** What comparing two calls gives; `UNKNOWN` where arguments matter that were not recorded. */
export const DIFFERENT = 0;
export const EQUAL = 1;
export const UNKNOWN = 2;
export type CallVerdict = typeof DIFFERENT | typeof EQUAL | typeof UNKNOWN;

/** Fields of an argument list, each as text that is equal for equal values. */
type Fields = ReadonlyMap<string, string>;

/** Whether arguments were recorded and can be read. */
export function hasArguments(step: Step): boolean {
  const { args, args_status: status } = step;
  if (status !== undefined && status !== "ok") return false;
  return status === "ok" || args !== undefined;
}

/**
 * Compares the arguments of an expected with those of an observed call of the same name.
 *
 * `exact`: the same fields with deeply equal values. `subset`: every expected field is there, its value deeply equal.
 * `ignore`: not compared. No arguments at all and an empty object are the same. A custom comparator replaces the rules.
 *
 * Complexity: O(size of the arguments); each side's fields are read once per set of rules.
 */
export class ArgumentComparer {
  readonly #policy: ArgumentPolicy;
  readonly #expected: Map<ExpectedCall, { readonly rules: CallRules; readonly fields: Fields }> = new Map();
  readonly #actual: Map<Step, Map<ReadonlySet<string>, Fields | undefined>> = new Map();

  constructor(policy: ArgumentPolicy) {
    this.#policy = policy;
  }

  compare(call: ExpectedCall, step: Step): CallVerdict {
    const { rules, fields: wanted } = this.#wanted(call);
    if (rules.match === "ignore") return EQUAL;
    const custom = this.#policy.config.compare_args;
    if (custom === undefined && rules.match === "subset" && wanted.size === 0) return EQUAL;
    if (!hasArguments(step)) return UNKNOWN;
    if (custom !== undefined) return custom(call, step) === true ? EQUAL : DIFFERENT;
    const given = this.#given(step, rules);
    if (given === undefined) return isObject(step.args) ? UNKNOWN : DIFFERENT;
    if (rules.match === "exact" && given.size !== wanted.size) return DIFFERENT;
    for (const [name, text] of wanted) if (given.get(name) !== text) return DIFFERENT;
    return EQUAL;
  }

  #wanted(call: ExpectedCall): { readonly rules: CallRules; readonly fields: Fields } {
    let found = this.#expected.get(call);
    if (found === undefined) {
      const rules = this.#policy.rulesFor(call);
      // Expected calls are plain JSON of a sane size, which can be read.
      found = { rules, fields: fieldsOf(call.args, rules) as Fields };
      this.#expected.set(call, found);
    }
    return found;
  }

  #given(step: Step, rules: CallRules): Fields | undefined {
    let known = this.#actual.get(step);
    if (known === undefined) {
      known = new Map();
      this.#actual.set(step, known);
    }
    // The rules of one tool share their sets.
    if (!known.has(rules.numeric)) known.set(rules.numeric, fieldsOf(step.args, rules));
    return known.get(rules.numeric);
  }
}

/** Undefined for what is no object, or cannot be read. */
function fieldsOf(args: unknown, rules: CallRules): Fields | undefined {
  const fields = new Map<string, string>();
  if (args === null || args === undefined) return fields;
  if (!isObject(args)) return undefined;
  for (const name of Object.keys(args)) {
    if (rules.ignore.has(name)) continue;
    const value: unknown = args[name];
    if (value === undefined) continue;
    const text = fieldText(name, value, rules);
    if (text === undefined) return undefined;
    fields.set(name, text);
  }
  return fields;
}

function fieldText(name: string, value: unknown, rules: CallRules): string | undefined {
  if (typeof value !== "string") return canonicalText(value);
  if (rules.numeric.has(name)) {
    const number = decimalOf(value.trim());
    if (number !== undefined) return number;
  }
  return canonicalText(rules.trim.has(name) ? value.trim() : value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
