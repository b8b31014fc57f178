import { show, TrajectoryError } from "../model/errors.ts";
import { whole } from "../pipeline/options.ts";

/** What the service takes at most, and how long it waits. Bytes and milliseconds; whole numbers of at least 1. */
export interface ServeLimits {
  /** Longest body of a request as it is sent. */
  readonly maxRequestBytes: number;
  /** Longest body of a request once it is decompressed. */
  readonly maxInflatedBytes: number;
  /** Bodies that are being received at one time, in all. */
  readonly maxPendingBytes: number;
  /** Requests with spans that are under way at one time; over HTTP, and over gRPC as many again. */
  readonly maxConcurrentRequests: number;
  /** Connections to a port at one time; one more is closed at once. */
  readonly maxConnections: number;
  /** How long a client may take to send the head of a request. */
  readonly headersTimeoutMillis: number;
  /** How long a client may take to send a whole request. */
  readonly requestTimeoutMillis: number;
  /** How long a connection stays open without a request. */
  readonly keepAliveMillis: number;
  /** How long ending takes at most: requests under way, scoring what is held, exporting it. */
  readonly drainTimeoutMillis: number;
  /** Results that wait to be exported; beyond, senders are told to wait. Ten times as many are held at the very most. */
  readonly maxExportQueue: number;
}

const MEBIBYTE = 1024 * 1024;

/** The defaults of every limit. */
export const DEFAULT_SERVE_LIMITS: ServeLimits = {
  maxRequestBytes: 20 * MEBIBYTE,
  maxInflatedBytes: 64 * MEBIBYTE,
  maxPendingBytes: 128 * MEBIBYTE,
  maxConcurrentRequests: 256,
  maxConnections: 10_000,
  headersTimeoutMillis: 10_000,
  requestTimeoutMillis: 30_000,
  keepAliveMillis: 60_000,
  drainTimeoutMillis: 25_000,
  maxExportQueue: 20_000,
};

/** Fills in the defaults. @throws TrajectoryError `invalid_option` naming the limit, the value and what is allowed */
export function resolveServeLimits(given: Readonly<Record<string, unknown>> = {}): ServeLimits {
  return resolveLimits(DEFAULT_SERVE_LIMITS, given);
}

/** The same for limits with other defaults. */
export function resolveLimits<L extends object>(defaults: L, given: Readonly<Record<string, unknown>>): L {
  const known = Object.keys(defaults);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    throw new TrajectoryError("invalid_option", name, `unknown key ${show(name)}; allowed: ${known.join(", ")}`);
  }
  const limits: Record<string, number> = {};
  for (const [name, fallback] of Object.entries(defaults)) limits[name] = whole(name, given[name] ?? fallback, 1);
  return limits as L;
}
