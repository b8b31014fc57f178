import { z } from "zod";
import { strict } from "../../expectation/schemas.ts";
import type { ExpectedCall } from "../../model/expectation.ts";
import type { Step } from "../../model/trajectory.ts";
import { CODE_ONLY, type SchemaNotes } from "../config.ts";
import { calledKey, type NameRule } from "../names.ts";

/** How arguments of one tool, or of all, compare. Fields are top-level argument names. */
export interface ArgumentRules {
  /**
   * How arguments compare where a call of `expected_calls` has `args` and does not say. A call without arguments
   * ignores them.
   * @defaultValue "exact"
   */
  readonly match?: "exact" | "subset" | "ignore" | undefined;
  /** Fields whose text is read as a number, on both sides. @defaultValue none */
  readonly numeric_args?: readonly string[] | undefined;
  /** Fields whose text loses white space at its ends, on both sides. @defaultValue none */
  readonly trim_args?: readonly string[] | undefined;
  /** Fields that are left out, on both sides. @defaultValue none */
  readonly ignore_args?: readonly string[] | undefined;
}

/** Compares the arguments of two calls of one name. It gets copies of nothing: it must change neither. */
export type CompareArguments = (expected: ExpectedCall, actual: Step) => boolean;

/** Configuration of argument comparison. */
export interface ArgumentConfig extends ArgumentRules {
  /** Rules for single tools, by tool name; each field that is given replaces the one for all tools. @defaultValue none */
  readonly tools?: Readonly<Record<string, ArgumentRules>> | undefined;
  /** Compares in place of all rules, wherever a call does not ignore arguments. Not in configuration files. */
  readonly compare_args?: CompareArguments | undefined;
  /** Puts arguments into `metadata.steps`, and so into diffs and reports. @defaultValue false: names only */
  readonly report_args?: boolean | undefined;
}

/** {@link ArgumentConfig} with its defaults. */
export interface ResolvedArgumentConfig {
  readonly match: "exact" | "subset" | "ignore";
  readonly numeric_args: readonly string[];
  readonly trim_args: readonly string[];
  readonly ignore_args: readonly string[];
  readonly tools: Readonly<Record<string, ArgumentRules>>;
  readonly compare_args?: CompareArguments | undefined;
  readonly report_args: boolean;
}

const FIELDS = "must be a list of argument names";
const MATCH = 'must be "exact", "subset" or "ignore"';
const RULES = "must be a table: tool name -> { match, numeric_args, trim_args, ignore_args }";

/** The shape of {@link ArgumentConfig}, to be spread into a configuration schema. */
export function argumentShape(notes: SchemaNotes): z.core.$ZodLooseShape {
  const fields = z.array(z.string({ error: FIELDS }), { error: FIELDS });
  const match = z.enum(["exact", "subset", "ignore"], { error: MATCH });
  const rules = { match, numeric_args: fields, trim_args: fields, ignore_args: fields };
  const shape = {
    match: match.default("exact"),
    numeric_args: fields.default([]),
    trim_args: fields.default([]),
    ignore_args: fields.default([]),
    tools: z.record(z.string(), strict(optional(rules), RULES), { error: RULES }).default({}),
    report_args: z.boolean({ error: "must be true or false" }).default(false),
    compare_args: z
      .custom<CompareArguments>((value) => typeof value === "function", { error: "must be a function" })
      .optional(),
  };
  notes.add(shape.match, { title: "Match" });
  notes.add(shape.numeric_args, { title: "Numeric Arguments" });
  notes.add(shape.trim_args, { title: "Trimmed Arguments" });
  notes.add(shape.ignore_args, { title: "Ignored Arguments" });
  notes.add(shape.tools, { title: "Rules By Tool" });
  notes.add(shape.report_args, { title: "Report Arguments" });
  notes.add(shape.compare_args, CODE_ONLY);
  return shape;
}

function optional<Shape extends Record<string, z.ZodType>>(
  shape: Shape,
): { [K in keyof Shape]: z.ZodOptional<Shape[K]> } {
  return Object.fromEntries(Object.entries(shape).map(([key, type]) => [key, type.optional()])) as {
    [K in keyof Shape]: z.ZodOptional<Shape[K]>;
  };
}

/** The rules that hold for one expected call. */
export interface CallRules {
  readonly match: "exact" | "subset" | "ignore";
  readonly numeric: ReadonlySet<string>;
  readonly trim: ReadonlySet<string>;
  readonly ignore: ReadonlySet<string>;
}

/** Finds the rules for a call: what it says itself, then the rules of its tool, then those for all tools. */
export class ArgumentPolicy {
  readonly config: ResolvedArgumentConfig;
  readonly #rule: NameRule;
  readonly #byTool: Map<string, ArgumentRules> = new Map();
  readonly #known: Map<string, Omit<CallRules, "match">> = new Map();

  constructor(config: ResolvedArgumentConfig, rule: NameRule) {
    this.config = config;
    this.#rule = rule;
    for (const [name, rules] of Object.entries(config.tools)) this.#byTool.set(calledKey(name, rule), rules);
  }

  rulesFor(call: ExpectedCall): CallRules {
    const key = calledKey(call.name, this.#rule);
    const own = this.#byTool.get(key);
    let fields = this.#known.get(key);
    if (fields === undefined) {
      fields = {
        numeric: new Set(own?.numeric_args ?? this.config.numeric_args),
        trim: new Set(own?.trim_args ?? this.config.trim_args),
        ignore: new Set(own?.ignore_args ?? this.config.ignore_args),
      };
      this.#known.set(key, fields);
    }
    const unsaid = call.args === undefined ? "ignore" : (own?.match ?? this.config.match);
    return { match: call.match ?? unsaid, ...fields };
  }
}
