import { expect, test } from "vitest";
import { alignInSlices } from "../../src/align/align.ts";
import { finish, isSliced } from "../../src/align/sliced.ts";
import type { Expectation, ExpectedStep } from "../../src/model/expectation.ts";
import type { Scorer } from "../../src/model/scorer.ts";
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

const mcp = (name: string): Step => ({ kind: "TOOL", name, raw_name: `mcp__s__${name}` });
test.each<readonly [string, readonly ExpectedStep[], readonly Step[], boolean]>([
  ["names that are the same to the letter", ["a", "b", "c"], tools(["a", "b", "c"]), true],
  ["the same with groups as they are written", ["a", ["b", "c"], "d", ["e"]], tools(["a", "b", "c", "d", "e"]), true],
  ["the same with raw names", [["a", "b"], "c"], ["a", "b", "c"].map(mcp), true],
  ["the same, called by the names of a server", [["mcp__s__a"], "b"], tools(["mcp__s__a", "b"]), true],
  ["names that differ in few places", ["a", "b", "c", "d"], tools(["a", "x", "c", "d"]), true],
  ["a group in another order", ["a", ["b", "c"]], tools(["a", "c", "b"]), false],
  ["a step too many behind a group", [["a"], "b"], tools(["a", "b", "c"]), false],
  ["a step too few behind a group", [["a"], "b"], tools(["a"]), false],
  ["a step that may be left out", ["a", { optional: "b" }], tools(["a", "b"]), false],
])("aligned at once, before anything is read: %s: %s", (_title, expected, steps, at_once) => {
  const work = compareSteps(expected, steps, "normalized");
  expect(isSliced(work)).toBe(!at_once);
});

test("groups that agree throughout, in other spellings, pause for no names: 256 entries are spelled at a time", () => {
  const names = Array.from({ length: 600 }, (_, at) => `tool_${at}`);
  const groups = Array.from({ length: 300 }, (_, at) => names.slice(2 * at, 2 * at + 2));
  const work = compareSteps(groups, tools(names.map((name) => name.toUpperCase())), "normalized");
  if (!isSliced(work)) throw new Error("names that are spelled otherwise are not aligned at once");
  let pauses = 0;
  let slice = work.next();
  for (; slice.done !== true; slice = work.next()) pauses += 1;
  expect(pauses).toBe(2);
  expect(slice.value).toMatchObject({ ok: true, cost: 0, matches: 600, total: 600 });
});

/** How often a scorer pauses over 300 steps that are all `a`, none of which scores. */
function pausesOver(scorer: Scorer, expectation: Expectation): number {
  const steps = tools(Array.from({ length: 300 }, () => "a"));
  const work = scoreInSlices(scorer, { unit: "trajectory", unit_id: "trajectory:t", steps, expectation });
  if (work === undefined || !isSliced(work)) throw new Error("it was done at once");
  let pauses = 0;
  let slice = work.next();
  for (; slice.done !== true; slice = work.next()) pauses += 1;
  expect(slice.value).toMatchObject({ status: "scored" });
  return pauses;
}

test("exact_match follows optional steps in slices, no more of them than it takes", () => {
  const expected_steps = Array.from({ length: 300 }, (_, at) => (at % 2 === 0 ? "a" : { optional: "b" }));
  // What is reported is found as step_credit finds it.
  const own = pausesOver(exactMatch(), { expected_steps }) - pausesOver(stepCredit(), { expected_steps });
  // Each of 300 steps looks at 300 places; a pause after 4 000 of them, which is after the fourteenth step.
  expect(own).toBe(Math.floor(300 / 14));
});

test("tool_f1 looks for arguments that were not recorded in slices, no more of them than it takes", () => {
  const expected_calls = Array.from({ length: 300 }, () => ({ name: "b", args: { x: 1 } }));
  const all = pausesOver(toolF1(), { expected_calls });
  // Each of 300 calls looks at 300 steps, at ten cells a pair: a pause after every second call, and few for the rest.
  expect(all).toBeGreaterThanOrEqual(150);
  expect(all).toBeLessThan(200);
});
