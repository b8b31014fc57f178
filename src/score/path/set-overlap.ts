import { flipped } from "../../align/alignment.ts";
import { largestMatching } from "../../align/matching.ts";
import type { Sliced } from "../../align/sliced.ts";
import type { Step } from "../../model/trajectory.ts";
import type { Compared } from "../best-of.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { codeNames } from "../code-names.ts";
import { calledKey, expectedToolKey, type NameRule, rawKey } from "../names.ts";
import { nonEvaluable } from "../verdict.ts";
import type { SetOverlapConfig } from "./path-config.ts";
import type { ExpectedItem } from "./path-list.ts";
import { nothingMore, type PathDefinition, type PathView, pathScorer } from "./path-scorer.ts";
import type { PathWork } from "./path-work.ts";

/**
 * `set_overlap` 1.0.0: did the agent use the right tools, whatever the order and however often?
 *
 * Jaccard index of the distinct names: intersection / union. Observed names are distinct by kind and key, expected ones
 * by normalised name; the intersection is a largest matching. Arguments play no part. Nothing expected: 1 if nothing was
 * observed, else 0. Columns `expected_calls`, `expected_steps` (groups laid out), `expected_tools`.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function setOverlap(config: SetOverlapConfig = {}): BuiltInScorer {
  return pathScorer(SET_OVERLAP, config);
}

/** What makes {@link setOverlap}. */
export const SET_OVERLAP: PathDefinition<object> = {
  metric_name: "set_overlap",
  display_name: "Set Overlap",
  entrypoint: "setOverlap",
  columns: ["expected_calls", "expected_steps", "expected_tools"],
  orderFree: true,
  more: nothingMore,
  description: "How far the distinct tools that were used are the expected ones, order and repeats aside.",
  metric_metadata: {
    summary: "Jaccard index of the sets of expected and observed names.",
    methodology: [
      "Both sides are reduced to their distinct names; arguments, order and repeats play no part.",
      "The number of names on both sides is divided by the number of names on either side.",
      "An optional name that was not used does not count.",
    ],
    score_semantics: "0 to 1, higher is better. Nothing expected and nothing observed is 1, one of both is 0.",
    worked_example:
      "Expected [search, open, convert, answer], observed [search, open, search, answer]: three of four names, 0.75.",
  },
  compare: (view, config) => compare(view, config.names),
};

function* compare({ work }: PathView, rule: NameRule): Sliced<Compared> {
  if (work.keyed) return compareKeys(work);
  const wanted = distinctExpected(work.expected.items, rule);
  const used = distinctActual(work.steps, wanted, rule);
  const coded = codeNames(
    wanted.map(({ names }) => names),
    used,
    rule,
  );
  const taken = yield* largestMatching(coded.actual, coded.expected, flipped(coded.equal));
  if (taken === undefined) return nonEvaluable("over_limit");
  const absent = wanted.filter((_item, index) => (taken[index] as number) < 0);
  const missing = absent.filter((item) => !item.optional);
  const intersection = taken.reduce((sum, place) => (place >= 0 ? sum + 1 : sum), 0);
  const union = missing.length + used.length;
  const claimed = new Set(taken);
  return {
    status: "compared",
    score: union === 0 ? 1 : intersection / union,
    metadata: {
      expected: wanted.map((item) => item.label),
      actual: used.map((step) => step.name),
      intersection,
      union,
      missing: missing.map((item) => item.label),
      extra: used.filter((_step, index) => !claimed.has(index)).map((step) => step.name),
    },
  };
}

/** Where a key says all of a name, sets of keys say all. O(expected + observed). */
function compareKeys(work: PathWork): Compared {
  const { items } = work.expected;
  const { expected: wantedKeys, actual: usedKeys } = work.keys;
  const used = new Map<number, string>();
  usedKeys.forEach((key, index) => {
    if (!used.has(key)) used.set(key, work.names[index] as string);
  });
  const wanted = new Map<number, ExpectedItem>();
  for (const optional of [false, true]) {
    wantedKeys.forEach((key, index) => {
      const item = items[index] as ExpectedItem;
      if (item.optional === optional && !wanted.has(key)) wanted.set(key, item);
    });
  }
  const missing: string[] = [];
  let intersection = 0;
  for (const [key, item] of wanted) {
    if (used.has(key)) intersection += 1;
    else if (!item.optional) missing.push(item.label);
  }
  const union = missing.length + used.size;
  return {
    status: "compared",
    score: union === 0 ? 1 : intersection / union,
    metadata: {
      expected: [...wanted.values()].map((item) => item.label),
      actual: [...used.values()],
      intersection,
      union,
      missing,
      extra: [...used].filter(([key]) => !wanted.has(key)).map(([, name]) => name),
    },
  };
}

/** One item per normalised name, in order of first appearance, those that are not optional first. */
function distinctExpected(items: readonly ExpectedItem[], rule: NameRule): ExpectedItem[] {
  const known = new Map<string, ExpectedItem>();
  for (const optional of [false, true]) {
    for (const item of items) {
      if (item.optional !== optional) continue;
      const key = JSON.stringify(item.names.map((name) => expectedToolKey(name, rule)).sort());
      if (!known.has(key)) known.set(key, item);
    }
  }
  return [...known.values()];
}

/**
 * One step per kind and name. Tools of one name on different servers are told apart where an expected name does.
 */
function distinctActual(steps: readonly Step[], wanted: readonly ExpectedItem[], rule: NameRule): Step[] {
  const servers = new Set<string>();
  for (const { names } of wanted)
    for (const name of names) if (name.startsWith("mcp__")) servers.add(rawKey(name, rule));
  const known = new Map<string, Step>();
  for (const step of steps) {
    const raw = rawKey(step.raw_name ?? step.name, rule);
    const server = step.kind === "TOOL" && servers.has(raw) ? raw : "";
    const key = JSON.stringify([step.kind === "AGENT" ? `a${step.name}` : calledKey(step.name, rule), server]);
    if (!known.has(key)) known.set(key, step);
  }
  return [...known.values()];
}
