import { show, TrajectoryError } from "../model/errors.ts";
import type { ExpectationRule } from "../model/expectation.ts";
import { type ExpectationFunction, fromFunction } from "./from-function.ts";
import { fromRules } from "./from-rules.ts";
import { parseRules } from "./parse.ts";
import type { ExpectationSource, Timers } from "./source.ts";

/** A source written by the user: an object that is asked like a function. */
export interface ExpectationFinder {
  /** For messages. */
  readonly name?: string;
  readonly find: ExpectationFunction;
}

/** One configured source, as the option `expectations` takes it. */
export type ExpectationInput =
  | string
  | readonly ExpectationRule[]
  | ExpectationFunction
  | ExpectationFinder
  | ExpectationSource;

/** The option `expectations`: one source, or a list of sources, asked in order. */
export type ExpectationsOption = ExpectationInput | readonly ExpectationInput[];

/** What the sources need of whoever owns the runtime. */
export interface SourceTools {
  readonly timers: Timers;
  /** Time limit of one answer of a function, in ms. */
  readonly timeoutMillis: number;
  /** Opens a file of expectations; the file system is not ours to touch here. */
  readonly openFile: (path: string) => ExpectationSource;
  /** What is told of something that a function threw. @defaultValue its message */
  readonly tell?: ((error: unknown) => string) | undefined;
  /** Runs host code, for example with tracing suppressed. */
  readonly run?: (<T>(call: () => T) => T) | undefined;
}

const ALLOWED = "a path, a list of expectations, a function, a source, or a list of those";

/**
 * Turns the option `expectations` into sources, in the order in which they are asked.
 *
 * @param path - Name of the option, for messages.
 * @throws TrajectoryError `invalid_option` for a value of another type, `invalid_expectation` for a rule that is wrong
 */
export function createSources(
  input: ExpectationsOption | undefined,
  tools: SourceTools,
  path = "expectations",
): ExpectationSource[] {
  if (input === undefined) return [];
  const list: readonly unknown[] | undefined = Array.isArray(input) ? input : undefined;
  // A list that holds no source is a list of rules; so its mistakes are named as mistakes of rules.
  if (list === undefined || !list.some(isSourceLike)) return [createSource(input, tools, path)];
  return list.map((item, index) => createSource(item, tools, `${path}[${index}]`));
}

function createSource(input: unknown, tools: SourceTools, path: string): ExpectationSource {
  if (typeof input === "string") {
    if (input === "") throw wrong(path, input);
    return tools.openFile(input);
  }
  if (Array.isArray(input)) return rulesSource(input, path);
  if (typeof input === "function") return functionSource(input as ExpectationFunction, input.name, tools, path);
  if (!isFinder(input)) throw wrong(path, input);
  if (isChecked(input)) return input;
  return functionSource((request) => input.find(request), input.name, tools, path);
}

function rulesSource(rules: readonly unknown[], path: string): ExpectationSource {
  const parsed = parseRules(rules, path);
  if (parsed.ok) return fromRules(parsed.value, path);
  const first = parsed.problems[0];
  throw new TrajectoryError("invalid_expectation", first?.path ?? path, first?.line ?? path);
}

function functionSource(ask: ExpectationFunction, name: unknown, tools: SourceTools, path: string): ExpectationSource {
  const known = typeof name === "string" && name !== "" ? name : path;
  return fromFunction(ask, { ...tools, name: known });
}

function isSourceLike(value: unknown): boolean {
  return typeof value === "string" || typeof value === "function" || Array.isArray(value) || isFinder(value);
}

function isFinder(value: unknown): value is ExpectationFinder {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as { find?: unknown }).find === "function" &&
    !Array.isArray(value)
  );
}

function isChecked(source: ExpectationFinder | ExpectationSource): source is ExpectationSource {
  return (source as Partial<ExpectationSource>).checked === true;
}

function wrong(path: string, value: unknown): TrajectoryError {
  return new TrajectoryError("invalid_option", path, `${path}: expected ${ALLOWED}, got ${show(value)}`);
}
