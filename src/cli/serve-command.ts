import { readFile } from "node:fs/promises";
import { messageOf } from "../model/errors.ts";
import type { TrajectoryOptions } from "../model/trajectory.ts";
import { ratioOfText } from "../pipeline/options.ts";
import { resolveServeLimits, type ServeLimits } from "../serve/options.ts";
import { loadSettings } from "./config.ts";
import { fromFolder } from "./input-files.ts";
import { type Io, UsageError } from "./io.ts";

/** Where results go. */
export const OUTPUTS = ["otlp", "jsonl"] as const;
export type ServeOutput = (typeof OUTPUTS)[number];

export interface ServeOptions {
  readonly host: string;
  readonly port: number;
  readonly grpcPort?: number | undefined;
  readonly output: readonly ServeOutput[];
  readonly spans: boolean;
  readonly expectations?: string | undefined;
  readonly config?: string | undefined;
  readonly scorers?: readonly string[] | undefined;
  readonly unit?: "trajectory" | "session" | undefined;
  readonly trajectory: TrajectoryOptions;
  readonly tokenFile?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly sessionId: "plain" | "hash";
}

/** `serve`: takes spans over OTLP/HTTP until it is told to end, and scores them as they come. */
export async function serveCommand(options: ServeOptions, io: Io): Promise<number> {
  const env = io.env ?? {};
  const sampleRatio = sampleRatioOf(env);
  const defaults = sampleRatio === undefined ? SERVE_DEFAULTS : { ...SERVE_DEFAULTS, sampleRatio };
  const settings = await loadSettings({ ...options, cwd: io.cwd, defaults });
  const otlp = options.output.includes("otlp");
  if (otlp && !ENDPOINTS.some((name) => (env[name] ?? "") !== "")) {
    throw new UsageError(
      "--output otlp: set OTEL_EXPORTER_OTLP_ENDPOINT to where results go, or print them with --output jsonl",
    );
  }
  if (options.spans && !otlp) throw new UsageError("--spans: only with --output otlp");
  const tls = await tlsOf(options, io.cwd);
  const token = await tokenOf(options, env, io.cwd);
  const limits = limitsOf(settings.serve, options.config);
  const { startService } = await import("../serve/service.ts");
  const service = await startService({
    host: options.host,
    port: options.port,
    grpcPort: options.grpcPort,
    token,
    tls,
    engine: settings.engine,
    limits,
    expectations: expectationsOf(options, env, io.cwd),
    policy: { emitContent: false, sessionId: options.sessionId },
    otlp,
    spans: options.spans,
    metricIntervalMillis: intervalOf(env),
    rows: options.output.includes("jsonl") ? io.stdout : undefined,
    log: io.stderr,
  });
  await io.untilStopped?.();
  return (await service.stop()) ? 0 : 1;
}

/** A service follows many agents at once: there is no host whose memory it must spare. */
const SERVE_DEFAULTS = {
  maxTraces: 100_000,
  maxFinishedTraces: 100_000,
  maxSessions: 100_000,
  maxBufferedBytes: 512 * 1024 * 1024,
};

function limitsOf(section: Readonly<Record<string, unknown>>, file: string | undefined): ServeLimits {
  try {
    return resolveServeLimits(section);
  } catch (error) {
    throw new UsageError(`${file ?? "config"}: serve: ${messageOf(error)}`);
  }
}

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"];

function expectationsOf(options: ServeOptions, env: NonNullable<Io["env"]>, cwd: string): string | undefined {
  const named = options.expectations ?? env["TRAJECTORY_EXPECTATIONS"]?.trim();
  return named === undefined || named === "" ? undefined : fromFolder(cwd, named);
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
  { tokenFile }: ServeOptions,
  env: NonNullable<Io["env"]>,
  cwd: string,
): Promise<string | undefined> {
  const given = tokenFile === undefined ? env["TRAJECTORY_TOKEN"] : (await read(tokenFile, cwd)).toString("utf8");
  if (given === undefined || (given === "" && tokenFile === undefined)) return undefined;
  const token = given.trim();
  // A token that no header can hold would turn everybody away; an empty one, nobody.
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(`${tokenFile ?? "TRAJECTORY_TOKEN"}: expected one token of visible ASCII characters`);
  }
  return token;
}

async function tlsOf(
  { tlsCert, tlsKey }: ServeOptions,
  cwd: string,
): Promise<{ readonly cert: Buffer; readonly key: Buffer } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined) throw new UsageError("--tls-cert and --tls-key go together");
  return { cert: await read(tlsCert, cwd), key: await read(tlsKey, cwd) };
}

async function read(file: string, cwd: string): Promise<Buffer> {
  try {
    return await readFile(fromFolder(cwd, file));
  } catch (error) {
    throw new UsageError(`${file}: cannot be read: ${messageOf(error)}`);
  }
}
