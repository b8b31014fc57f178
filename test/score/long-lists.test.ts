import { expect, test } from "vitest";
import { alignInSlices } from "../../src/align/align.ts";
import { finish, isSliced } from "../../src/align/sliced.ts";
import type { Step } from "../../src/model/trajectory.ts";
import { scoreInSlices } from "../../src/score/built-in.ts";
import { codeNames } from "../../src/score/code-names.ts";
import { compareSteps, type EditResult } from "../../src/score/edit-distance.ts";
import { exactMatch } from "../../src/score/path/exact-match.ts";
import { orderAware } from "../../src/score/path/order-aware.ts";
import { setOverlap } from "../../src/score/path/set-overlap.ts";
import { stepCredit } from "../../src/score/path/step-credit.ts";
import { toolF1 } from "../../src/score/path/tool-f1.ts";
import { trajectoryMatch } from "../../src/score/path/trajectory-match.ts";

/** Names that come again in several spellings; `seed` tells two lists apart. */
function namesOf(count: number, seed: number, spell: (name: string, at: number) => string): string[] {
  return Array.from({ length: count }, (_, at) => spell(`tool_${(at * at * 31 + at * 7 + seed) % 401}`, at));
}
const tools = (names: readonly string[]): Step[] => names.map((name) => ({ kind: "TOOL", name }));

test("long lists that differ throughout are coded between slices, and the outcome is that of codes from the start", () => {
  const expected = namesOf(700, 0, (name) => name);
  const steps = tools(namesOf(650, 5, (name, at) => (at % 2 === 0 ? name.toUpperCase() : name.replace("_", "-"))));
  const work = compareSteps(expected, steps, "normalized");
  if (!isSliced(work)) throw new Error("lists that differ throughout are not aligned at once");
  let pauses = 0;
  let slice = work.next();
  for (; slice.done !== true; slice = work.next()) pauses += 1;
  const coded = codeNames(
    expected.map((name) => [name]),
    steps,
    "normalized",
  );
  const offsets = Int32Array.from({ length: expected.length + 1 }, (_, index) => index);
  const input = { ...coded, offsets, grouped: new Uint8Array(expected.length) };
  const wanted = finish(alignInSlices(input));
  if (!wanted.ok) throw new Error("over the limit");
  const result = slice.value as Extract<EditResult, { ok: true }>;
  expect([result.cost, result.matches]).toEqual([wanted.cost, wanted.matches]);
  expect(result.steps.map(({ op }) => op)).toEqual(wanted.entries.map(({ op }) => op));
  expect(wanted.matches).toBeGreaterThan(10);
  // Two slices of names for each side lie among those of cells.
  let slices = 0;
  const cells = alignInSlices(input);
  for (let next = cells.next(); next.done !== true; next = cells.next()) slices += 1;
  expect(pauses).toBeGreaterThanOrEqual(slices + 2);
});

test.each([exactMatch(), orderAware(), setOverlap(), stepCredit(), toolF1(), trajectoryMatch()])(
  "$name reads the names of long lists in slices, and scores as it does at once",
  (scorer) => {
    const NAMES = 5_000;
    const names = Array.from({ length: NAMES }, (_, at) => `tool_${at}`);
    const occurrence = {
      unit: "trajectory" as const,
      unit_id: "trajectory:t",
      steps: tools(names.map((name) => name.toUpperCase())),
      expectation: { expected_steps: names, origin: "run" as const },
    };
    const work = scoreInSlices(scorer, occurrence);
    if (!isSliced(work)) throw new Error("it was done at once");
    let pauses = 0;
    let slice = work.next();
    for (; slice.done !== true; slice = work.next()) pauses += 1;
    // 128 names at a time, of both sides.
    expect(pauses).toBeGreaterThanOrEqual(2 * Math.floor(NAMES / 128));
    expect(slice.value).toEqual(scorer.score(occurrence));
    expect(slice.value).toMatchObject({ status: "scored", score: 1 });
  },
);
