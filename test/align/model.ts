/**
 * A deliberately plain model of the alignment: it lists every alignment, with every window, and keeps the first by the
 * tie rule. Exponential; for short lists only.
 */
export interface ModelEntry {
  readonly op: "match" | "substitute" | "delete" | "insert";
  readonly element: number;
  readonly member: number;
  readonly actual: number;
}

export interface ModelInput {
  readonly elements: readonly (number | readonly number[])[];
  readonly actual: readonly number[];
  readonly equal: (expected: number, actual: number) => boolean;
}

export interface ModelResult {
  readonly cost: number;
  readonly matches: number;
  readonly entries: ModelEntry[];
}

interface Candidate extends ModelResult {
  readonly window: number;
}

const RANK = { match: "0", substitute: "1", delete: "2", insert: "3" };

export function modelAlign(input: ModelInput): ModelResult {
  const offsets: number[] = [];
  let total = 0;
  for (const element of input.elements) {
    offsets.push(total);
    total += typeof element === "number" ? 1 : element.length;
  }
  let best: Candidate | undefined;
  const walk = (element: number, place: number, done: Candidate): void => {
    const here = input.elements[element];
    if (here === undefined && place === input.actual.length) {
      if (best === undefined || before(done, best)) best = done;
      return;
    }
    if (place < input.actual.length) {
      walk(element, place + 1, extend(done, [{ op: "insert", element: -1, member: -1, actual: place }], 1, 0));
    }
    if (here === undefined) return;
    const offset = offsets[element] as number;
    if (typeof here === "number") {
      walk(element + 1, place, extend(done, [{ op: "delete", element, member: offset, actual: -1 }], 1, 0));
      if (place === input.actual.length) return;
      const equal = input.equal(here, input.actual[place] as number);
      const op = equal ? "match" : "substitute";
      const entry: ModelEntry = { op, element, member: offset, actual: place };
      walk(element + 1, place + 1, extend(done, [entry], equal ? 0 : 1, 0));
      return;
    }
    for (let end = place; end <= input.actual.length; end += 1) {
      const entries = windowEntries(input, here, element, offset, place, end);
      const matched = entries.filter((entry) => entry.op === "match").length;
      const price = Math.max(here.length, end - place) - matched;
      walk(element + 1, end, extend(done, entries, price, end - place));
    }
  };
  walk(0, 0, { cost: 0, matches: 0, window: 0, entries: [] });
  if (best === undefined) throw new Error("every input has an alignment");
  return best;
}

function extend(done: Candidate, entries: ModelEntry[], price: number, window: number): Candidate {
  return {
    cost: done.cost + price,
    matches: done.matches + entries.filter((entry) => entry.op === "match").length,
    window: done.window + window,
    entries: [...done.entries, ...entries],
  };
}

function before(left: Candidate, right: Candidate): boolean {
  if (left.cost !== right.cost) return left.cost < right.cost;
  if (left.matches !== right.matches) return left.matches > right.matches;
  if (left.window !== right.window) return left.window < right.window;
  const spelled = (candidate: Candidate): string => candidate.entries.map((entry) => RANK[entry.op]).join("");
  return spelled(left) < spelled(right);
}

/** Size of the largest matching that keeps what is fixed, by trying everything. */
function largest(
  equal: ModelInput["equal"],
  members: readonly number[],
  items: readonly number[],
  fixed: readonly number[],
): number {
  const used = new Set(fixed.filter((member) => member >= 0));
  const count = (index: number): number => {
    if (index === items.length) return 0;
    let best = count(index + 1);
    for (let member = 0; member < members.length; member += 1) {
      if (used.has(member) || !equal(members[member] as number, items[index] as number)) continue;
      used.add(member);
      best = Math.max(best, 1 + count(index + 1));
      used.delete(member);
    }
    return best;
  };
  return used.size + count(fixed.length);
}

/** The member that each item takes, or -1: the first as written that keeps the matching largest. */
export function modelAssign(
  equal: ModelInput["equal"],
  members: readonly number[],
  items: readonly number[],
): number[] {
  const goal = largest(equal, members, items, []);
  const fixed: number[] = [];
  for (const item of items) {
    const choice = members.findIndex(
      (member, position) =>
        equal(member, item) &&
        !fixed.includes(position) &&
        largest(equal, members, items, [...fixed, position]) === goal,
    );
    fixed.push(choice);
  }
  return fixed;
}

function windowEntries(
  input: ModelInput,
  members: readonly number[],
  element: number,
  offset: number,
  place: number,
  end: number,
): ModelEntry[] {
  const taken = modelAssign(input.equal, members, input.actual.slice(place, end));
  const missing = members.map((_, member) => member).filter((member) => !taken.includes(member));
  const entries: ModelEntry[] = taken.map((position, index) => {
    const actual = place + index;
    if (position >= 0) return { op: "match", element, member: offset + position, actual };
    const member = missing.shift();
    if (member !== undefined) return { op: "substitute", element, member: offset + member, actual };
    return { op: "insert", element, member: -1, actual };
  });
  for (const member of missing) entries.push({ op: "delete", element, member: offset + member, actual: -1 });
  return entries;
}
