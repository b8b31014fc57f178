import { type KafkaRecord, type Message, type Place, TooLarge, type Writer } from "./client.ts";

export interface DeadLettersOptions {
  /** Where they go; by default beside the topic they came from. */
  readonly topic: string | undefined;
  readonly writer: Pick<Writer, "write">;
  /** A record is put away; its content is not to be said. */
  readonly onPut: (place: Place, offset: number, why: string) => void;
  readonly onRetry: (topic: string, error: unknown) => void;
}

const PAUSE_MILLIS = 1_000;

/** The topic for what of a topic cannot be read. */
export function deadLetterTopicOf(topic: string, given: string | undefined): string {
  return given ?? `${topic}.dead-letter`;
}

/** Puts records away that cannot be read, as they are, their headers too, with where they came from and why. */
export class DeadLetters {
  readonly #options: DeadLettersOptions;
  count = 0;

  constructor(options: DeadLettersOptions) {
    this.#options = options;
  }

  /** Tries until the record is safe, or `gone` says that somebody else will do it. */
  async put(place: Place, record: KafkaRecord, why: string, gone: () => boolean): Promise<void> {
    const topic = deadLetterTopicOf(place.topic, this.#options.topic);
    let message: Message = {
      topic,
      key: record.key ?? undefined,
      value: record.value ?? undefined,
      rawHeaders: record.rawHeaders,
      headers: {
        "trajectory.original.topic": place.topic,
        "trajectory.original.partition": `${place.partition}`,
        "trajectory.original.offset": `${record.offset}`,
        "trajectory.original.timestamp": `${record.timestamp}`,
        "trajectory.error": why,
      },
    };
    while (!gone()) {
      try {
        await this.#options.writer.write([message]);
        this.count += 1;
        this.#options.onPut(place, record.offset, why);
        return;
      } catch (error) {
        if (error instanceof TooLarge && message.value !== undefined) {
          // Its place is known; the topic that it came from still has it.
          message = { ...message, value: undefined, headers: { ...message.headers, "trajectory.value": "too large" } };
          continue;
        }
        this.#options.onRetry(topic, error);
        await new Promise<void>((resolve) => setTimeout(resolve, PAUSE_MILLIS));
      }
    }
  }
}
