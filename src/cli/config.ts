import { DEFAULT_LIMITS } from "../buffer/limits.ts";
import { loadDocument } from "../files/load.ts";
import { messageOf, show, TrajectoryError } from "../model/errors.ts";
import type { Scorer } from "../model/scorer.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { type EngineOptions, type ResolvedEngineOptions, resolveEngineOptions } from "../pipeline/options.ts";
import { fromFolder } from "./input-files.ts";
import { UsageError } from "./io.ts";
import { buildScorer, defaultScorerNames, knownScorer, unknownScorer } from "./scorers.ts";

/** What the command line says about scorers and trajectories; it goes before the configuration file. */
export interface SettingsInput {
  readonly cwd: string;
  readonly config?: string | undefined;
  readonly scorers?: readonly string[] | undefined;
  readonly unit?: "trajectory" | "session" | undefined;
  readonly trajectory: TrajectoryOptions;
  /** What stands in for the engine's own defaults. */
  readonly defaults?: EngineOptions | undefined;
}

/** Scorers and options, checked. */
export interface Settings {
  readonly scorers: readonly Scorer[];
  readonly trajectory: TrajectoryOptions;
  /** Everything that a live engine is told; only services have one. */
  readonly engine: ResolvedEngineOptions;
  /** The sections `serve` and `consume`, which only those commands check. */
  readonly serve: Mapping;
  readonly consume: Mapping;
}

type Mapping = Readonly<Record<string, unknown>>;

/**
 * Joins `--config FILE` with the options of the command line.
 *
 * Which scorers run: those of `--scorers`, else those that the file configures, else the two that the processor runs by default.
 *
 * @throws UsageError naming the file, the path of the field, the value and what is allowed
 */
export async function loadSettings(input: SettingsInput): Promise<Settings> {
  const file = input.config;
  const document = file === undefined ? {} : await readConfig(file, input.cwd);
  const prefix = file === undefined ? "" : `${file}: `;
  refuseUnknown(document, ["scorers", "trajectory", "engine", "serve", "consume"], prefix, "");
  const limits = mapping(document.engine, `${prefix}engine`);
  refuseUnknown(limits, ENGINE_KEYS, prefix, "engine: ");
  const configured = mapping(document.scorers, `${prefix}scorers`);
  const configs = new Map<string, readonly Mapping[]>();
  for (const [name, value] of Object.entries(configured)) {
    const known = knownScorer(name);
    if (known === undefined) throw new UsageError(`${prefix}scorers: ${unknownScorer(name).message}`);
    configs.set(known, mappings(value, `${prefix}scorers.${name}`));
  }
  const named = input.scorers?.map((name) => {
    const known = knownScorer(name);
    if (known === undefined) throw unknownScorer(name);
    return known;
  });
  const selected = new Set(named ?? (configs.size > 0 ? configs.keys() : defaultScorerNames()));
  const unit = input.unit === undefined ? {} : { unit: input.unit };
  const scorers = [...selected].flatMap((name) =>
    (configs.get(name) ?? [{}]).map((config) => build(name, { ...config, ...unit }, prefix)),
  );
  const trajectory = { ...mapping(document.trajectory, `${prefix}trajectory`), ...given(input.trajectory) };
  try {
    const engine = resolveEngineOptions({ ...input.defaults, ...limits, scorers, trajectory });
    const [serve, consume] = [document.serve, document.consume].map((section, index) =>
      mapping(section, `${prefix}${["serve", "consume"][index]}`),
    ) as [Mapping, Mapping];
    return { scorers, trajectory: engine.trajectory, engine, serve, consume };
  } catch (error) {
    throw new UsageError(`${prefix}${messageOf(error)}`);
  }
}

/** Options of the engine that a file may hold: all but functions. */
const ENGINE_KEYS: readonly string[] = [
  ...Object.keys(DEFAULT_LIMITS),
  "sampleRatio",
  "maxContentBytes",
  "scorerTimeoutMillis",
  "maxScorerQueue",
  "defaultEgress",
];

async function readConfig(file: string, cwd: string): Promise<Mapping> {
  const loaded = await loadDocument(fromFolder(cwd, file), file);
  if (!loaded.ok) throw new UsageError(loaded.message);
  return mapping(loaded.value, file);
}

function build(name: string, config: Mapping, prefix: string): Scorer {
  try {
    return buildScorer(name, config);
  } catch (error) {
    if (!(error instanceof TrajectoryError)) throw error;
    // The message begins with the path of the field, if it is about one.
    const separator = error.path === "" || !error.message.startsWith(error.path) ? ": " : ".";
    throw new UsageError(`${prefix}scorers.${name}${separator}${error.message}`);
  }
}

/** An empty section of YAML is null: it says nothing. */
function mapping(value: unknown, place: string): Mapping {
  if (value === undefined || value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value as Mapping;
  throw new UsageError(`${place}: must be a mapping, got ${show(value)}`);
}

/** A scorer may be there several times, under several metric names: then its section is a list. */
function mappings(value: unknown, place: string): readonly Mapping[] {
  if (!Array.isArray(value)) return [mapping(value, place)];
  return value.map((each, index) => mapping(each, `${place}[${index}]`));
}

function refuseUnknown(value: Mapping, known: readonly string[], prefix: string, place: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new UsageError(`${prefix}${place}unknown key ${show(unknown)}; allowed: ${known.join(", ")}`);
}

/** Options that were not given must not hide those of the file. */
function given(options: TrajectoryOptions): TrajectoryOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
