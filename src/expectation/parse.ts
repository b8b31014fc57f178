import type { z } from "zod";
import { show } from "../model/errors.ts";
import type { Column, ExpectationRule, ExpectedCall, ExpectedSteps, MaxCalls } from "../model/expectation.ts";
import { describeIssues, type Problem, problemAt } from "./issues.ts";
import { plainJson } from "./plain-json.ts";
import { isKnown, quickNames, quickSteps } from "./quick-parse.ts";
import {
  documentSchema,
  expectationStepsSchema,
  expectedCallsSchema,
  expectedStepsSchema,
  expectedToolsSchema,
  maxCallsSchema,
  rulesSchema,
} from "./schemas.ts";

export { expectationStepsSchema, expectedCallsSchema, expectedStepsSchema, expectedToolsSchema, maxCallsSchema };

/** What each column holds once parsed. */
export interface ColumnValues {
  readonly expected_steps: ExpectedSteps;
  readonly expected_tools: readonly string[];
  readonly expected_calls: readonly ExpectedCall[];
  readonly max_calls: MaxCalls;
  readonly forbidden_tools: readonly string[];
}

/** The value of a column, or one line that says where it is wrong and what is allowed. */
export type ParsedColumn<C extends Column> =
  | { readonly ok: true; readonly value: ColumnValues[C] }
  | { readonly ok: false; readonly message: string };

const schemas: { readonly [C in Column]: z.ZodType<ColumnValues[C]> } = {
  expected_steps: expectationStepsSchema,
  expected_tools: expectedToolsSchema,
  expected_calls: expectedCallsSchema,
  max_calls: maxCallsSchema,
  forbidden_tools: expectedToolsSchema,
};

/** Every column, in the order in which they are listed everywhere. */
export const COLUMNS: readonly Column[] = [
  "expected_steps",
  "expected_tools",
  "expected_calls",
  "max_calls",
  "forbidden_tools",
];

/**
 * Reads one column from what an attribute, an annotation or code holds: JSON text, a list, or a list of plain names
 * (for `expected_calls` a plain name is a call of which only the name matters). Never throws; what comes back shares
 * no object with `value`, unless that is a deep-frozen value which this module has checked before.
 *
 * Plain lists of names, and lists of names and groups, are checked by hand: a schema would cost more than the score.
 */
export function parseColumn<C extends Column>(column: C, value: unknown): ParsedColumn<C> {
  if (isKnown(column, value)) return { ok: true, value: value as ColumnValues[C] };
  let list = value;
  if (typeof value === "string") {
    try {
      list = JSON.parse(value);
    } catch {
      return { ok: false, message: `${column}: must be JSON text or a list, got ${show(value)}` };
    }
  }
  const quick =
    column === "expected_steps" ? quickSteps(list) : column === "expected_tools" ? quickNames(list) : undefined;
  if (quick !== undefined) return { ok: true, value: quick as unknown as ColumnValues[C] };
  const parsed = checked(schemas[column], list, column, column === "expected_calls" ? callsOfNames : undefined);
  if (parsed.ok) return parsed;
  return { ok: false, message: parsed.problems[0]?.line ?? column };
}

function callsOfNames(list: unknown): unknown {
  if (!Array.isArray(list) || list.length === 0 || !list.every((item) => typeof item === "string")) return list;
  return list.map((name) => ({ name }));
}

/** The rules of a document, or one line per problem. */
export type ParsedExpectations =
  | { readonly ok: true; readonly rules: ExpectationRule[] }
  | { readonly ok: false; readonly problems: string[] };

/**
 * Reads a document `{ expectations: [...] }`. Unknown keys are refused. Never throws.
 *
 * @param where - Name of the document, put before each problem; may be empty.
 */
export function parseExpectations(document: unknown, where: string): ParsedExpectations {
  const parsed = checked(documentSchema, document, "");
  if (parsed.ok) return { ok: true, rules: parsed.value.expectations };
  return { ok: false, problems: parsed.problems.map(({ line }) => (where === "" ? line : `${where}: ${line}`)) };
}

/** The rules of a list, or what is wrong with it. */
export type ParsedRules =
  | { readonly ok: true; readonly value: ExpectationRule[] }
  | { readonly ok: false; readonly problems: Problem[] };

/** Reads a list of rules that code gave. `path` names the list, for example `expectations`. Never throws. */
export function parseRules(rules: unknown, path: string): ParsedRules {
  return checked(rulesSchema, rules, path);
}

type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] };

function checked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  root: string,
  prepare?: (plain: unknown) => unknown,
): Checked<T> {
  try {
    const plain = plainJson(value);
    if (!plain.ok) return { ok: false, problems: [problemAt(root, plain.message)] };
    const parsed = schema.safeParse(prepare === undefined ? plain.value : prepare(plain.value));
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, problems: describeIssues(parsed.error.issues, root, plain.value) };
  } catch (error) {
    // Getters and proxies of the host can throw.
    const reason = error instanceof Error ? error.message : show(error);
    return { ok: false, problems: [problemAt(root, `could not be read: ${reason}`)] };
  }
}
