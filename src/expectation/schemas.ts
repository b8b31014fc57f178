import { z } from "zod";
import type { ExpectationRule, ExpectedCall, ExpectedStep } from "../model/expectation.ts";

/** A name that is nothing once case, `-` and `_` are set aside would equal every other such name. */
function isUsableName(name: string): boolean {
  return name.replaceAll(/[-_]/g, "") !== "";
}

const USABLE = "must be a name with more in it than - and _";
const nameSchema = z.string({ error: "must be a name" }).refine(isUsableName, { error: USABLE });
const memberSchema = z
  .string({ error: "must be a name (a group holds names only, one level)" })
  .refine(isUsableName, { error: USABLE });

/** An object without unknown keys; the message lists the known ones. */
export function strict<Shape extends z.core.$ZodShape>(
  shape: Shape,
  allowed: string,
): z.ZodObject<Shape, z.core.$strict> {
  const known = Object.keys(shape).join(", ");
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? `unknown key ${(issue.keys as string[]).map((key) => JSON.stringify(key)).join(", ")}; allowed: ${known}`
        : allowed,
  });
}

const STEPS = "must be a list of names, or of lists of names (unordered groups, one level), with at least one name";

/** `expected_steps`: names, or lists of names = an unordered group (one level); at least one name in all. */
export const expectedStepsSchema: z.ZodType<ExpectedStep[]> = z
  .array(
    z.union([nameSchema, z.array(memberSchema)], {
      error: "must be a name, or a list of names (an unordered group, one level)",
    }),
    { error: STEPS },
  )
  .refine((steps) => steps.some((step) => step.length > 0), { error: STEPS });

const TOOLS = "must be a list of tool names with at least one name";

/** `expected_tools`: at least one tool name. */
export const expectedToolsSchema: z.ZodType<string[]> = z
  .array(nameSchema, { error: TOOLS })
  .refine((tools) => tools.length > 0, { error: TOOLS });

const callSchema = strict(
  {
    name: nameSchema,
    args: z.record(z.string(), z.unknown(), { error: "must be an object of arguments" }).exactOptional(),
    match: z.enum(["exact", "subset", "ignore"], { error: "must be exact, subset or ignore" }).exactOptional(),
  },
  "must be a call: { name, args?, match? }",
);

/** `expected_calls`: calls in order; an empty list is legal and says "call nothing". */
export const expectedCallsSchema: z.ZodType<ExpectedCall[]> = z.array(callSchema, {
  error: "must be a list of calls: [{ name, args?, match? }]",
});

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
  "must be a mapping with any of agent, root_span, trace_id, session_id, attributes",
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
).refine(
  (rule) => rule.expected_steps !== undefined || rule.expected_tools !== undefined || rule.expected_calls !== undefined,
  { error: RULE },
);

/** A list of rules, as code gives it and as the key `expectations` of a document holds it. */
export const rulesSchema: z.ZodType<ExpectationRule[]> = z.array(ruleSchema, {
  error: "must be a list of expectations",
});

/** A whole document: `{ expectations: [...] }`. */
export const documentSchema: z.ZodType<{ expectations: ExpectationRule[] }> = strict(
  { expectations: rulesSchema },
  "must be a mapping with the key expectations",
);
