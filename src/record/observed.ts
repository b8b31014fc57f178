/** One observed step: the name that an expectation would give it, and a key that equal names share. */
export interface ObservedStep {
  readonly name: string;
  readonly key: string;
}

/** One observed run: its steps in order. */
export type ObservedRun = readonly ObservedStep[];

/** A step at its place in a run: the first `search`, the second `search`, … are different elements. */
export interface Element {
  readonly name: string;
  /** Position among all elements by first appearance. */
  readonly index: number;
  /** How many distinct runs have it. */
  runs: number;
}

/** Distinct runs as elements, the most frequent first; ties by first appearance. */
export interface Elements {
  readonly elements: readonly Element[];
  readonly sequences: readonly (readonly Element[])[];
}

/** Numbers the steps of all runs. O(steps log runs). */
export function elementsOf(runs: readonly ObservedRun[]): Elements {
  const distinct = new Map<string, { readonly run: ObservedRun; count: number }>();
  for (const run of runs) {
    const key = JSON.stringify(run.map((step) => step.key));
    const known = distinct.get(key);
    if (known === undefined) distinct.set(key, { run, count: 1 });
    else known.count += 1;
  }
  const elements: Element[] = [];
  const byKey = new Map<string, Element[]>();
  const sequences = [...distinct.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ run }) => {
      const seen = new Map<string, number>();
      return run.map(({ key, name }) => {
        const nth = seen.get(key) ?? 0;
        seen.set(key, nth + 1);
        const known = byKey.get(key) ?? [];
        byKey.set(key, known);
        let element = known[nth];
        if (element === undefined) {
          // One spelling for all that share a key.
          element = { name: known[0]?.name ?? name, index: elements.length, runs: 0 };
          known.push(element);
          elements.push(element);
        }
        element.runs += 1;
        return element;
      });
    });
  return { elements, sequences };
}
