// `step_accuracy` with its full metadata against a plain full-matrix edit distance with labels over bare strings.
import { stepAccuracy } from "otel-trajectory/core";
import { fullMatrix } from "./full-matrix.mjs";
import { consume, interleave, ratio } from "./support.mjs";

const names = (count) => Array.from({ length: count }, (_, index) => `tool_${(index * 7) % 23}_${index % 5}`);
const steps = (list) => list.map((name) => ({ kind: "TOOL", name }));

/** One wrong in the middle, one extra at the end. */
function disturbed(list) {
  const copy = [...list];
  copy[Math.floor(list.length / 2)] = "wrong";
  copy.push("extra");
  return copy;
}

const occurrenceOf = (actual, expected) => ({
  unit: "trajectory",
  unit_id: "trajectory:bench",
  steps: steps(actual),
  expectation: { expected_steps: expected },
});

/** `edits` places spread evenly, in turn replaced, left out, doubled. */
function scattered(list, edits) {
  const every = Math.floor(list.length / edits);
  return list.flatMap((name, index) => {
    if (index % every !== Math.floor(every / 2)) return [name];
    return [["wrong"], [], [name, "extra"]][Math.floor(index / every) % 3];
  });
}

/** A tenth of the steps in groups of 4, spread evenly. */
function withGroups(list) {
  const grouped = [];
  for (let index = 0; index < list.length; index += 1) {
    if (index % 40 !== 20) grouped.push(list[index]);
    else {
      grouped.push(list.slice(index, index + 4));
      index += 3;
    }
  }
  return grouped;
}

/** Our own time against our own time: how the work grows. */
async function benchGrowth(scorer) {
  const small = occurrenceOf(scattered(names(500), 5), names(500));
  const large = occurrenceOf(scattered(names(5_000), 50), names(5_000));
  const edited = scattered(names(500), 5);
  const plain = occurrenceOf(edited, names(500));
  const groups = occurrenceOf(edited, withGroups(names(500)));
  const ownGroups = occurrenceOf(names(500), withGroups(names(500)));
  const own = occurrenceOf(names(500), names(500));
  const largeGroups = occurrenceOf(scattered(names(5_000), 50), withGroups(names(5_000)));
  const run = (occurrence, repeats) => () => {
    for (let index = 0; index < repeats; index += 1) consume(scorer.score(occurrence).score);
  };
  const growth = await interleave({ small: run(small, 20), large: run(large, 1) });
  const grouping = await interleave({ plain: run(plain, 10), groups: run(groups, 10) });
  const identical = await interleave({ plain: run(own, 20), groups: run(ownGroups, 20) });
  const longGrouping = await interleave({ plain: run(large, 1), groups: run(largeGroups, 1) });
  return [
    {
      work: "step_accuracy, 5,000 steps, 50 scattered edits",
      against: "its own 500 steps with 5 edits (times slower)",
      ratio: ratio(growth, "large", "small") * 20,
    },
    {
      work: "step_accuracy, 500 steps with 5 edits, a tenth in groups of 4",
      against: "the same without groups (times slower)",
      ratio: ratio(grouping, "groups", "plain"),
    },
    {
      work: "step_accuracy, 5,000 steps with 50 edits, a tenth in groups of 4",
      against: "the same without groups (times slower)",
      ratio: ratio(longGrouping, "groups", "plain"),
    },
    {
      work: "step_accuracy, 500 identical steps, a tenth in groups of 4",
      against: "the same without groups, where nothing has to be aligned (times slower)",
      ratio: ratio(identical, "groups", "plain"),
    },
  ];
}

/** @returns rows of the report */
export async function benchAlignment() {
  const scorer = stepAccuracy();
  const rows = [];
  for (const [count, repeats] of [
    [5, 2_000],
    [50, 100],
    [500, 2],
  ]) {
    for (const [what, actual] of [
      ["identical steps", names(count)],
      ["one wrong, one extra", disturbed(names(count))],
    ]) {
      const expected = names(count);
      const occurrence = occurrenceOf(actual, expected);
      const times = await interleave({
        ours: () => {
          for (let index = 0; index < repeats; index += 1) consume(scorer.score(occurrence).score);
        },
        matrix: () => {
          for (let index = 0; index < repeats; index += 1) consume(fullMatrix(expected, actual).distance);
        },
      });
      rows.push({
        work: `step_accuracy, ${count} ${what}`,
        against: "full matrix (times faster)",
        ratio: ratio(times, "matrix", "ours"),
      });
    }
  }
  return [...rows, ...(await benchGrowth(scorer))];
}
