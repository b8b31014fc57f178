import { z } from "zod";
import { show } from "../model/errors.ts";
import type { ExpectationRule, ExpectedCall, ExpectedStep, ExpectedSteps, MaxCalls } from "../model/expectation.ts";

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
        ? `unknown key ${(issue.keys as string[]).slice(0, 5).map(show).join(", ")}; allowed: ${known}`
        : allowed,
  });
}

const STEPS = "must be a list of names, or of lists of names (unordered groups, one level), with at least one name";

/**
 * `expected_steps` as the metric specifications have it: names, or lists of names = an unordered group (one level); at
 * least one name in all.
 */
export const expectedStepsSchema: z.ZodType<(string | string[])[]> = z
  .array(
    z.union([nameSchema, z.array(memberSchema)], {
      error: "must be a name, or a list of names (an unordered group, one level)",
    }),
    { error: STEPS },
  )
  .refine((steps) => steps.some((step) => step.length > 0), { error: STEPS });

const STEP =
  "must be a name, or a list of names (an unordered group, one level), or { optional: name } or { any_of: [names] }";
const ALTERNATIVES = "must be a list of names with at least one name";
const stepSchema = z.union(
  [
    nameSchema,
    z.array(memberSchema),
    strict({ optional: nameSchema }, STEP),
    strict(
      {
        any_of: z
          .array(nameSchema, { error: ALTERNATIVES })
          .refine((names) => names.length > 0, { error: ALTERNATIVES }),
      },
      STEP,
    ),
  ],
  { error: STEP },
);

/** One trajectory, optional steps and alternatives included. At least one name in all. */
const trajectorySchema: z.ZodType<ExpectedStep[]> = z
  .array(stepSchema, { error: STEPS })
  .refine((steps) => steps.some((step) => !Array.isArray(step) || step.length > 0), { error: STEPS });

const ONE_OF = "must be a list of trajectories with at least one";

/** `expected_steps` of an expectation: a trajectory, or `{ one_of: [trajectory, …] }`. */
export const expectationStepsSchema: z.ZodType<ExpectedSteps> = z.union(
  [
    trajectorySchema,
    strict(
      {
        one_of: z
          .array(trajectorySchema, { error: ONE_OF })
          .refine((trajectories) => trajectories.length > 0, { error: ONE_OF }),
      },
      STEPS,
    ),
  ],
  { error: STEPS },
);

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

const COUNT = "must be a whole number of at least 0";
const countSchema = z.int({ error: COUNT }).min(0, { error: COUNT });
const MAX_CALLS = "must be a whole number of at least 0, or a mapping: tool name -> such a number, at least one";

/** `max_calls`: of all tools together, or by tool. */
export const maxCallsSchema: z.ZodType<MaxCalls> = z.union(
  [
    countSchema,
    z
      .record(z.string().refine(isUsableName, { error: USABLE }), countSchema, { error: MAX_CALLS })
      .refine((limits) => Object.keys(limits).length > 0, { error: MAX_CALLS }),
  ],
  { error: MAX_CALLS },
);

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

const RULE =
  "must be a mapping with expected_steps, expected_tools or expected_calls, or with max_calls or forbidden_tools";

const ruleSchema = strict(
  {
    id: text.exactOptional(),
    match: matchSchema.exactOptional(),
    unit: z.enum(["trajectory", "session"], { error: "must be trajectory or session" }).exactOptional(),
    status: z.enum(["proposed", "approved"], { error: "must be proposed or approved" }).exactOptional(),
    expected_steps: expectationStepsSchema.exactOptional(),
    expected_tools: expectedToolsSchema.exactOptional(),
    expected_calls: expectedCallsSchema.exactOptional(),
    max_calls: maxCallsSchema.exactOptional(),
    forbidden_tools: expectedToolsSchema.exactOptional(),
  },
  RULE,
).refine(
  (rule) =>
    rule.expected_steps !== undefined ||
    rule.expected_tools !== undefined ||
    rule.expected_calls !== undefined ||
    rule.max_calls !== undefined ||
    rule.forbidden_tools !== undefined,
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
