/**
 * Matchers for vitest whose failure message is the diff, and a helper that captures the spans of one agent call.
 *
 * @packageDocumentation
 */
import type {} from "vitest";
import type { ExpectedSteps } from "../model/expectation.ts";
import { type CallOptions, type FollowOptions, toCallTools, toFollowTrajectory } from "./matchers.ts";

export type { SpanRecord } from "../model/span.ts";
export type { CallOptions, FollowOptions, MatcherAnswer, MatcherContext } from "./matchers.ts";
export type { Received } from "./received.ts";
export type { Captured, CaptureOptions } from "./span-recorder.ts";
export { captureSpans, SpanRecorder } from "./span-recorder.ts";

/** The matchers, as `expect.extend` takes them: `expect.extend(trajectoryMatchers)`. */
export const trajectoryMatchers: {
  readonly toFollowTrajectory: typeof toFollowTrajectory;
  readonly toCallTools: typeof toCallTools;
} = { toFollowTrajectory, toCallTools };

/** What `expect(run)` offers once the matchers are there. */
export interface TrajectoryMatchers {
  /**
   * The run took the expected steps: names, unordered groups (lists of names), `{ optional }`, `{ any_of }`, or several
   * trajectories as `{ one_of }`. `run` is an occurrence, spans, or what a capture gave.
   */
  toFollowTrajectory(expectedSteps: ExpectedSteps, options?: FollowOptions): void;
  /** The run called each of the tools at least once; negated, none of them. */
  toCallTools(names: readonly string[], options?: CallOptions): void;
}

declare module "vitest" {
  // biome-ignore lint/suspicious/noExplicitAny: must be written as vitest writes it, to be merged with it
  interface Matchers<T = any> extends TrajectoryMatchers {}
}
