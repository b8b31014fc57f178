import type { SessionEntry } from "../buffer/session-buffer.ts";
import { messageOf } from "../model/errors.ts";
import type { SpanView } from "../model/span.ts";
import type { Encoding } from "../serve/answers.ts";
import { isOwn, type RequestReader } from "../serve/receiver.ts";
import type { KafkaRecord } from "./client.ts";
import type { ConsumeLimits } from "./options.ts";
import type { Feed, Partition } from "./partition.ts";
import { RecentMap } from "./recent-map.ts";
import { readSessionMessage, type SessionMessage } from "./session-message.ts";

/** What has been taken so far, of all partitions. */
export interface Counts {
  records: number;
  spans: number;
  /** Spans that could not be used, in records that otherwise could. */
  rejected: number;
  /** Traces that had come to their session before. */
  duplicates: number;
}

interface FeedOptions {
  readonly limits: Pick<ConsumeLimits, "maxRecordBytes">;
}

function tooLong({ maxRecordBytes }: FeedOptions["limits"]): string {
  return `the record's value is longer than ${maxRecordBytes} bytes`;
}

/** Spans: the requests that the Collector's Kafka exporter writes. */
export class SpanFeed implements Feed {
  readonly #partition: Partition;
  readonly #reader: RequestReader;
  readonly #options: FeedOptions & { readonly encoding: Encoding | undefined };
  readonly #counts: Counts;

  /** @param options `encoding` undefined: each record says it by its first byte */
  constructor(
    partition: Partition,
    reader: RequestReader,
    options: FeedOptions & { readonly encoding: Encoding | undefined },
    counts: Counts,
  ) {
    this.#partition = partition;
    this.#reader = reader;
    this.#options = options;
    this.#counts = counts;
  }

  take({ offset, value }: KafkaRecord): string | undefined {
    if (value === null || value.length === 0) return undefined;
    const { encoding = encodingOf(value), limits } = this.#options;
    if (value.length > limits.maxRecordBytes) return tooLong(limits);
    const { views, spans, rejected, broken } = this.#reader.read(value, encoding);
    if (broken !== undefined) return broken;
    this.#counts.records += 1;
    this.#counts.spans += spans;
    this.#counts.rejected += rejected;
    for (const view of views) if (!isOwn(view)) this.#end(view, offset);
    return undefined;
  }

  #end(view: SpanView, offset: number): void {
    const { engine, ledger, clock } = this.#partition;
    const { trace_id: traceId } = view;
    try {
      engine.end(view);
    } catch (error) {
      engine.problem("receive", error);
    }
    const unit = engine.unitOf(traceId);
    if (unit === undefined) ledger.straggle(traceId, offset, clock.now());
    else ledger.touch(traceId, unit, offset);
  }
}

const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const BRACE = 0x7b;

/** JSON begins with a brace, which no request in protobuf can: it would be the end of a group that none began. */
function encodingOf(value: Buffer): Encoding {
  return value.find((byte) => !SPACE.has(byte)) === BRACE ? "json" : "protobuf";
}

/** Most traces of sessions that are remembered of a partition. */
const MAX_KNOWN = 200_000;

interface Known {
  readonly session: Pick<SessionEntry, "done">;
  readonly revision: number;
}

/** Finished traces, which the trace stage writes: each joins its session once, by its latest reading. */
export class TraceFeed implements Feed {
  readonly #partition: Partition;
  readonly #options: FeedOptions;
  readonly #counts: Counts;
  readonly #known = new RecentMap<string, Known>(MAX_KNOWN);

  constructor(partition: Partition, options: FeedOptions, counts: Counts) {
    this.#partition = partition;
    this.#options = options;
    this.#counts = counts;
  }

  take({ offset, value }: KafkaRecord): string | undefined {
    if (value === null || value.length === 0) return undefined;
    const { limits } = this.#options;
    if (value.length > limits.maxRecordBytes) return tooLong(limits);
    let message: SessionMessage;
    try {
      message = readSessionMessage(value);
    } catch (error) {
      return messageOf(error);
    }
    this.#counts.records += 1;
    this.#join(message, offset);
    return undefined;
  }

  #join({ session_id: id, key, revision, trace }: SessionMessage, offset: number): void {
    const { engine, ledger, clock } = this.#partition;
    const name = `${id}\n${key}`;
    const known = this.#known.get(name);
    // A session that has been scored is never revised: whatever is said again of one of its traces changes nothing.
    if (known !== undefined && (known.revision >= revision || known.session.done)) {
      this.#counts.duplicates += 1;
      ledger.straggle(id, offset, clock.now(), known.session);
      return;
    }
    const session = engine.join(id, key, trace);
    if (session === undefined) return;
    ledger.touch(id, session, offset);
    this.#known.set(name, { session, revision });
  }
}
