import type { SessionTrace } from "../buffer/session-buffer.ts";
import type { TraceEntry } from "../buffer/trace-entry.ts";
import type { SpanReader } from "../conventions/read-span.ts";
import type { Resolver } from "../expectation/resolve.ts";
import type { Sink } from "./sink.ts";
import type { Clock, Runtime } from "./timers.ts";

/** Sessions that are followed elsewhere. */
export interface SessionDoor {
  /** A trace has been read, for the first time (revision 0) or again; `key` tells units of one trace id apart. */
  join(sessionId: string, key: string, trace: SessionTrace, revision: number): void;
  /** The trace, read again, turned out not to belong to this session. */
  part(sessionId: string, key: string, revision: number): void;
}

/** What the engine is given by its face. */
export interface EngineHost {
  readonly runtime: Runtime;
  readonly resolver: Resolver;
  readonly reader: SpanReader;
  readonly sinks: readonly Sink[];
  /** The time that traces and sessions go by, where it is another one than that of the runtime. */
  readonly clock?: Clock | undefined;
  /** A trace or session is over: everything that there is to be said of it has been handed to the sinks. */
  readonly over?: ((unit: Pick<TraceEntry, "silent">) => void) | undefined;
  /** Where finished traces go that belong to a session, instead of into a session of this engine. */
  readonly sessions?: SessionDoor | undefined;
  /** A fault that was caught and counted; the face says it, at most once in a while per kind. */
  problem(kind: string, error: unknown): void;
  /** Something that is no fault, and that whoever wonders about scores wants to know. */
  notice(kind: string, message: string): void;
}
