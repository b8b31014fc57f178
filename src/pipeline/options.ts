import { type BufferLimits, DEFAULT_LIMITS } from "../buffer/limits.ts";
import { show, TrajectoryError } from "../model/errors.ts";
import type { Scorer } from "../model/scorer.ts";
import type { Egress, TrajectoryOptions } from "../model/trajectory.ts";
import { isBuiltIn } from "../score/built-in.ts";
import { stepAccuracy } from "../score/step-accuracy.ts";
import { toolSelectionAccuracy } from "../score/tool-selection-accuracy.ts";

/** Options of the engine. Every number is a whole number from 1 up (times may be 0); wrong ones throw. */
export interface EngineOptions extends Partial<BufferLimits> {
  /** @defaultValue `[stepAccuracy(), toolSelectionAccuracy()]` */
  readonly scorers?: readonly Scorer[] | undefined;
  /** How spans become steps. */
  readonly trajectory?: TrajectoryOptions | undefined;
  /** Share of units to score, decided from the trace id (session id for sessions). 0 to 1. @defaultValue 1 */
  readonly sampleRatio?: number | undefined;
  /** Longest content that is kept of one attribute value; longer content counts as truncated. @defaultValue 65536 */
  readonly maxContentBytes?: number | undefined;
  /** Time limit of an asynchronous scorer, in ms. @defaultValue its manifest's `timeout_seconds` */
  readonly scorerTimeoutMillis?: number | undefined;
  /**
   * Units that wait for their turn with one asynchronous scorer. One more, and the unit that has waited longest is
   * `scorer_timeout`. @defaultValue 1000
   */
  readonly maxScorerQueue?: number | undefined;
  /** What stands in for an absent `aip.egress`. @defaultValue "unknown" */
  readonly defaultEgress?: Egress | undefined;
}

/** Every option with its value; nothing downstream applies a default again. */
export interface ResolvedEngineOptions {
  readonly scorers: readonly Scorer[];
  readonly trajectory: {
    readonly root: "entry-agent" | "trace";
    readonly delegations: "same-name" | "fold" | "keep";
    readonly failedCalls: "count" | "ignore" | "collapse";
  };
  readonly limits: BufferLimits;
  readonly sampleRatio: number;
  readonly maxContentBytes: number;
  readonly scorerTimeoutMillis: number | undefined;
  readonly maxScorerQueue: number;
  readonly defaultEgress: Egress;
}

/** Fills in the defaults. @throws TrajectoryError `invalid_option` naming the option, the value and what is allowed */
export function resolveEngineOptions(options: EngineOptions): ResolvedEngineOptions {
  return {
    scorers: scorersOf(options.scorers ?? [stepAccuracy(), toolSelectionAccuracy()]),
    trajectory: resolveTrajectoryOptions(options.trajectory ?? {}),
    limits: limitsOf(options),
    sampleRatio: ratio("sampleRatio", options.sampleRatio ?? 1),
    maxContentBytes: whole("maxContentBytes", options.maxContentBytes ?? 65_536, 1),
    scorerTimeoutMillis:
      options.scorerTimeoutMillis === undefined
        ? undefined
        : whole("scorerTimeoutMillis", options.scorerTimeoutMillis, 1),
    maxScorerQueue: whole("maxScorerQueue", options.maxScorerQueue ?? 1_000, 1),
    defaultEgress: oneOf("defaultEgress", options.defaultEgress ?? "unknown", ["permitted", "forbidden", "unknown"]),
  };
}

function limitsOf(options: EngineOptions): BufferLimits {
  const limits: Record<string, number> = {};
  for (const [name, fallback] of Object.entries(DEFAULT_LIMITS)) {
    const value = options[name as keyof BufferLimits] ?? fallback;
    limits[name] = whole(name, value, name.endsWith("Millis") || name === "maxFinishedTraces" ? 0 : 1);
  }
  return limits as unknown as BufferLimits;
}

/** Checks how spans become steps. @throws TrajectoryError `invalid_option` */
export function resolveTrajectoryOptions(given: TrajectoryOptions): ResolvedEngineOptions["trajectory"] {
  if (typeof given !== "object" || given === null) throw bad("trajectory", given, "an object");
  for (const key of Object.keys(given)) {
    if (!["root", "delegations", "failedCalls"].includes(key)) {
      throw bad(
        `trajectory.${key}`,
        (given as Record<string, unknown>)[key],
        "no such option; root, delegations, failedCalls",
      );
    }
  }
  return {
    root: oneOf("trajectory.root", given.root ?? "entry-agent", ["entry-agent", "trace"]),
    delegations: oneOf("trajectory.delegations", given.delegations ?? "same-name", ["same-name", "fold", "keep"]),
    failedCalls: oneOf("trajectory.failedCalls", given.failedCalls ?? "count", ["count", "ignore", "collapse"]),
  };
}

function scorersOf(scorers: readonly Scorer[]): readonly Scorer[] {
  if (!Array.isArray(scorers)) throw bad("scorers", scorers, "an array of scorers");
  const seen = new Set<string>();
  for (const [index, scorer] of scorers.entries()) {
    const path = `scorers[${index}]`;
    if (typeof scorer?.score !== "function" || typeof scorer.metric_name !== "string" || !Array.isArray(scorer.units)) {
      throw bad(path, scorer, "a scorer (defineScorer helps to write one)");
    }
    // Manifests of our own are made when they are asked for.
    if (!isBuiltIn(scorer) && !isLimited(scorer)) {
      throw bad(`${path}.manifest`, scorer.manifest, "a manifest with its execution limits (defineScorer makes one)");
    }
    if (!/^[a-z][a-z0-9_]*$/.test(scorer.metric_name)) {
      throw bad(`${path}.metric_name`, scorer.metric_name, "a name that matches ^[a-z][a-z0-9_]*$");
    }
    if (seen.has(scorer.metric_name)) {
      throw bad(`${path}.metric_name`, scorer.metric_name, "a name that no other scorer of this processor has");
    }
    seen.add(scorer.metric_name);
  }
  return [...scorers];
}

function isLimited({ manifest }: { readonly manifest?: Partial<Scorer["manifest"]> }): boolean {
  const { max_concurrency, timeout_seconds } = manifest?.execution ?? {};
  return typeof max_concurrency === "number" && typeof timeout_seconds === "number";
}

/** A whole number of at least `least`. */
export function whole(name: string, value: unknown, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw bad(name, value, `a whole number of at least ${least}`);
  }
  return value;
}

/** A number from 0 to 1. */
export function ratio(name: string, value: unknown): number {
  if (typeof value !== "number" || !(value >= 0 && value <= 1)) throw bad(name, value, "a number from 0 to 1");
  return value;
}

/** A number from 0 to 1 as an environment variable has it. @throws TrajectoryError `invalid_option`, with the text */
export function ratioOfText(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1)) throw bad(name, text, "a number from 0 to 1");
  return value;
}

/** One of a few words. */
export function oneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T)) throw bad(name, value, allowed.map((word) => `"${word}"`).join(", "));
  return value as T;
}

/** The error for a wrong option. */
export function bad(name: string, value: unknown, allowed: string): TrajectoryError {
  return new TrajectoryError("invalid_option", name, `${name}: expected ${allowed}, got ${show(value)}`);
}
