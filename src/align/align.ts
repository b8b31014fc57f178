import { type AlignmentEntry, type AlignmentInput, type AlignmentResult, WorkBudget } from "./alignment.ts";
import { BestPath, DELETE, DIAGONAL, INSERT, WINDOW } from "./best-path.ts";
import { TailCosts } from "./distance.ts";
import { finish, type Sliced } from "./sliced.ts";
import { spellWindow } from "./spell-window.ts";
import { takeFirst } from "./take-first.ts";
import { GroupWindows } from "./windows.ts";

/**
 * Aligns an expected with an actual sequence. Insertions, deletions and substitutions cost 1 each; a group takes a
 * window of consecutive actual items, possibly none, and costs `max(group size, window size) - matched`, `matched`
 * being the largest matching of members to the window's items.
 *
 * Tie rule: least cost, then most matches, then least total window length, then from the left match before substitute
 * before delete before insert. Inside a window see {@link GroupWindows} and the matching's own rule.
 *
 * Complexity: O(n + d^2) expected for distance d (O(n) for equal lists), O(n * m) at worst, times the windows of
 * groups; memory O(n + d^2) and the places that lie on alignments of least cost. Common beginnings are matched
 * outright; common ends cost one comparison each.
 */
export function align(input: AlignmentInput): AlignmentResult {
  return finish(alignInSlices(input));
}

/** {@link align}, in slices. */
export function* alignInSlices(input: AlignmentInput): Sliced<AlignmentResult> {
  const budget = new WorkBudget(input);
  const start = commonStart(input);
  const windows = new GroupWindows(input, budget);
  const costs = new TailCosts(input, windows, budget, start, start);
  const cost = yield* costs.solve();
  if (cost === undefined) return { ok: false, reason: "over_limit" };
  const moves =
    cost === 0 ? freeMoves(input, start) : yield* new BestPath(input, costs, windows, budget, start).solve(start, cost);
  if (moves === undefined) return { ok: false, reason: "over_limit" };
  const entries = yield* spell(input, windows, start, moves);
  if (budget.exhausted) return { ok: false, reason: "over_limit" };
  let matches = 0;
  for (const entry of entries) if (entry.op === "match") matches += 1;
  return { ok: true, cost, matches, entries };
}

/**
 * The alignment of lists that agree item by item, members of groups in any order; undefined for others, after little
 * work. Same result as {@link align}, where all of it is matched: a free alignment is the only one.
 *
 * Complexity: O(n) for n items, groups of up to 30 members at worst squared.
 */
export function alignFree(input: AlignmentInput): AlignmentResult | undefined {
  const { expected, offsets, grouped, actual, equal } = input;
  if (expected.length !== actual.length) return undefined;
  for (let element = 0; element < grouped.length; element += 1) {
    const offset = offsets[element] as number;
    const agrees =
      grouped[element] === 0
        ? equal(expected[offset] as number, actual[offset] as number)
        : takeFirst(input, element, offset);
    if (!agrees) return undefined;
  }
  const windows = new GroupWindows(input, new WorkBudget(input));
  return {
    ok: true,
    cost: 0,
    matches: expected.length,
    entries: finish(spell(input, windows, 0, freeMoves(input, 0))),
  };
}

/** How many single items at the beginning are equal one by one; the tie rule always matches those. */
function commonStart(input: AlignmentInput): number {
  const { expected, grouped, actual, equal } = input;
  const most = Math.min(grouped.length, actual.length);
  let start = 0;
  while (start < most && grouped[start] === 0 && equal(expected[start] as number, actual[start] as number)) start += 1;
  return start;
}

/** Moves that are spelled at a time. */
const SLICE_MOVES = 256;

/** A free alignment is the only one: every item matches, every window is as long as its group. */
function freeMoves(input: AlignmentInput, start: number): number[] {
  const { offsets, grouped } = input;
  const moves: number[] = [];
  for (let element = start; element < grouped.length; element += 1) {
    const size = (offsets[element + 1] as number) - (offsets[element] as number);
    moves.push(grouped[element] === 1 ? WINDOW + size : DIAGONAL);
  }
  return moves;
}

function* spell(
  input: AlignmentInput,
  windows: GroupWindows,
  start: number,
  moves: readonly number[],
): Sliced<AlignmentEntry[]> {
  const { expected, offsets, actual, equal } = input;
  const entries: AlignmentEntry[] = [];
  for (let index = 0; index < start; index += 1) {
    entries.push({ op: "match", element: index, member: index, actual: index });
  }
  let element = start;
  let place = start;
  for (let index = 0; index < moves.length; index += 1) {
    if (index % SLICE_MOVES === SLICE_MOVES - 1) yield;
    const move = moves[index] as number;
    const member = offsets[element] as number;
    if (move >= WINDOW) {
      yield* spellWindow(input, windows, element, place, move - WINDOW, entries);
      place += move - WINDOW;
      element += 1;
    } else if (move === INSERT) {
      entries.push({ op: "insert", element: -1, member: -1, actual: place });
      place += 1;
    } else if (move === DELETE) {
      entries.push({ op: "delete", element, member, actual: -1 });
      element += 1;
    } else {
      const op = equal(expected[member] as number, actual[place] as number) ? "match" : "substitute";
      entries.push({ op, element, member, actual: place });
      element += 1;
      place += 1;
    }
  }
  return entries;
}
