import { isKnown } from "../../expectation/quick-parse.ts";
import type { ExpectedCall, ExpectedStep, ExpectedSteps } from "../../model/expectation.ts";

/** One expected step or call, whichever column it comes from. */
export interface ExpectedItem {
  /** For results; alternatives are joined by ` | `. */
  readonly label: string;
  /** Names that will do. */
  readonly names: readonly string[];
  readonly optional: boolean;
  /** Of `expected_calls` only. */
  readonly call: ExpectedCall | undefined;
}

/** One expected trajectory, groups laid out. */
export interface ExpectedList {
  readonly items: readonly ExpectedItem[];
  /** Labels of the items. */
  readonly labels: readonly string[];
  readonly grouped: boolean;
  readonly optional: boolean;
}

/** What the three columns that expect a path may hold. */
export type PathValue =
  | { readonly column: "expected_calls"; readonly value: readonly ExpectedCall[] }
  | { readonly column: "expected_steps"; readonly value: ExpectedSteps }
  | { readonly column: "expected_tools"; readonly value: readonly string[] };

/** Lists laid out before, of values that were checked and frozen: nobody can have changed them since. */
const LAID_OUT = new WeakMap<object, readonly ExpectedList[]>();

/** The acceptable trajectories of a column, of which there is at least one. */
export function expectedLists(path: PathValue): readonly ExpectedList[] {
  if (!isKnown(path.column, path.value)) return layOut(path);
  let lists = LAID_OUT.get(path.value);
  if (lists === undefined) {
    lists = layOut(path);
    LAID_OUT.set(path.value, lists);
  }
  return lists;
}

function layOut(path: PathValue): readonly ExpectedList[] {
  if (path.column === "expected_calls") {
    const items = path.value.map((call) => item(call.name, [call.name], false, call));
    return [{ items, labels: items.map((one) => one.label), grouped: false, optional: false }];
  }
  const value: ExpectedSteps = path.value;
  return "one_of" in value ? value.one_of.map(stepList) : [stepList(value)];
}

function stepList(steps: readonly ExpectedStep[]): ExpectedList {
  const items: ExpectedItem[] = [];
  let grouped = false;
  let optional = false;
  for (const step of steps) {
    if (typeof step === "string") items.push(item(step, [step], false, undefined));
    else if ("optional" in step) {
      optional = true;
      items.push(item(step.optional, [step.optional], true, undefined));
    } else if ("any_of" in step) items.push(item(step.any_of.join(" | "), step.any_of, false, undefined));
    else {
      grouped = true;
      for (const member of step) items.push(item(member, [member], false, undefined));
    }
  }
  return { items, labels: items.map((one) => one.label), grouped, optional };
}

function item(
  label: string,
  names: readonly string[],
  optional: boolean,
  call: ExpectedCall | undefined,
): ExpectedItem {
  return { label, names, optional, call };
}
