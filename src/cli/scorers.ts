import type { Scorer } from "../model/scorer.ts";
import { SCORER_BUILDERS } from "../score/rubric/inputs.ts";
import { type RubricConfig, rubric } from "../score/rubric/rubric.ts";
import { UsageError } from "./io.ts";

/** Builds a scorer from what a configuration file says; throws TrajectoryError for what it does not take. */
type Factory = (config: Readonly<Record<string, unknown>>) => Scorer;

/** The scorers that the command knows, by their default metric name. The order is that of reports. */
const FACTORIES: ReadonlyMap<string, Factory> = new Map<string, Factory>([
  ...Object.entries(SCORER_BUILDERS).map(([name, { build }]): [string, Factory] => [name, build]),
  ["rubric", (config) => rubric(config as RubricConfig)],
]);

/** The scorers that run where none is asked for: those that the processor runs by default. */
export function defaultScorerNames(): string[] {
  return ["step_accuracy", "tool_selection_accuracy"];
}

/** The metric name that `step_accuracy` or `agent.step_accuracy` stands for; undefined when there is none. */
export function knownScorer(name: string): string | undefined {
  const bare = name.replace(/^agent\./, "");
  return FACTORIES.has(bare) ? bare : undefined;
}

/** A scorer by metric name. @throws TrajectoryError `invalid_config` */
export function buildScorer(name: string, config: Readonly<Record<string, unknown>>): Scorer {
  const factory = FACTORIES.get(name);
  if (factory === undefined) throw unknownScorer(name);
  return factory(config);
}

/** The error for a name that no scorer has. */
export function unknownScorer(name: string, known: readonly string[] = [...FACTORIES.keys()]): UsageError {
  return new UsageError(`unknown scorer ${JSON.stringify(name)}; known: ${known.join(", ")}`);
}
