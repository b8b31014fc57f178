import type { SessionDoor } from "../pipeline/engine-host.ts";
import { ExportQueue, type Sent } from "../serve/export-queue.ts";
import { type Message, TooLarge, type Writer } from "./client.ts";
import { type SessionMessage, writeSessionMessage } from "./session-message.ts";

export interface SessionTopicOptions {
  readonly topic: string;
  readonly writer: Pick<Writer, "write">;
  /** Whether session scorers look at arguments of calls. */
  readonly content: boolean;
  readonly maxWaiting: number;
  readonly onRetry: (error: unknown) => void;
  /** Messages that cannot be written: the broker takes nothing so large, or there are far too many. */
  readonly onLost: (count: number, why: string) => void;
}

/** A record batch of this size passes brokers as they are set up by default. */
const MAX_BATCH_BYTES = 512 * 1024;
/** A broker is nearer than a backend, and several traces finish at one time. */
const LINGER_MILLIS = 20;

/** Finished traces on their way to the topic of their sessions, keyed by session. */
export class SessionTopic {
  readonly #options: SessionTopicOptions;
  readonly #queue: ExportQueue<Message>;

  constructor(options: SessionTopicOptions) {
    this.#options = options;
    this.#queue = new ExportQueue<Message>({
      maxWaiting: options.maxWaiting,
      lingerMillis: LINGER_MILLIS,
      send: (batch) => this.#send(batch),
      onLost: (count, why) => {
        if (why !== "shutdown") options.onLost(count, why);
      },
    });
  }

  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /** Traces that the broker has not acknowledged. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Resolves when the broker has acknowledged everything so far. */
  settled(): Promise<void> {
    return this.#queue.settled();
  }

  close(): void {
    this.#queue.close();
  }

  /** Where the engine of a partition hands its traces over; `timestamp` tells that partition's time. */
  door(timestamp: () => number): SessionDoor {
    const put = (message: SessionMessage): void => {
      const { topic, content } = this.#options;
      const key = Buffer.from(message.session_id);
      this.#queue.add({ topic, key, value: writeSessionMessage(message, content), timestamp: timestamp() });
    };
    return {
      join: (session_id, key, trace, revision) => put({ session_id, key, revision, trace }),
      part: (session_id, key, revision) => put({ session_id, key, revision, trace: undefined }),
    };
  }

  async #send(batch: readonly Message[]): Promise<Sent> {
    try {
      for (const part of parts(batch)) await this.#write(part);
      return "sent";
    } catch (error) {
      this.#options.onRetry(error);
      return "again";
    }
  }

  async #write(messages: readonly Message[]): Promise<void> {
    try {
      await this.#options.writer.write(messages);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      if (messages.length === 1) this.#options.onLost(1, "too_large");
      else for (const message of messages) await this.#write([message]);
    }
  }
}

/** The messages in parts of some size, each with one at least. */
function parts(messages: readonly Message[]): Message[][] {
  const all: Message[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = (message.key?.length ?? 0) + (message.value?.length ?? 0);
    if (bytes + size > MAX_BATCH_BYTES) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(message);
    bytes += size;
  }
  return all;
}
