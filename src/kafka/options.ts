import { resolveLimits } from "../serve/options.ts";

/** What `consume` takes at most, and how long it waits. Bytes and milliseconds; whole numbers of at least 1. */
export interface ConsumeLimits {
  /** Longest value of a record; a longer one goes to the dead-letter topic. */
  readonly maxRecordBytes: number;
  /** What one fetch brings, of all partitions of one broker. */
  readonly maxFetchBytes: number;
  /** How long a replica may be silent before its partitions go to others. */
  readonly memberTimeoutMillis: number;
  readonly commitIntervalMillis: number;
  /** How long what is over stays known to whoever takes the partition over, in the time of the records. */
  readonly rememberMillis: number;
  /** Results that wait to be exported; beyond, nothing is read. */
  readonly maxExportQueue: number;
  /** How long ending takes at most: handing results over, committing, leaving the group. */
  readonly drainTimeoutMillis: number;
}

const MEBIBYTE = 1024 * 1024;

/** The defaults of every limit. */
export const DEFAULT_CONSUME_LIMITS: ConsumeLimits = {
  maxRecordBytes: 20 * MEBIBYTE,
  maxFetchBytes: 16 * MEBIBYTE,
  memberTimeoutMillis: 30_000,
  commitIntervalMillis: 2_000,
  rememberMillis: 60_000,
  maxExportQueue: 20_000,
  drainTimeoutMillis: 25_000,
};

/** Fills in the defaults. @throws TrajectoryError `invalid_option` naming the limit, the value and what is allowed */
export function resolveConsumeLimits(given: Readonly<Record<string, unknown>> = {}): ConsumeLimits {
  return resolveLimits(DEFAULT_CONSUME_LIMITS, given);
}
