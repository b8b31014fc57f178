/** Times (ms) and caps of the buffers. All are resolved: nothing downstream applies a default again. */
export interface BufferLimits {
  readonly lateSpanMillis: number;
  readonly openIdleMillis: number;
  readonly idleMillis: number;
  readonly maxTraceMillis: number;
  readonly lateWindowMillis: number;
  readonly maxFinishedTraces: number;
  readonly sessionIdleMillis: number;
  readonly maxSessionMillis: number;
  readonly maxTraces: number;
  readonly maxSessions: number;
  readonly maxSpansPerTrace: number;
  readonly maxStepsPerSession: number;
  readonly maxBufferedBytes: number;
}

/** The defaults of every limit. */
export const DEFAULT_LIMITS: BufferLimits = {
  lateSpanMillis: 2_000,
  openIdleMillis: 900_000,
  idleMillis: 30_000,
  maxTraceMillis: 3_600_000,
  lateWindowMillis: 30_000,
  maxFinishedTraces: 10_000,
  sessionIdleMillis: 1_800_000,
  maxSessionMillis: 86_400_000,
  maxTraces: 10_000,
  maxSessions: 10_000,
  maxSpansPerTrace: 10_000,
  maxStepsPerSession: 10_000,
  maxBufferedBytes: 64 * 1024 * 1024,
};
