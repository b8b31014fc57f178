import type { SpanReader } from "../conventions/read-span.ts";
import type { Resolver } from "../expectation/resolve.ts";
import type { Sink } from "./sink.ts";
import type { Runtime } from "./timers.ts";

/** What the engine is given by its face. */
export interface EngineHost {
  readonly runtime: Runtime;
  readonly resolver: Resolver;
  readonly reader: SpanReader;
  readonly sinks: readonly Sink[];
  /** A fault that was caught and counted; the face says it, at most once in a while per kind. */
  problem(kind: string, error: unknown): void;
  /** Something that is no fault, and that whoever wonders about scores wants to know. */
  notice(kind: string, message: string): void;
}
