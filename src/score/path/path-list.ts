import type { Column, ExpectedCall, ExpectedStep, ExpectedSteps } from "../../model/expectation.ts";

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
  readonly column: Column;
  /** Which observed list it speaks of. */
  readonly list: "steps" | "tools";
  readonly items: readonly ExpectedItem[];
  readonly grouped: boolean;
  readonly optional: boolean;
}

/** What the three columns that expect a path may hold. */
export type PathValue =
  | { readonly column: "expected_calls"; readonly value: readonly ExpectedCall[] }
  | { readonly column: "expected_steps"; readonly value: ExpectedSteps }
  | { readonly column: "expected_tools"; readonly value: readonly string[] };

/** The acceptable trajectories of a column, of which there is at least one; `several` where they were listed. */
export function expectedLists(path: PathValue): { readonly lists: readonly ExpectedList[]; readonly several: boolean } {
  switch (path.column) {
    case "expected_calls": {
      const items = path.value.map((call) => item(call.name, [call.name], false, call));
      return { lists: [plainList(path.column, "tools", items)], several: false };
    }
    case "expected_tools": {
      const items = path.value.map((name) => item(name, [name], false, undefined));
      return { lists: [plainList(path.column, "tools", items)], several: false };
    }
    case "expected_steps": {
      const { value } = path;
      if ("one_of" in value) return { lists: value.one_of.map(stepList), several: true };
      return { lists: [stepList(value)], several: false };
    }
  }
}

function plainList(column: Column, list: "steps" | "tools", items: readonly ExpectedItem[]): ExpectedList {
  return { column, list, items, grouped: false, optional: false };
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
  return { column: "expected_steps", list: "steps", items, grouped, optional };
}

function item(
  label: string,
  names: readonly string[],
  optional: boolean,
  call: ExpectedCall | undefined,
): ExpectedItem {
  return { label, names, optional, call };
}
