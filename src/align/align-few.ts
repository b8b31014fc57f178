/** Moves of {@link FewEdits.moves}; after each one, everything that is equal is matched. */
export const FEW_SUBSTITUTE = 1;
export const FEW_DELETE = 2;
export const FEW_INSERT = 3;

/** More edits than this are left to the general aligner. */
const MOST_EDITS = 3;

/** Moves are digits of this base. */
const BASE = 4;
const CODES = BASE ** MOST_EDITS;

/** An alignment of two plain lists that differ in a few places. */
export interface FewEdits {
  readonly cost: number;
  readonly matches: number;
  /** What happens, from the left, wherever the lists do not go on equal. */
  readonly moves: readonly number[];
  /** How many items match one after the other before each move, and behind the last one. */
  readonly runs: readonly number[];
}

/** Compares an expected with an actual item, by index. */
export type IndexEquality = (expected: number, actual: number) => boolean;

/**
 * Aligns two lists of single items that differ by at most three insertions, deletions and substitutions; undefined for
 * others, after little work. Same result as `align`: least cost, then most matches, then from the left match before
 * substitute before delete before insert.
 *
 * Where two items are equal, matching them is the one best move: an alignment that does something else there can be
 * changed to match them without being worse by the tie rule. So only the places that differ have choices, three each,
 * and all of them are tried.
 *
 * Complexity: O(n) for lists of n items, at most 3^3 runs over them; no memory.
 */
export function alignFew(expected: number, actual: number, equal: IndexEquality): FewEdits | undefined {
  for (let cost = Math.abs(expected - actual); cost <= MOST_EDITS; cost += 1) {
    const found = search(0, 0, cost, expected, actual, equal);
    if (found < 0) continue;
    const moves: number[] = [];
    for (let code = found % CODES; code > 0; code = Math.floor(code / BASE)) moves.push(code % BASE);
    return { cost, matches: Math.floor(found / CODES), moves, runs: runsOf(moves, expected, actual, equal) };
  }
  return undefined;
}

function runsOf(moves: readonly number[], expected: number, actual: number, equal: IndexEquality): number[] {
  const runs: number[] = [];
  let element = 0;
  let place = 0;
  for (let index = 0; index <= moves.length; index += 1) {
    const from = element;
    while (element < expected && place < actual && equal(element, place)) {
      element += 1;
      place += 1;
    }
    runs.push(element - from);
    if (moves[index] !== FEW_INSERT) element += 1;
    if (moves[index] !== FEW_DELETE) place += 1;
  }
  return runs;
}

/** Matches times CODES, plus the moves as digits, the first one lowest; -1 where `left` edits do not suffice. */
function search(
  fromElement: number,
  fromPlace: number,
  left: number,
  expected: number,
  actual: number,
  equal: IndexEquality,
): number {
  let element = fromElement;
  let place = fromPlace;
  while (element < expected && place < actual && equal(element, place)) {
    element += 1;
    place += 1;
  }
  const run = (element - fromElement) * CODES;
  if (element === expected && place === actual) return run;
  if (Math.abs(actual - place - (expected - element)) > left || left === 0) return -1;
  let best = -1;
  if (element < expected && place < actual) {
    best = then(FEW_SUBSTITUTE, search(element + 1, place + 1, left - 1, expected, actual, equal));
  }
  if (element < expected) {
    best = better(best, then(FEW_DELETE, search(element + 1, place, left - 1, expected, actual, equal)));
  }
  if (place < actual) {
    best = better(best, then(FEW_INSERT, search(element, place + 1, left - 1, expected, actual, equal)));
  }
  return best < 0 ? -1 : run + best;
}

/** Puts a move before what follows it. */
function then(move: number, rest: number): number {
  if (rest < 0) return -1;
  const code = rest % CODES;
  return rest - code + code * BASE + move;
}

/** More matches; the first of two that have as many. */
function better(first: number, second: number): number {
  return Math.floor(second / CODES) > Math.floor(first / CODES) ? second : first;
}
