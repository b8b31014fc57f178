import type { Expectation, ExpectedStep } from "../../src/model/expectation.ts";
import type { Scored, ScoreResult } from "../../src/model/result.ts";
import type { Occurrence, Step } from "../../src/model/trajectory.ts";

/** Steps from names; a name that begins with `@` is an agent. */
export function stepsOf(...names: readonly string[]): Step[] {
  return names.map((name) => (name.startsWith("@") ? { kind: "AGENT", name: name.slice(1) } : { kind: "TOOL", name }));
}

export function occurrenceOf(
  steps: readonly Step[],
  expectation?: Expectation,
  rest: Partial<Occurrence> = {},
): Occurrence {
  return { unit: "trajectory", unit_id: "trajectory:t1", steps, ...(expectation && { expectation }), ...rest };
}

export function expectSteps(...expected_steps: readonly ExpectedStep[]): Expectation {
  return { expected_steps };
}

export function scored(result: ScoreResult): Scored {
  if (result.status !== "scored") throw new Error(`not scored: ${JSON.stringify(result)}`);
  return result;
}
