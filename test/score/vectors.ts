import { readFileSync } from "node:fs";
import type { AlignedStep } from "../../src/model/result.ts";
import type { Step } from "../../src/model/trajectory.ts";

/** One row of `fixtures/vectors/trajectory.json`: answers of an independent reference. */
export interface VectorRow {
  readonly id: string;
  readonly expected_steps: readonly (string | readonly string[])[];
  readonly observed: readonly Step[];
  readonly edit_distance: {
    readonly score: number;
    readonly edit_distance: number;
    readonly total_steps: number;
    readonly correct_steps: number;
    readonly steps?: readonly AlignedStep[];
  };
  readonly strict_position?: {
    readonly score: number;
    readonly total_steps: number;
    readonly correct_steps: number;
    readonly extra_steps: readonly string[];
  };
  readonly tool_selection_accuracy?:
    | { readonly score: number; readonly missing: readonly string[] }
    | { readonly status: "non_evaluable"; readonly reason: string };
}

export function readVectors(): VectorRow[] {
  const url = new URL("../fixtures/vectors/trajectory.json", import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")) as VectorRow[];
}
