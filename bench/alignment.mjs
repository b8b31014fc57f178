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
      const occurrence = {
        unit: "trajectory",
        unit_id: "trajectory:bench",
        steps: steps(actual),
        expectation: { expected_steps: expected },
      };
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
  return rows;
}
