import type { Evaluation } from "../model/evaluation.ts";
import type { Step } from "../model/trajectory.ts";
import type { CollectedUnit } from "./collect.ts";

/** One unit as `steps` prints it. */
export interface StepsRow {
  readonly unit_id: string;
  readonly trace_ids: readonly string[];
  readonly session_id?: string;
  readonly kinds: readonly string[];
  readonly steps: readonly StepRow[];
  /** Names of the tool list. */
  readonly tools: readonly string[];
  readonly unread?: readonly ("steps" | "tools")[];
}

/** One step of a {@link StepsRow}. */
export interface StepRow {
  readonly kind: "TOOL" | "AGENT";
  readonly name: string;
  readonly raw_name?: string;
  readonly args?: unknown;
  readonly failed?: true;
  readonly source: "span" | "completion";
}

/** One result as `score` prints it. */
export interface ScoreRow {
  readonly unit_id: string;
  readonly metric: string;
  readonly version: string;
  readonly status: "scored" | "non_evaluable" | "error";
  readonly score?: number;
  readonly label?: string;
  readonly reason?: string;
  readonly error?: { readonly type: string; readonly message: string };
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The row of a unit. */
export function stepsRow(unit: CollectedUnit): StepsRow {
  const { occurrence } = unit;
  return {
    unit_id: occurrence.unit_id,
    trace_ids: occurrence.trace_ids ?? [],
    ...(unit.given_session_id === undefined ? {} : { session_id: unit.given_session_id }),
    kinds: occurrence.kinds ?? [],
    steps: occurrence.steps.map(stepRow),
    tools: (occurrence.tools ?? []).map((step) => step.name),
    ...(occurrence.unread === undefined || occurrence.unread.length === 0 ? {} : { unread: occurrence.unread }),
  };
}

function stepRow(step: Step): StepRow {
  return {
    kind: step.kind,
    name: step.name,
    ...(step.raw_name === undefined ? {} : { raw_name: step.raw_name }),
    ...(step.args === undefined ? {} : { args: step.args }),
    ...(step.failed === true ? { failed: true } : {}),
    source: step.source ?? "span",
  };
}

/** The row of a result. */
export function scoreRow({ scorer, occurrence, result }: Evaluation): ScoreRow {
  const head = { unit_id: occurrence.unit_id, metric: scorer.metric_name, version: scorer.version };
  switch (result.status) {
    case "scored":
      return { ...head, status: "scored", score: result.score, label: result.label, metadata: result.metadata };
    case "non_evaluable":
      return { ...head, status: "non_evaluable", reason: result.reason, metadata: result.metadata ?? {} };
    case "error":
      return { ...head, status: "error", error: result.error, metadata: {} };
  }
}

/** JSON on one line. Integers beyond 2^53 leave as text: JSON readers would round them. */
export function jsonLine(row: StepsRow | ScoreRow): string {
  try {
    return JSON.stringify(row);
  } catch {
    // It holds such an integer. Asking about every value takes several times as long.
    return JSON.stringify(row, (_key, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
  }
}
