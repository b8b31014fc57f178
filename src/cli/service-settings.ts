import { readFile } from "node:fs/promises";
import { messageOf } from "../model/errors.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { ratioOfText } from "../pipeline/options.ts";
import type { OutputOptions } from "../serve/service.ts";
import { loadSettings, type Settings } from "./config.ts";
import { fromFolder } from "./input-files.ts";
import { type Io, UsageError } from "./io.ts";
import { loadRules } from "./load-rules.ts";

/** Where results go. */
export const OUTPUTS = ["otlp", "jsonl"] as const;
export type ServiceOutput = (typeof OUTPUTS)[number];

/** What services are told on the command line, whatever spans they take. */
export interface ServiceFlags {
  readonly host: string;
  readonly port: number;
  readonly output: readonly ServiceOutput[];
  readonly spans: boolean;
  readonly expectations?: string | undefined;
  readonly config?: string | undefined;
  readonly scorers?: readonly string[] | undefined;
  readonly unit?: "trajectory" | "session" | undefined;
  readonly trajectory: TrajectoryOptions;
  readonly tokenFile?: string | undefined;
  readonly sessionId: "plain" | "hash";
}

/** What a service starts with. */
export interface ServiceSettings {
  readonly settings: Settings;
  readonly common: OutputOptions & {
    readonly host: string;
    readonly port: number;
    readonly token: string | undefined;
    readonly engine: Settings["engine"];
  };
}

/**
 * Joins what the command line, the environment and the configuration file say to a service.
 *
 * @throws UsageError naming the option, the file or the variable, and what is expected
 */
export async function serviceSettings(flags: ServiceFlags, io: Io): Promise<ServiceSettings> {
  const env = io.env ?? {};
  const sampleRatio = sampleRatioOf(env);
  const defaults = sampleRatio === undefined ? SERVICE_DEFAULTS : { ...SERVICE_DEFAULTS, sampleRatio };
  const settings = await loadSettings({ ...flags, cwd: io.cwd, defaults });
  const otlp = flags.output.includes("otlp");
  if (otlp && !ENDPOINTS.some((name) => (env[name] ?? "") !== "")) {
    throw new UsageError(
      "--output otlp: set OTEL_EXPORTER_OTLP_ENDPOINT to where results go, or print them with --output jsonl",
    );
  }
  if (flags.spans && !otlp) throw new UsageError("--spans: only with --output otlp");
  return {
    settings,
    common: {
      host: flags.host,
      port: flags.port,
      token: await tokenOf(flags, env, io.cwd),
      engine: settings.engine,
      expectations: await expectationsOf(flags, env, io.cwd),
      policy: { emitContent: false, sessionId: flags.sessionId },
      otlp,
      spans: flags.spans,
      metricIntervalMillis: intervalOf(env),
      rows: flags.output.includes("jsonl") ? io.stdout : undefined,
      log: io.stderr,
    },
  };
}

/** The limits of one section of the configuration file. @throws UsageError naming file and section */
export function limitsIn<L>(
  section: "serve" | "consume",
  { settings }: ServiceSettings,
  file: string | undefined,
  resolve: (given: Readonly<Record<string, unknown>>) => L,
): L {
  try {
    return resolve(settings[section]);
  } catch (error) {
    throw new UsageError(`${file ?? "config"}: ${section}: ${messageOf(error)}`);
  }
}

/** A service follows many agents at once: there is no host whose memory it must spare. */
const SERVICE_DEFAULTS = {
  maxTraces: 100_000,
  maxFinishedTraces: 100_000,
  maxSessions: 100_000,
  maxBufferedBytes: 512 * 1024 * 1024,
};

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"];

/** The file of expectations, which is followed later on; one that is broken from the beginning is a mistake. */
async function expectationsOf(
  options: ServiceFlags,
  env: NonNullable<Io["env"]>,
  cwd: string,
): Promise<string | undefined> {
  const named = options.expectations ?? env["TRAJECTORY_EXPECTATIONS"]?.trim();
  if (named === undefined || named === "") return undefined;
  await loadRules(named, cwd);
  return fromFolder(cwd, named);
}

/** The share of traces that `TRAJECTORY_SAMPLE_RATIO` asks for: the processors', so that all decide alike. */
function sampleRatioOf(env: NonNullable<Io["env"]>): number | undefined {
  const text = env["TRAJECTORY_SAMPLE_RATIO"]?.trim() ?? "";
  return text === "" ? undefined : ratioOfText("TRAJECTORY_SAMPLE_RATIO", text);
}

function intervalOf(env: NonNullable<Io["env"]>): number {
  const millis = Number(env["OTEL_METRIC_EXPORT_INTERVAL"] ?? "");
  return Number.isSafeInteger(millis) && millis > 0 ? millis : 60_000;
}

async function tokenOf(
  { tokenFile }: ServiceFlags,
  env: NonNullable<Io["env"]>,
  cwd: string,
): Promise<string | undefined> {
  const given = tokenFile === undefined ? env["TRAJECTORY_TOKEN"] : (await readNamed(tokenFile, cwd)).toString("utf8");
  if (given === undefined || (given === "" && tokenFile === undefined)) return undefined;
  const token = given.trim();
  // A token that no header can hold would turn everybody away; an empty one, nobody.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(`${tokenFile ?? "TRAJECTORY_TOKEN"}: expected one token of visible ASCII characters`);
  }
  return token;
}

/** Reads a file that an option names. @throws UsageError (rejects) where it cannot be read */
export async function readNamed(file: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(fromFolder(cwd, file));
  } catch (error) {
    throw new UsageError(`${file}: cannot be read: ${messageOf(error)}`);
  }
}
