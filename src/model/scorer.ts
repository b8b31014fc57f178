import type { Column, Expectation } from "./expectation.ts";
import type { ScoreResult } from "./result.ts";
import type { Kind } from "./span.ts";
import type { Occurrence, Unit } from "./trajectory.ts";

/** What a scorer is, in the field names of the metric specifications. */
export interface Manifest {
  readonly manifest_version: "1";
  readonly kind: "trace_metric";
  readonly name: string;
  readonly display_name: string;
  readonly version: string;
  readonly description: string;
  readonly metric_type: "pointwise";
  readonly scorer_contract: "per_row";
  readonly direction: "higher_is_better" | "lower_is_better";
  readonly entrypoint: string;
  readonly partition_types: readonly ("trace" | "session")[];
  readonly required_kinds: readonly { readonly anyOf: readonly Kind[] }[];
  readonly required_columns: readonly string[];
  readonly accepts: readonly { readonly name: string }[];
  readonly config_schema: Readonly<Record<string, unknown>>;
  readonly dependencies: readonly string[];
  readonly execution: {
    readonly emits_metric_family: boolean;
    readonly function_name: string | null;
    readonly max_concurrency: number;
    readonly processing_kind: string;
    readonly timeout_seconds: number;
  };
  readonly metric_metadata: {
    readonly summary: string;
    readonly methodology: readonly string[];
    readonly score_semantics: string;
    readonly worked_example: string;
  };
  readonly unsupported_trace_shapes: readonly string[];
}

/**
 * A rule: occurrence + expectation -> result.
 *
 * Built-ins return a result, never a promise, and never throw. Custom scorers may be async; the engine guards and
 * time-limits them.
 */
export interface Scorer {
  /** Full name, for example `agent.step_accuracy`. */
  readonly name: string;
  /** A score that changes for the same input is a new major version. */
  readonly version: string;
  /** `^[a-z][a-z0-9_]*$`, unique in one processor; the name under which scores are emitted. */
  readonly metric_name: string;
  readonly units: readonly Unit[];
  readonly manifest: Manifest;
  score(occurrence: Occurrence): ScoreResult | Promise<ScoreResult>;

  /** Expectation columns that it can use, best first. @defaultValue the columns among `manifest.required_columns` */
  readonly columns?: readonly Column[];
  /** Whether it is handed every one of its columns that resolves, not just the best. @defaultValue false */
  readonly all_columns?: boolean;
  /** The validated configuration; its digest is part of every evaluation id. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Whether it reads `members`; they are counted only where a scorer says so. @defaultValue false */
  readonly needs_members?: boolean;
  /** Run-level fallback (source 5). */
  readonly fallback?: Expectation;
  /** Source 3: unit id, or bare trace or session id -> column -> JSON text. */
  readonly annotations?: Annotations;
}

/** Unit id, or bare trace or session id -> column -> JSON text. */
export type Annotations = Readonly<Record<string, Readonly<Record<string, string>>>>;
