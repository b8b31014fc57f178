import { isBuiltIn } from "../score/built-in.ts";
import type { EngineHost } from "./engine-host.ts";
import type { EvaluationTools } from "./evaluate.ts";
import { Limiter } from "./limiter.ts";
import type { ResolvedEngineOptions } from "./options.ts";

/** What evaluations of an engine need: only scorers of the host are limited, since ours are synchronous. */
export function evaluationTools(
  options: ResolvedEngineOptions,
  { resolver, runtime }: EngineHost,
  engine: Required<Pick<EvaluationTools, "goOn">> & { problem(kind: string, error: unknown): void },
): EvaluationTools {
  const custom = options.scorers.filter((scorer) => !isBuiltIn(scorer));
  return {
    resolver,
    runtime,
    limiters: new Map(
      custom.map((scorer) => [scorer, new Limiter(scorer.manifest.execution.max_concurrency, options.maxScorerQueue)]),
    ),
    onSentAway: ({ metric_name }) =>
      engine.problem(
        "scorer_queue",
        new Error(`${metric_name}: too slow, more than ${options.maxScorerQueue} units wait`),
      ),
    scorerTimeoutMillis: options.scorerTimeoutMillis,
    goOn: engine.goOn,
  };
}
