import { type ModelInput, modelAssign } from "./model.ts";

/** Totals of the best alignment, and its operations from the left: M, S, D, I are written 0, 1, 2, 3. */
export interface TableResult {
  readonly cost: number;
  readonly matches: number;
  readonly window: number;
  readonly spelled: string;
}

/**
 * A plain full table over all pairs of tails, every window of every group tried: slower than the aligner by far, but
 * fit for lists that are too long to list every alignment.
 */
export function tableAlign(input: ModelInput): TableResult {
  const columns = input.actual.length + 1;
  let below: TableResult[] = [];
  for (let element = input.elements.length; element >= 0; element -= 1) {
    const row: TableResult[] = new Array(columns);
    for (let place = columns - 1; place >= 0; place -= 1) {
      row[place] = cell(input, element, place, row, below);
    }
    below = row;
  }
  return below[0] as TableResult;
}

function cell(
  input: ModelInput,
  element: number,
  place: number,
  row: readonly TableResult[],
  below: readonly TableResult[],
): TableResult {
  const here = input.elements[element];
  const candidates: TableResult[] = [];
  const offer = (
    then: TableResult | undefined,
    spelled: string,
    cost: number,
    matches: number,
    window: number,
  ): void => {
    if (then === undefined) return;
    candidates.push({
      cost: then.cost + cost,
      matches: then.matches + matches,
      window: then.window + window,
      spelled: spelled + then.spelled,
    });
  };
  offer(row[place + 1], "3", 1, 0, 0);
  if (typeof here === "number") {
    const equal = place < input.actual.length && input.equal(here, input.actual[place] as number);
    offer(below[place], "2", 1, 0, 0);
    offer(below[place + 1], equal ? "0" : "1", equal ? 0 : 1, equal ? 1 : 0, 0);
  } else if (here !== undefined) {
    for (let end = place; end <= input.actual.length; end += 1) {
      const taken = modelAssign(input.equal, here, input.actual.slice(place, end));
      const matches = taken.filter((position) => position >= 0).length;
      let missing = here.length - matches;
      let spelled = "";
      for (const position of taken) {
        spelled += position >= 0 ? "0" : missing > 0 ? "1" : "3";
        if (position < 0) missing -= 1;
      }
      spelled += "2".repeat(Math.max(0, missing));
      offer(below[end], spelled, Math.max(here.length, end - place) - matches, matches, end - place);
    }
  }
  return (
    candidates.reduce<TableResult | undefined>(
      (best, next) => (best && !before(next, best) ? best : next),
      undefined,
    ) ?? {
      cost: 0,
      matches: 0,
      window: 0,
      spelled: "",
    }
  );
}

function before(left: TableResult, right: TableResult): boolean {
  if (left.cost !== right.cost) return left.cost < right.cost;
  if (left.matches !== right.matches) return left.matches > right.matches;
  if (left.window !== right.window) return left.window < right.window;
  return left.spelled < right.spelled;
}
