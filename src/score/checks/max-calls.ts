import { maxCallsSchema } from "../../expectation/parse.ts";
import type { MaxCalls } from "../../model/expectation.ts";
import type { Step } from "../../model/trajectory.ts";
import type { BuiltInScorer } from "../built-in.ts";
import type { CommonConfig } from "../config.ts";
import { type NameRule, sameName } from "../names.ts";
import { type CheckDefinition, checkScorer } from "./check-scorer.ts";

/** Configuration of {@link maxCalls}. */
export interface MaxCallsConfig extends CommonConfig {
  /** Run-level fallback: most calls of all tools together, or by tool name. */
  readonly max_calls?: MaxCalls | null | undefined;
}

/**
 * `max_calls` 1.0.0: did the agent stay within the number of tool calls that it may make?
 *
 * 1 when every limit is kept, else 0. No call at all keeps every limit. Column `max_calls`: a number for all tools
 * together, or a mapping from tool names to numbers. Failed calls count.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function maxCalls(config: MaxCallsConfig = {}): BuiltInScorer {
  return checkScorer(MAX_CALLS, config);
}

/** What makes {@link maxCalls}. */
export const MAX_CALLS: CheckDefinition<"max_calls"> = {
  column: "max_calls",
  display_name: "Max Calls",
  entrypoint: "maxCalls",
  description: "Whether the agent made no more tool calls than allowed, together or by tool.",
  value: maxCallsSchema,
  check,
  metric_metadata: {
    summary: "1 when every limit on the number of tool calls was kept, else 0.",
    methodology: [
      "The tool calls of the unit are counted, failed ones included.",
      "One number limits all of them together; a mapping limits the calls of each tool that it names.",
    ],
    score_semantics: "0 or 1. No call keeps every limit.",
    worked_example: "max_calls: { search: 2 }, observed [search, search, open, search]: three of two, 0.",
  },
};

function check(
  limit: MaxCalls,
  calls: readonly Step[],
  names: NameRule,
): { readonly kept: boolean; readonly metadata: Record<string, unknown> } {
  const metadata = { max_calls: limit, total_calls: calls.length };
  if (typeof limit === "number") {
    const excess = Math.max(0, calls.length - limit);
    return { kept: excess === 0, metadata: { ...metadata, excess_calls: excess, exceeded: [] } };
  }
  const exceeded: { tool: string; calls: number; max_calls: number }[] = [];
  let excess = 0;
  for (const [tool, most] of Object.entries(limit)) {
    const made = calls.reduce((count, call) => (sameName(tool, call, names) ? count + 1 : count), 0);
    if (made <= most) continue;
    excess += made - most;
    exceeded.push({ tool, calls: made, max_calls: most });
  }
  return { kept: excess === 0, metadata: { ...metadata, excess_calls: excess, exceeded } };
}
