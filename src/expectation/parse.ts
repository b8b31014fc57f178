import { z } from "zod";
import { show } from "../model/errors.ts";
import type { Column, ExpectationRule, ExpectedCall, ExpectedStep } from "../model/expectation.ts";
import { describeIssues } from "./issues.ts";
import { plainJson } from "./plain-json.ts";
import { expectedCallsSchema, expectedStepsSchema, expectedToolsSchema, strict } from "./schemas.ts";

export { expectedCallsSchema, expectedStepsSchema, expectedToolsSchema };

/** What each column holds once parsed. */
export interface ColumnValues {
  readonly expected_steps: readonly ExpectedStep[];
  readonly expected_tools: readonly string[];
  readonly expected_calls: readonly ExpectedCall[];
}

/** The value of a column, or one line that says where it is wrong and what is allowed. */
export type ParsedColumn<C extends Column> =
  | { readonly ok: true; readonly value: ColumnValues[C] }
  | { readonly ok: false; readonly message: string };

const schemas: { readonly [C in Column]: z.ZodType<ColumnValues[C]> } = {
  expected_steps: expectedStepsSchema,
  expected_tools: expectedToolsSchema,
  expected_calls: expectedCallsSchema,
};

/**
 * Reads one column from what an attribute, an annotation or code holds: JSON text, a list, or a list of plain names
 * (for `expected_calls` a plain name is a call of which only the name matters). Never throws.
 */
export function parseColumn<C extends Column>(column: C, value: unknown): ParsedColumn<C> {
  try {
    return parse(column, value);
  } catch (error) {
    // Getters and proxies of the host can throw.
    return { ok: false, message: `${column}: could not be read: ${error instanceof Error ? error.message : show(error)}` };
  }
}

function parse<C extends Column>(column: C, value: unknown): ParsedColumn<C> {
  let list = value;
  if (typeof value === "string") {
    try {
      list = JSON.parse(value);
    } catch {
      return { ok: false, message: `${column}: must be JSON text or a list, got ${show(value)}` };
    }
  }
  const plain = plainJson(list);
  if (!plain.ok) return { ok: false, message: `${column}: ${plain.message}` };
  const parsed = schemas[column].safeParse(column === "expected_calls" ? callsOfNames(plain.value) : plain.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, message: describeIssues(parsed.error.issues, column, plain.value)[0] ?? `${column}: not usable` };
}

function callsOfNames(list: unknown): unknown {
  if (!Array.isArray(list) || list.length === 0 || !list.every((item) => typeof item === "string")) return list;
  return list.map((name) => ({ name }));
}

const MATCH = "must be a mapping with any of agent, root_span, trace_id, session_id, attributes";
const text = z.string({ error: "must be text" }).min(1, { error: "must be text that is not empty" });
const scalar = z.union([z.string(), z.number(), z.boolean()], { error: "must be text, a number, true or false" });

const matchSchema = strict(
  {
    agent: text.exactOptional(),
    root_span: text.exactOptional(),
    trace_id: text.exactOptional(),
    session_id: text.exactOptional(),
    attributes: z
      .record(z.string(), scalar, { error: "must be a mapping from attribute keys to values" })
      .exactOptional(),
  },
  MATCH,
);

const RULE = "must be a mapping with expected_steps, expected_tools or expected_calls";
const ruleSchema = strict(
  {
    id: text.exactOptional(),
    match: matchSchema.exactOptional(),
    unit: z.enum(["trajectory", "session"], { error: "must be trajectory or session" }).exactOptional(),
    status: z.enum(["proposed", "approved"], { error: "must be proposed or approved" }).exactOptional(),
    expected_steps: expectedStepsSchema.exactOptional(),
    expected_tools: expectedToolsSchema.exactOptional(),
    expected_calls: expectedCallsSchema.exactOptional(),
  },
  RULE,
).refine((rule) => hasColumn(rule), { error: RULE });

const rulesSchema: z.ZodType<ExpectationRule[]> = z.array(ruleSchema, { error: "must be a list of expectations" });
const documentSchema = strict({ expectations: rulesSchema }, "must be a mapping with the key expectations");

function hasColumn(rule: object): boolean {
  return Object.keys(schemas).some((column) => Object.hasOwn(rule, column));
}

/** The rules of a document, or one line per problem. */
export type ParsedExpectations =
  | { readonly ok: true; readonly rules: ExpectationRule[] }
  | { readonly ok: false; readonly problems: string[] };

/**
 * Reads a document `{ expectations: [...] }`. Unknown keys are refused.
 *
 * @param where - Name of the document, put before each problem; may be empty.
 */
export function parseExpectations(document: unknown, where: string): ParsedExpectations {
  const parsed = checked(documentSchema, document, "");
  if (parsed.ok) return { ok: true, rules: parsed.value.expectations };
  return { ok: false, problems: parsed.problems.map((line) => (where === "" ? line : `${where}: ${line}`)) };
}

/** Reads a list of rules that code gave. `path` names the list, for example `expectations`. */
export function parseRules(rules: unknown, path: string): ParsedExpectations {
  const parsed = checked(rulesSchema, rules, path);
  return parsed.ok ? { ok: true, rules: parsed.value } : parsed;
}

function checked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  root: string,
): { ok: true; value: T } | { ok: false; problems: string[] } {
  const prefix = root === "" ? "" : `${root}: `;
  try {
    const plain = plainJson(value);
    if (!plain.ok) return { ok: false, problems: [prefix + plain.message] };
    const parsed = schema.safeParse(plain.value);
    if (parsed.success) return { ok: true, value: parsed.data };
    return { ok: false, problems: describeIssues(parsed.error.issues, root, plain.value) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : show(error);
    return { ok: false, problems: [`${prefix}could not be read: ${reason}`] };
  }
}
