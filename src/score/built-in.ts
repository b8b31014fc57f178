import { finish, isSliced, type Sliced } from "../align/sliced.ts";
import { messageOf, show } from "../model/errors.ts";
import type { Column, Expectation } from "../model/expectation.ts";
import type { ScoreResult } from "../model/result.ts";
import type { Annotations, Manifest, Scorer } from "../model/scorer.ts";
import type { Occurrence, Unit } from "../model/trajectory.ts";
import { errored } from "./verdict.ts";

/** What makes a built-in scorer; `score` may throw on hostile input, the scorer does not. What takes long is sliced. */
export interface BuiltInDefinition {
  readonly metric_name: string;
  readonly unit: Unit;
  readonly columns: readonly Column[];
  readonly config: Readonly<Record<string, unknown>>;
  readonly fallback: Expectation | undefined;
  readonly annotations: Annotations | null;
  /** Built at most once, on demand: printing a schema is not for the hot path. */
  readonly manifest: () => Manifest;
  readonly name: string;
  readonly version: string;
  readonly score: (occurrence: Occurrence) => ScoreResult | Sliced<ScoreResult>;
  /** Whether it is handed every one of its columns that resolves, not the first alone. @defaultValue false */
  readonly allColumns?: boolean;
  /** Whether it reads the unit's members. @defaultValue false */
  readonly needsMembers?: boolean;
  /** Whether scoring calls functions of the host: then it is no work for a hook. @defaultValue false */
  readonly hostCode?: boolean;
}

/** A scorer of this package: synchronous, never throwing, whatever the occurrence. */
export interface BuiltInScorer extends Scorer {
  readonly columns: readonly Column[];
  readonly config: Readonly<Record<string, unknown>>;
  score(occurrence: Occurrence): ScoreResult;
}

class BuiltIn implements BuiltInScorer {
  readonly name: string;
  readonly version: string;
  readonly metric_name: string;
  readonly units: readonly Unit[];
  readonly columns: readonly Column[];
  readonly all_columns: boolean;
  readonly needs_members: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  declare readonly fallback?: Expectation;
  declare readonly annotations?: Annotations;
  readonly #definition: BuiltInDefinition;
  #manifest: Manifest | undefined;

  constructor(definition: BuiltInDefinition) {
    this.#definition = definition;
    this.name = definition.name;
    this.version = definition.version;
    this.metric_name = definition.metric_name;
    this.units = [definition.unit];
    this.columns = definition.columns;
    this.all_columns = definition.allColumns === true;
    this.needs_members = definition.needsMembers === true;
    this.config = definition.config;
    if (definition.fallback !== undefined) this.fallback = definition.fallback;
    if (definition.annotations !== null) this.annotations = definition.annotations;
  }

  /** Whether scoring calls functions of the host. */
  get hostCode(): boolean {
    return this.#definition.hostCode === true;
  }

  get manifest(): Manifest {
    this.#manifest ??= this.#definition.manifest();
    return this.#manifest;
  }

  score(occurrence: Occurrence): ScoreResult {
    return finish(this.inSlices(occurrence));
  }

  /** {@link score}, in slices where it takes long. */
  inSlices(occurrence: Occurrence): ScoreResult | Sliced<ScoreResult> {
    try {
      if (typeof occurrence !== "object" || occurrence === null) {
        return errored("invalid_occurrence", `must be an occurrence, got ${show(occurrence)}`);
      }
      const outcome = this.#definition.score(occurrence);
      return isSliced(outcome) ? guarded(outcome) : outcome;
    } catch (error) {
      return failed(error);
    }
  }
}

function* guarded(work: Sliced<ScoreResult>): Sliced<ScoreResult> {
  try {
    return yield* work;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): ScoreResult {
  return errored("scorer_failed", messageOf(error));
}

/** Makes a scorer that {@link isBuiltIn} knows. */
export function builtIn(definition: BuiltInDefinition): BuiltInScorer {
  return new BuiltIn(definition);
}

/** What a scorer of this package says of an occurrence, in slices where it takes long; undefined for one of others. */
export function scoreInSlices(scorer: BuiltInScorer, occurrence: Occurrence): ScoreResult | Sliced<ScoreResult>;
export function scoreInSlices(scorer: Scorer, occurrence: Occurrence): ScoreResult | Sliced<ScoreResult> | undefined;
export function scoreInSlices(scorer: Scorer, occurrence: Occurrence): ScoreResult | Sliced<ScoreResult> | undefined {
  return scorer instanceof BuiltIn ? scorer.inSlices(occurrence) : undefined;
}

/**
 * True for the scorers of this package: they return a result, never a promise, and never throw. Not for those that call
 * functions of the host: how long these take is unknown.
 */
export function isBuiltIn(scorer: Scorer): boolean {
  return scorer instanceof BuiltIn && !scorer.hostCode;
}
