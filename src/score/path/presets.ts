import { show, TrajectoryError } from "../../model/errors.ts";
import type { BuiltInScorer } from "../built-in.ts";
import { type TrajectoryMatchConfig, trajectoryMatch } from "./trajectory-match.ts";

/** Names under which other tools know a comparison mode. */
export type PresetName =
  | "langchain/strict"
  | "langchain/unordered"
  | "langchain/subset"
  | "langchain/superset"
  | "adk/EXACT"
  | "adk/IN_ORDER"
  | "adk/ANY_ORDER"
  | "vertex/trajectory_exact_match"
  | "vertex/trajectory_in_order_match"
  | "vertex/trajectory_any_order_match"
  | "vertex/trajectory_precision"
  | "vertex/trajectory_recall"
  | "vertex/trajectory_single_tool_use";

/** What each preset stands for. Where ours answers otherwise is written down in docs/SCORERS.md. */
const PRESETS: Readonly<Record<PresetName, TrajectoryMatchConfig & { readonly metric_name: string }>> = {
  "langchain/strict": { metric_name: "langchain_strict", mode: "exact" },
  "langchain/unordered": { metric_name: "langchain_unordered", mode: "unordered" },
  "langchain/subset": { metric_name: "langchain_subset", mode: "subset" },
  "langchain/superset": { metric_name: "langchain_superset", mode: "superset" },
  "adk/EXACT": { metric_name: "adk_exact", mode: "exact" },
  "adk/IN_ORDER": { metric_name: "adk_in_order", mode: "in_order" },
  "adk/ANY_ORDER": { metric_name: "adk_any_order", mode: "any_order" },
  "vertex/trajectory_exact_match": { metric_name: "trajectory_exact_match", mode: "exact" },
  "vertex/trajectory_in_order_match": { metric_name: "trajectory_in_order_match", mode: "in_order" },
  "vertex/trajectory_any_order_match": { metric_name: "trajectory_any_order_match", mode: "any_order" },
  "vertex/trajectory_precision": { metric_name: "trajectory_precision", mode: "precision" },
  "vertex/trajectory_recall": { metric_name: "trajectory_recall", mode: "recall" },
  "vertex/trajectory_single_tool_use": { metric_name: "trajectory_single_tool_use", mode: "single_tool_use" },
};

/** Names of all presets. */
export const PRESET_NAMES: readonly PresetName[] = Object.keys(PRESETS) as PresetName[];

/**
 * A comparison mode under the name that it has in another tool: LangChain agentevals, Google ADK, Vertex AI.
 *
 * @param config - Completes or replaces what the preset says, for example `{ match: "ignore" }` or `{ threshold: 1 }`.
 * @throws TrajectoryError `invalid_config` for an unknown preset, a wrong value or an unknown key
 * @example preset("adk/IN_ORDER", { threshold: 1 })
 */
export function preset(name: PresetName, config: Omit<TrajectoryMatchConfig, "mode"> = {}): BuiltInScorer {
  if (!Object.hasOwn(PRESETS, name)) {
    const message = `preset: must be one of ${PRESET_NAMES.join(", ")}, got ${show(name)}`;
    throw new TrajectoryError("invalid_config", "preset", message);
  }
  return trajectoryMatch({ ...PRESETS[name], ...config });
}
