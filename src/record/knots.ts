import type { Element, Elements } from "./observed.ts";

/**
 * Splits elements into knots and puts the knots in order: whatever two runs did in different orders stands in one knot,
 * and each run goes through the knots from first to last.
 *
 * Knots are the strongly connected components of the graph "came directly before, in some run", in a topological
 * order of them (Kosaraju, with stacks of its own). Elements of one knot stand next to each other in every run: one of
 * another knot between them would have a way to it and back. O(steps), deterministic.
 */
export function knotsOf({ elements, sequences }: Elements): Element[][] {
  const after = elements.map(() => new Set<number>());
  const before = elements.map(() => new Set<number>());
  for (const sequence of sequences) {
    for (let place = 1; place < sequence.length; place += 1) {
      const from = sequence[place - 1] as Element;
      const to = sequence[place] as Element;
      after[from.index]?.add(to.index);
      before[to.index]?.add(from.index);
    }
  }
  // Walked from the last appearance to the first, so that what is not ordered by any run comes in order of appearance.
  const all = elements.map((element) => element.index).reverse();
  const finished: number[] = [];
  const visited = new Set<number>();
  for (const start of all) walk(start, after, visited, (index) => finished.push(index));
  const knots: Element[][] = [];
  const taken = new Set<number>();
  for (const start of finished.reverse()) {
    const knot: Element[] = [];
    walk(start, before, taken, (index) => knot.push(elements[index] as Element));
    if (knot.length > 0) knots.push(knot.sort((a, b) => a.index - b.index));
  }
  return knots;
}

/** Depth first from one element; an element is handed on when all that it leads to has been. */
function walk(
  start: number,
  edges: readonly ReadonlySet<number>[],
  visited: Set<number>,
  done: (index: number) => void,
): void {
  if (visited.has(start)) return;
  visited.add(start);
  const stack = [{ index: start, next: [...(edges[start] ?? [])].reverse()[Symbol.iterator]() }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const step = top.next.next();
    if (step.done === true) {
      done(top.index);
      stack.pop();
    } else if (!visited.has(step.value)) {
      visited.add(step.value);
      stack.push({ index: step.value, next: [...(edges[step.value] ?? [])].reverse()[Symbol.iterator]() });
    }
  }
}
