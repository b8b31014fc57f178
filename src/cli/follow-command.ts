import { setTimeout as sleep } from "node:timers/promises";
import { createSpanReader } from "../conventions/read-span.ts";
import type { Resolver } from "../expectation/resolve.ts";
import { messageOf } from "../model/errors.ts";
import type { SpanView } from "../model/span.ts";
import { SCOPE_NAME } from "../model/version.ts";
import { Engine } from "../pipeline/engine.ts";
import type { ResolvedEngineOptions } from "../pipeline/options.ts";
import { type EmittedEvaluation, SILENT_SINK, type Sink } from "../pipeline/sink.ts";
import { hostRuntime } from "../pipeline/timers.ts";
import { Complaints } from "./complaints.ts";
import { type FollowOptions, followFile } from "./follow-file.ts";
import { nameOf } from "./input.ts";
import { fromFolder } from "./input-files.ts";
import { type Io, print, printable, UsageError } from "./io.ts";
import { RequestFeed } from "./request-feed.ts";
import { RequestTaker } from "./request-taker.ts";
import { jsonLine, type ScoreRow, scoreRow } from "./rows.ts";

/** A row of a run that has no end: what `score` prints, and what may still change. */
export interface LiveRow extends ScoreRow {
  /** Late spans have changed a row that was printed before; counted from 1. */
  readonly revision?: number;
  /** Why the unit is not whole. */
  readonly incomplete_reasons?: readonly string[];
}

export interface Following {
  readonly files: readonly string[];
  readonly engine: ResolvedEngineOptions;
  readonly resolver: Resolver;
  /** Attributes that expectations ask for. */
  readonly attributes: readonly string[];
  readonly quiet: boolean;
}

/** Longest time in which what is held is scored at the end, in ms. */
const DRAIN_MILLIS = 60_000;
/** How often it is asked whether there is room, in ms. */
const ROOM_MILLIS = 50;

/** What holds the traces that are not finished: of a file, not of a host whose memory it must spare. */
export const FOLLOW_DEFAULTS: { readonly [name: string]: number } = {
  maxTraces: 100_000,
  maxFinishedTraces: 100_000,
  maxSessions: 100_000,
  maxBufferedBytes: 512 * 1024 * 1024,
};

/** `score --follow FILE…`: scores traces as they finish, until it is told to stop or standard input ends. */
export async function follow(following: Following, io: Io): Promise<number> {
  const { quiet } = following;
  const tell = (text: string): void => {
    if (!quiet) io.stderr.write(`otel-trajectory: ${printable(text)}\n`);
  };
  const rows = new LiveRows(io);
  const engine = engineOf(following, rows, tell);
  const complaints = new Complaints((text) => {
    if (!quiet) io.stderr.write(text);
  });
  complaints.release();
  const stop = new AbortController();
  void io.untilStopped?.().then(() => stop.abort());
  if (io.untilStopped === undefined) stop.abort();
  const taker = { take: (view: SpanView) => hand(engine, view) };
  const room = async (bytes: number): Promise<void> => {
    await rows.written;
    while (!stop.signal.aborted && !engine.hasRoom(bytes)) await sleep(ROOM_MILLIS);
  };
  try {
    await Promise.all(
      following.files.map((file) => {
        const name = nameOf(file);
        const newFeed = (): RequestFeed => new RequestFeed(new RequestTaker(name, taker, complaints));
        const options = { path: fromFolder(io.cwd, file), name, newFeed, room, signal: stop.signal };
        return file === "-" ? followStream(io.stdin, options) : followFile(options);
      }),
    );
  } finally {
    stop.abort();
    await engine.drain(DRAIN_MILLIS);
    await rows.written;
    await engine.shutdown(0);
  }
  const { emitted, results } = engine.stats().evaluations;
  tell(`${emitted} results; without expectation: ${results["no_expectation"] ?? 0}`);
  return 0;
}

function engineOf({ engine, resolver, attributes }: Following, rows: LiveRows, tell: (text: string) => void): Engine {
  const told = new Set<string>();
  const once = (kind: string, message: string): void => {
    if (!told.has(kind)) tell(message);
    told.add(kind);
  };
  return new Engine(engine, {
    runtime: hostRuntime,
    resolver,
    reader: createSpanReader({
      maxContentBytes: engine.maxContentBytes,
      // Any span may turn out to be a local root.
      keepAttributes: attributes.length > 0 ? "all" : "none",
    }),
    sinks: [rows.sink],
    problem: (kind, error) => once(kind, `${kind}: ${messageOf(error)}`),
    notice: (kind, message) => once(kind, message),
  });
}

function hand(engine: Engine, view: SpanView): void {
  // Our own evaluation spans are about a run, no part of it.
  if (view.scope_name === SCOPE_NAME) return;
  engine.end(view);
}

/** Hands over what comes of a stream, until it ends or the signal comes. */
async function followStream(
  stream: AsyncIterable<Uint8Array | string>,
  { newFeed, room, name, signal }: FollowOptions,
): Promise<void> {
  const feed = newFeed();
  // A stream that says nothing would keep the process alive.
  const leave = (): void => void (stream as { destroy?: () => void }).destroy?.();
  signal.addEventListener("abort", leave, { once: true });
  try {
    for await (const chunk of stream) {
      await room(chunk.length);
      await feed.push(Buffer.from(chunk as Uint8Array));
    }
  } catch (error) {
    if (!signal.aborted) throw new UsageError(`${name}: cannot be read: ${messageOf(error)}`);
  } finally {
    signal.removeEventListener("abort", leave);
  }
  feed.end();
}

/** Prints results as they come, one a line, no faster than they are read. */
class LiveRows {
  readonly #io: Io;
  /** Settles when what has come so far is written. Never rejects. */
  written: Promise<void> = Promise.resolve();

  constructor(io: Io) {
    this.#io = io;
  }

  readonly sink: Sink = {
    ...SILENT_SINK,
    emit: (emitted) => {
      const line = `${jsonLine(liveRow(emitted))}\n`;
      this.written = this.written.then(() => print(this.#io.stdout, line));
    },
  };
}

function liveRow({ evaluation, unit, revision }: EmittedEvaluation): LiveRow {
  return {
    ...scoreRow(evaluation),
    ...(revision === 0 ? {} : { revision }),
    ...(unit.complete ? {} : { incomplete_reasons: unit.incomplete_reasons }),
  };
}
