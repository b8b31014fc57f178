import type { Expectation } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Kind } from "../model/span.ts";
import type { Occurrence, Step } from "../model/trajectory.ts";
import { type BuiltInScorer, builtIn } from "./built-in.ts";
import { parseConfig } from "./config.ts";
import { guardUnit } from "./guards.ts";
import { calledKey, expectedToolKey, type NameRule, rawKey } from "./names.ts";
import { resolveColumn, runLevel } from "./resolve-column.ts";
import { stepsOf } from "./steps-of.ts";
import {
  type ResolvedToolSelectionConfig,
  type ToolSelectionAccuracyConfig,
  toolSelectionSchema,
} from "./tool-selection-config.ts";
import { TOOL_SELECTION_NAME, TOOL_SELECTION_VERSION, toolSelectionManifest } from "./tool-selection-manifest.ts";
import { errored, nonEvaluable, verdict } from "./verdict.ts";

const NEEDS: readonly Kind[] = ["TOOL", "LLM"];

/**
 * `agent.tool_selection_accuracy` 2.0.0: did the agent call the tools that the task needs?
 *
 * Score 0 to 1: share of the distinct expected tools that were called at least once. No call at all is
 * `no_tool_calls`, or 0 when `treat_no_calls_as_zero` is set and the expected tools are the unit's own. Column
 * `expected_tools`.
 *
 * @throws TrajectoryError `invalid_config` for a wrong value or an unknown key
 */
export function toolSelectionAccuracy(config: ToolSelectionAccuracyConfig = {}): BuiltInScorer {
  const resolved = parseConfig(toolSelectionSchema().schema, config);
  const fallback = runLevel("expected_tools", resolved.expected_tools);
  return builtIn({
    name: TOOL_SELECTION_NAME,
    version: TOOL_SELECTION_VERSION,
    metric_name: resolved.metric_name,
    unit: resolved.unit,
    columns: ["expected_tools"],
    config: { ...resolved },
    fallback,
    annotations: resolved.annotations,
    manifest: toolSelectionManifest,
    score: (occurrence) => score(occurrence, resolved, fallback),
  });
}

function score(
  occurrence: Occurrence,
  config: ResolvedToolSelectionConfig,
  fallback: Expectation | undefined,
): ScoreResult {
  const { tools } = occurrence;
  const checked = tools === undefined ? stepsOf(occurrence.steps, "steps") : stepsOf(tools, "tools");
  if (!checked.ok) return errored("invalid_occurrence", checked.message);
  const column = resolveColumn("expected_tools", occurrence, config.annotations, fallback);
  if (!column.ok) return column.result;
  const guarded = guardUnit(occurrence, NEEDS, "tools");
  if (guarded !== undefined) return guarded;
  const calls = checked.steps.filter((step) => step.kind === "TOOL");
  if (calls.length === 0 && !(config.treat_no_calls_as_zero && column.origin === "own")) {
    return nonEvaluable("no_tool_calls");
  }
  const selection = selectTools(column.value, calls, config.names);
  return {
    status: "scored",
    score: selection.correct_tools / selection.total_tools,
    label: verdict(selection.correct_tools / selection.total_tools, config.threshold, column.status),
    metadata: { ...selection },
  };
}

/** Every list is distinct, in the first spelling, in order of first appearance. */
interface ToolSelection {
  readonly expected_tools: string[];
  readonly called_tools: string[];
  readonly missing_tools: string[];
  readonly total_tools: number;
  readonly correct_tools: number;
}

/** O(expected + calls); every name is normalised once. */
function selectTools(expected: readonly string[], calls: readonly Step[], rule: NameRule): ToolSelection {
  const wanted = firstSpellings(expected, (name) => expectedToolKey(name, rule));
  const called = firstSpellings(
    calls.map((call) => call.name),
    (name) => calledKey(name, rule),
  );
  const found = new Set(called.keys());
  for (const call of calls) found.add(rawKey(call.raw_name ?? call.name, rule));
  const missing = [...wanted].filter(([key]) => !found.has(key)).map(([, name]) => name);
  return {
    expected_tools: [...wanted.values()],
    called_tools: [...called.values()],
    missing_tools: missing,
    total_tools: wanted.size,
    correct_tools: wanted.size - missing.length,
  };
}

function firstSpellings(names: readonly string[], keyOf: (name: string) => string): Map<string, string> {
  const spellings = new Map<string, string>();
  for (const name of names) {
    const key = keyOf(name);
    if (!spellings.has(key)) spellings.set(key, name);
  }
  return spellings;
}
