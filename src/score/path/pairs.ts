import type { AlignedStep } from "../../model/result.ts";
import type { Step } from "../../model/trajectory.ts";
import type { ExpectedItem } from "./path-list.ts";

/** A call with its arguments, where a scorer may report them. */
export interface ReportedCall {
  readonly name: string;
  readonly args: unknown;
}

/** An entry of a path score's alignment. Sides are names, or calls where arguments are reported. */
export interface PathEntry extends Omit<AlignedStep, "expected" | "actual"> {
  readonly expected: string | ReportedCall | null;
  readonly actual: string | ReportedCall | null;
  /** Of step credit only. */
  readonly label?: string;
}

/** Labels by operation. */
export interface PathLabels {
  readonly match: string;
  readonly insert: string;
  readonly delete: string;
}

/** Spells sides: names alone, or with arguments. */
export class Sides {
  readonly #items: readonly ExpectedItem[];
  readonly #steps: readonly Step[];
  readonly #withArguments: boolean;

  constructor(items: readonly ExpectedItem[], steps: readonly Step[], withArguments: boolean) {
    this.#items = items;
    this.#steps = steps;
    this.#withArguments = withArguments;
  }

  /** A side is absent where its index is -1. */
  entry(op: AlignedStep["op"], expected: number, actual: number, label?: string): PathEntry {
    // Engines look up an index of -1 by its name, which is slow.
    const item = expected < 0 ? undefined : this.#items[expected];
    const step = actual < 0 ? undefined : this.#steps[actual];
    const entry: { -readonly [K in keyof PathEntry]: PathEntry[K] } = {
      op,
      expected: item === undefined ? null : this.#expected(item),
      actual: step === undefined ? null : this.#actual(step),
      expected_index: item === undefined ? null : expected,
      actual_index: step === undefined ? null : actual,
    };
    if (label !== undefined) entry.label = label;
    return entry;
  }

  #expected(item: ExpectedItem): string | ReportedCall {
    const args = this.#withArguments ? item.call?.args : undefined;
    return args === undefined ? item.label : { name: item.label, args };
  }

  #actual(step: Step): string | ReportedCall {
    return this.#withArguments && step.args !== undefined ? { name: step.name, args: step.args } : step.name;
  }
}

/**
 * Entries in path order of matched pairs that do not cross: expected items that have no pair are `delete` (optional ones
 * are left out), observed steps that have none `insert`; between two pairs what is missing comes before what is extra.
 */
export function entriesOfPairs(
  sides: Sides,
  items: readonly ExpectedItem[],
  observed: number,
  expectedPairs: readonly number[],
  actualPairs: readonly number[],
  labels?: PathLabels,
): PathEntry[] {
  const entries: PathEntry[] = [];
  let expected = 0;
  let actual = 0;
  for (let pair = 0; pair <= expectedPairs.length; pair += 1) {
    const untilExpected = expectedPairs[pair] ?? items.length;
    const untilActual = actualPairs[pair] ?? observed;
    for (; expected < untilExpected; expected += 1) {
      if (!(items[expected] as ExpectedItem).optional)
        entries.push(sides.entry("delete", expected, -1, labels?.delete));
    }
    for (; actual < untilActual; actual += 1) entries.push(sides.entry("insert", -1, actual, labels?.insert));
    if (pair === expectedPairs.length) break;
    entries.push(sides.entry("match", expected, actual, labels?.match));
    expected += 1;
    actual += 1;
  }
  return entries;
}
