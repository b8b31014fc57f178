import { columnsOf } from "../expectation/resolve.ts";
import type { Engine } from "../pipeline/engine.ts";
import type { EngineHost } from "../pipeline/engine-host.ts";
import type { ResolvedEngineOptions } from "../pipeline/options.ts";
import type { Encoding } from "../serve/answers.ts";
import type { Quiet } from "../serve/quiet.ts";
import { RequestReader } from "../serve/receiver.ts";
import type { Scoring } from "../serve/scorer.ts";
import type { ProtobufReader } from "../wire/protobuf-scalars.ts";
import { AllEngines } from "./all-engines.ts";
import type { Client, KafkaRecord, Place, Writer } from "./client.ts";
import { DeadLetters } from "./dead-letters.ts";
import { type Counts, SpanFeed, TraceFeed } from "./feeds.ts";
import type { CommitPoint } from "./offset-ledger.ts";
import type { ConsumeLimits } from "./options.ts";
import { Partition, type PartitionHost } from "./partition.ts";
import { SessionTopic } from "./session-topic.ts";
import { Stage } from "./stage.ts";

/** What is read, and how. */
export interface ConsumerOptions {
  /** Topics of spans. */
  readonly topics: readonly string[];
  /** undefined: each record says it by its first byte. */
  readonly encoding: Encoding | undefined;
  readonly groupId: string;
  readonly sessionTopic: string;
  /** Where records go that cannot be read; undefined: to a topic beside their own. */
  readonly deadLetterTopic: string | undefined;
  readonly stage: "traces" | "sessions" | "both";
  /** Where a group begins that has committed nothing. */
  readonly from: "earliest" | "latest";
  readonly engine: ResolvedEngineOptions;
  readonly limits: ConsumeLimits;
}

export interface ConsumerParts {
  readonly options: ConsumerOptions;
  readonly client: Pick<Client, "member">;
  readonly writer: Pick<Writer, "write">;
  readonly newReader: (body: Uint8Array) => ProtobufReader;
  /** Where results go. */
  readonly outputs: {
    isFull(): boolean;
    /** Resolves when everything so far has been accepted; never, where it is not. */
    settled(): Promise<void>;
  };
  readonly newScoring: (all: Pick<Engine, "stats" | "problem">) => Scoring;
  readonly quiet: Pick<Quiet, "warn" | "error">;
  readonly onLost: (count: number, why: string) => void;
}

/** How often is looked whether there is room again. */
const LOOK_MILLIS = 50;
/** Part of the places before an asynchronous scorer that are taken before nothing more is read. */
const SCORER_SHARE = 1 / 2;

/** Which stages there are for these options, with the group and the topics of each. */
export function stagesOf({ stage, groupId, topics, sessionTopic, engine }: ConsumerOptions): readonly {
  readonly name: "traces" | "sessions";
  readonly groupId: string;
  readonly topics: readonly string[];
}[] {
  const sessions = { name: "sessions" as const, groupId: `${groupId}-sessions`, topics: [sessionTopic] };
  const traces = { name: "traces" as const, groupId, topics };
  // Where nobody scores sessions nothing is written for them either.
  if (stage === "traces" || (stage === "both" && !scoresSessions(engine))) return [traces];
  return stage === "sessions" ? [sessions] : [traces, sessions];
}

/** Whether any scorer is for sessions. */
export function scoresSessions({ scorers }: ResolvedEngineOptions): boolean {
  return scorers.some(({ units }) => units.includes("session"));
}

/** Reads spans and scores traces; writes finished traces to the topic of sessions, reads them back and scores those. */
export class Consumer {
  readonly #parts: ConsumerParts;
  readonly #scoring: Scoring;
  readonly #engines = new AllEngines();
  /** Of all partitions, so that their spans share resources. */
  readonly #reader: RequestReader;
  readonly #sessionTopic: SessionTopic;
  readonly #deadLetters: DeadLetters;
  readonly #stages: readonly Stage[];
  readonly counts: Counts = { records: 0, spans: 0, rejected: 0, duplicates: 0 };
  #replayed = 0;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const { options, writer, quiet } = parts;
    this.#reader = new RequestReader(parts.newReader, options.limits.maxRecordBytes);
    this.#scoring = parts.newScoring({
      stats: () => this.#engines.stats(),
      problem: (kind, error) => {
        this.#engines.problem(kind);
        quiet.error(kind, { problem: kind, what: error instanceof Error ? error.name : "Error" });
      },
    });
    this.#sessionTopic = new SessionTopic({
      topic: options.sessionTopic,
      writer,
      content: options.engine.scorers.some(
        (scorer) => scorer.units.includes("session") && columnsOf(scorer).includes("expected_calls"),
      ),
      maxWaiting: options.limits.maxExportQueue,
      onRetry: (error) =>
        quiet.warn("traces cannot be written to the session topic now and are tried again", {
          what: nameOfError(error),
        }),
      onLost: (count, why) => {
        quiet.error("traces cannot be written to the session topic", { count, why });
        parts.onLost(count, why);
      },
    });
    this.#deadLetters = new DeadLetters({
      topic: options.deadLetterTopic,
      writer,
      onPut: ({ topic, partition }, offset, why) =>
        quiet.error("a record cannot be read, and is in the dead-letter topic", {
          topic,
          partition,
          offset,
          // What stands behind the colon may quote the record.
          why: why.split(":", 1)[0],
        }),
      onRetry: (topic, error) =>
        quiet.error("a record cannot be put into the dead-letter topic; reading waits for that", {
          topic,
          what: nameOfError(error),
        }),
    });
    this.#stages = stagesOf(options).map(
      (stage) =>
        new Stage({
          ...stage,
          client: parts.client,
          from: options.from,
          commitIntervalMillis: options.limits.commitIntervalMillis,
          rememberMillis: options.limits.rememberMillis,
          newPartition: (place, start) => this.#newPartition(stage.name, place, start),
          onDropped: ({ engine }) => this.#engines.remove(engine),
          settled: async () => {
            await Promise.all([parts.outputs.settled(), this.#sessionTopic.settled()]);
          },
          quiet,
        }),
    );
  }

  /** Whether anything but a trace's own spans may say what is expected of it. */
  get expects(): boolean {
    return this.#scoring.expects;
  }

  get deadLetters(): number {
    return this.#deadLetters.count;
  }

  /** Units that were followed again without a word, since they had been scored. */
  get replayed(): number {
    return this.#replayed;
  }

  /** Finished traces that are not in the session topic yet. */
  get waiting(): number {
    return this.#sessionTopic.waiting;
  }

  *partitions(): Generator<Partition> {
    for (const stage of this.#stages) yield* stage.partitions;
  }

  /** Why nothing is scored yet; undefined where it is. */
  notReady(): string | undefined {
    const why = this.#scoring.resolver.notReady();
    if (why !== undefined) return why;
    return this.#stages.every(({ isReady }) => isReady)
      ? undefined
      : "partitions have not been assigned, or cannot be read";
  }

  start(): void {
    for (const stage of this.#stages) stage.start();
  }

  /** Commits what can be committed within `millis`, and leaves the groups. What is open is scored by whoever comes next. */
  async stop(millis: number): Promise<void> {
    await Promise.all(this.#stages.map((stage) => stage.stop(millis)));
    this.#sessionTopic.close();
    this.#scoring.resolver.close();
  }

  #newPartition(stage: "traces" | "sessions", place: Place, start: CommitPoint): Partition {
    const host: PartitionHost = {
      newEngine: (of) =>
        this.#newEngine(
          stage === "traces" && scoresSessions(this.#parts.options.engine)
            ? { ...of, sessions: this.#sessionTopic.door(() => of.clock.timestamp) }
            : of,
        ),
      newFeed: (partition) =>
        stage === "traces"
          ? new SpanFeed(partition, this.#reader, this.#parts.options, this.counts)
          : new TraceFeed(partition, this.#parts.options, this.counts),
      room: (gone) => (this.#isFull() ? this.#roomLater(gone) : undefined),
      putAway: (at: Place, record: KafkaRecord, why, gone) => this.#deadLetters.put(at, record, why, gone),
      replayed: () => {
        this.#replayed += 1;
      },
    };
    return new Partition(place, start, host);
  }

  /** Engines share what may be held: each may hold what the others leave. */
  #newEngine(host: Pick<EngineHost, "clock" | "over" | "sessions">): Engine {
    const { options } = this.#parts;
    const { maxBufferedBytes } = options.engine.limits;
    const engines = this.#engines;
    const limits = {
      ...options.engine.limits,
      get maxBufferedBytes(): number {
        return Math.max(0, maxBufferedBytes - engines.bytesBeside(engine));
      },
    };
    const engine: Engine = this.#scoring.newEngine({ ...options.engine, limits }, host);
    engines.add(engine);
    return engine;
  }

  #isFull(): boolean {
    if (this.#parts.outputs.isFull() || this.#sessionTopic.isFull) return true;
    return this.#engines.pending > this.#parts.options.engine.maxScorerQueue * SCORER_SHARE;
  }

  async #roomLater(gone: () => boolean): Promise<void> {
    this.#parts.quiet.warn("nothing is read for now: results do not leave as fast as records come");
    while (this.#isFull() && !gone()) await new Promise<void>((resolve) => setTimeout(resolve, LOOK_MILLIS));
  }
}

function nameOfError(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 300) : "an error";
}
